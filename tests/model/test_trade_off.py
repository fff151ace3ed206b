"""Trade-off curves: levels of a specification, the exact end, the lower hull; misuse."""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from torquec.errors import ArgumentError
from torquec.expr import OperationCount
from torquec.model.model import compile
from torquec.model.simplified import simplify
from torquec.model.trade_off import TradeOff, TradeOffPoint, restated, scaled, trade_off
from torquec.robot.classics import load_classic
from torquec.simplification.specification import CoefficientThreshold, load_specification, parse_specification
from torquec.simplification.specification_text import check_specification_met

STANFORD = Path(__file__).resolve().parents[2] / "examples" / "specifications" / "stanford_control.toml"
ARM = load_classic("planar2r")
SPECIFICATION = parse_specification(
    "[every_joint]\nvelocity = 1.0\nacceleration = 2.0\ntorque_error = 4.0\n[[joint]]\nname = 'joint2'\n"
    "torque_error = 2.0",
    ARM,
)


@pytest.fixture(scope="module")
def model():
    return simplify(ARM, SPECIFICATION)


@pytest.fixture(scope="module")
def curve(model):
    return trade_off(ARM, SPECIFICATION, factors=(0.5, 2.0), known={1.0: model})


def test_every_level_keeps_its_error(curve):
    assert [point.factor for point in curve.points] == [0.0, 0.5, 1.0, 2.0]
    assert curve.tolerances == {"joint1": 4.0, "joint2": 2.0}
    for point in curve.points:
        assert point.level <= point.factor
        assert all(point.bounds[name] <= point.factor * t for name, t in curve.tolerances.items())
        assert point.level == max(point.bounds[name] / t for name, t in curve.tolerances.items())


def test_the_best_model_is_the_cheapest_that_meets_the_specification(model, curve):
    def counted(count):
        return SimpleNamespace(operation_count=lambda _: count, record=SimpleNamespace(joints=model.record.joints))

    # What the search found for half the error costs less than what it found for the whole.
    half, whole, double = (OperationCount(mul, 3, 0, 1, 0) for mul in (4, 5, 3))
    known = {0.5: counted(half), 1.0: counted(whole), 2.0: counted(double)}
    assert trade_off(ARM, SPECIFICATION, factors=(), known={1.0: known[1.0]}).best is known[1.0]
    two = trade_off(ARM, SPECIFICATION, factors=(), known={k: known[k] for k in (0.5, 1.0)})
    assert two.best is known[0.5]
    # Proven within the stated errors: it meets the specification, whatever it was asked for.
    assert trade_off(ARM, SPECIFICATION, factors=(), known=known).best is known[2.0]
    worse = {name: replace(proof, bound=9.0) for name, proof in model.record.joints.items()}
    known[2.0].record.joints = worse
    assert trade_off(ARM, SPECIFICATION, factors=(), known=known).best is known[0.5]
    assert curve.best.operation_count("inverse_dynamics").cost <= model.operation_count("inverse_dynamics").cost


def test_the_exact_model_is_one_end(curve):
    assert curve.points[0].operations == compile(ARM).operation_count("inverse_dynamics")
    assert curve.points[-1].cost < curve.points[0].cost


def test_the_hull_falls():
    points = tuple(
        TradeOffPoint(factor, OperationCount(cost, 0, 0, 0, 0), {}, factor)
        for factor, cost in [(0.0, 9), (0.5, 9), (1.0, 5), (2.0, 6), (4.0, 4)]
    )
    assert [point.cost for point in TradeOff("arm", points, {}, {}).hull] == [9, 5, 4]


def test_an_executor_gives_the_same_and_progress_is_told(model, curve):
    said = []
    with ThreadPoolExecutor(2) as executor:
        again = trade_off(
            ARM, SPECIFICATION, factors=(2.0,), known={1.0: model}, executor=executor, progress=said.append
        )
    assert again.points == tuple(point for point in curve.points if point.factor != 0.5)
    assert said[-1].endswith(f": 2 x the error: {curve.points[-1].operations}")


@pytest.mark.parametrize("factors", [(0.0,), (-1.0, 2.0), (math.inf,), (math.nan,)])
def test_factors_must_be_positive(factors):
    with pytest.raises(ArgumentError, match="factors"):
        trade_off(ARM, SPECIFICATION, factors=factors)


def test_every_kind_of_specification_is_scaled():
    half = scaled(SPECIFICATION, 0.5)
    assert [joint.torque_error for joint in half.joints] == [2.0, 1.0]
    assert half.joints[0].velocity == 1.0
    threshold = dataclasses.replace(SPECIFICATION, joints=(), coefficients=CoefficientThreshold(0.01))
    assert scaled(threshold, 3.0).coefficients == CoefficientThreshold(0.03)
    control = load_specification(STANFORD, load_classic("stanford"))
    double = scaled(control, 2.0)
    for before, after in zip(control.joints, double.joints, strict=True):
        assert after.control.step_error == 2.0 * before.control.step_error
        assert after.control.damping_error == before.control.damping_error


def test_the_certificate_of_another_level_can_say_what_was_asked_for(curve):
    stated = restated(curve.best, SPECIFICATION).record
    assert {name: proof.tolerance for name, proof in stated.joints.items()} == {"joint1": 4.0, "joint2": 2.0}
    check_specification_met(ARM, stated)
