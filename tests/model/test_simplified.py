"""`simplify`: the cheapest model that meets a specification, with its proof; every quantity follows from it."""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from torquec.errors import ArgumentError, CheckError, RobotError, SpecificationError
from torquec.expr import OperationCount
from torquec.model.model import compile
from torquec.model.model_parameters import ModelKind
from torquec.model.save import load_model, save
from torquec.model.simplified import TradeOff, TradeOffPoint, restated, scaled, simplify, trade_off
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certificate import load_certificate, save_certificate
from torquec.robot.classics import load_classic
from torquec.robot.robot import Mimic
from torquec.simplification.specification import CoefficientThreshold, load_specification, parse_specification
from torquec.simplification.specification_text import check_specification_met

TORQUES = """
[every_joint]
velocity = 1.0
acceleration = 1.0
torque_error = 15.0
"""

CONTROL = """
[every_joint]
velocity = 0.5
acceleration = 0.5
control = { damping_error = 0.05, step_error = 0.002, ramp_error = 0.004, parabolic_error = 0.01 }

[every_joint.motor]
armature_resistance = 1.0
torque_constant = 0.1
back_emf_constant = 0.1
gear_ratio = 0.01
resonance_hz = 10
inertia = 4
"""

THRESHOLD = """
[coefficients]
threshold = 0.3
digits = 3
"""

MOVING = """
[every_joint]
velocity = 1.0
acceleration = 1.0
"""


def made(text: str, name: str = "planar3r"):
    robot = load_classic(name)
    return simplify(robot, parse_specification(text, robot))


def motions_of(model, count=20_000):
    rng = np.random.default_rng(0)
    box = model.record.motions
    q = rng.uniform(box.lower, box.upper, (count, model.robot.n))
    return q, *(rng.uniform(-1.0, 1.0, q.shape) * side for side in (box.velocity, box.acceleration))


@pytest.fixture(scope="module")
def small():
    return made(TORQUES)


@pytest.fixture(scope="module")
def controlled():
    return made(CONTROL, "scara")


@pytest.fixture(scope="module")
def abbreviated():
    return made(THRESHOLD + MOVING, "scara")


# --- torque errors --------------------------------------------------------------------------------------------------


def test_models_that_are_proven_early_are_whole_models(tmp_path):
    robot = load_classic("planar2r")
    told = []
    found = simplify(robot, parse_specification(TORQUES, robot), on_proven=told.append)
    for k, model in enumerate(told):
        save(model, tmp_path / f"{k}.tq.json")
        again = load_model(tmp_path / f"{k}.tq.json")
        check_certificate(robot, again.record)
        assert again.record.specification == found.record.specification
    assert told


def test_the_error_stays_within_the_specification(small):
    exact = compile(small.robot)
    state = motions_of(small)
    error = np.abs(small.inverse_dynamics(*state) - exact.inverse_dynamics(*state)).max(axis=0)
    for value, proof in zip(error, small.record.joints.values(), strict=True):
        assert value <= proof.bound <= 15.0


def test_it_costs_less_and_the_exact_one_is_had_by_name(small):
    exact = compile(small.robot)
    assert small.kind is ModelKind.CERTIFIED_TORQUE
    assert small.operation_count("inverse_dynamics").cost < exact.operation_count("inverse_dynamics").cost
    q = np.array([0.1, 0.2, 0.3])
    assert np.array_equal(small.exact.mass_matrix(q), exact.mass_matrix(q))
    assert not np.allclose(small.mass_matrix(q), exact.mass_matrix(q))


def test_the_record_says_what_was_saved(small):
    counts = small.record.counts
    assert counts.operations_before == compile(small.robot).operation_count("inverse_dynamics")
    assert counts.operations_after == small.operation_count("inverse_dynamics")
    assert 0 < counts.terms_after < counts.terms_before


# --- all kinds ------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["small", "controlled", "abbreviated"])
def any_model(request):
    return request.getfixturevalue(request.param)


def test_the_proof_holds_again(any_model):
    check_certificate(any_model.robot, any_model.record)


def test_it_is_saved_as_it_is(any_model, tmp_path):
    save(any_model, tmp_path / "one.tq.json")
    again = load_model(tmp_path / "one.tq.json")
    assert (again.kind, again.record, again.robot) == (any_model.kind, any_model.record, any_model.robot)
    state = np.random.default_rng(1).uniform(-1.0, 1.0, (3, any_model.robot.n))
    assert np.array_equal(again.inverse_dynamics(*state), any_model.inverse_dynamics(*state))
    assert (again.coefficients is None) == (any_model.coefficients is None)
    save(again, tmp_path / "two.tq.json")
    assert (tmp_path / "two.tq.json").read_bytes() == (tmp_path / "one.tq.json").read_bytes()


def test_the_certificate_is_a_file(any_model, tmp_path):
    save_certificate(any_model.record, tmp_path / "proof.json")
    assert load_certificate(tmp_path / "proof.json") == any_model.record


def test_torque_bounds_hold(any_model):
    exact = compile(any_model.robot)
    state = motions_of(any_model)
    error = np.abs(any_model.inverse_dynamics(*state) - exact.inverse_dynamics(*state)).max(axis=0)
    assert np.all(error <= [proof.bound for proof in any_model.record.joints.values()])


# --- control requirements and thresholds ----------------------------------------------------------------------------


def test_coefficients_keep_their_tolerances(controlled):
    proofs = controlled.record.coefficients.coefficients
    assert proofs
    for proof in proofs.values():
        assert proof.found <= proof.bound <= proof.tolerance
        assert proof.bound <= 1.05 * proof.found


def test_quantities_made_of_coefficients_err_as_their_certificate_says(controlled):
    exact = compile(controlled.robot)
    q = motions_of(controlled)[0]
    proofs = controlled.record.coefficients.coefficients
    assert controlled.coefficients.kind is ModelKind.CERTIFIED_COEFFICIENTS
    difference = np.abs(controlled.coefficients.mass_matrix(q) - exact.mass_matrix(q))
    whole = exact.mass_matrix(q)
    for i in range(4):
        for j in range(i, 4):
            proof = proofs.get(f"M[{i + 1},{j + 1}]")
            bound = 1e-9 if proof is None else proof.bound
            scale = 1.0 if proof is None or proof.kind == "absolute" else whole[:, i, j]
            assert np.all(difference[:, i, j] <= bound * scale + 1e-12)


def test_every_quantity_costs_no_more_than_the_exact_one(controlled):
    exact = compile(controlled.robot)
    for quantity in ("inverse_dynamics", "mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix"):
        assert controlled.operation_count(quantity).cost <= exact.operation_count(quantity).cost


def test_sabotage_of_the_coefficients_is_refused(controlled):
    inner = controlled.record.coefficients
    name = max(inner.coefficients, key=lambda name: inner.coefficients[name].found)
    low = replace(inner.coefficients[name], bound=0.99 * inner.coefficients[name].found, found=0.0)
    changed = replace(inner, coefficients={**inner.coefficients, name: low})
    with pytest.raises(CheckError, match="is not proven"):
        check_certificate(controlled.robot, replace(controlled.record, coefficients=changed))
    narrower = replace(controlled.record.motions, lower=tuple(x + 0.1 for x in controlled.record.motions.lower))
    with pytest.raises(CheckError, match="different positions"):
        check_certificate(controlled.robot, replace(controlled.record, motions=narrower))


def test_a_threshold_without_speeds_proves_coefficients_only():
    model = made(THRESHOLD, "scara")
    assert not model.record.joints
    assert model.record.coefficients.coefficients
    check_certificate(model.robot, model.record)


def test_an_abbreviated_model_serves_all_five_quantities(abbreviated):
    assert set(abbreviated.functions) == {
        "inverse_dynamics",
        "mass_matrix",
        "gravity_torque",
        "velocity_torque",
        "coriolis_matrix",
    }
    assert abbreviated.record.counts.terms_after < abbreviated.record.counts.terms_before
    q, qd, qdd = (x[:50] for x in motions_of(abbreviated))
    whole = np.einsum("nij,nj->ni", abbreviated.mass_matrix(q), qdd) + abbreviated.velocity_torque(q, qd)
    assert np.allclose(abbreviated.inverse_dynamics(q, qd, qdd), whole + abbreviated.gravity_torque(q), atol=1e-10)


# --- what cannot be had ---------------------------------------------------------------------------------------------


def test_an_impossible_requirement_names_joint_and_smallest_error():
    with pytest.raises(SpecificationError, match="joint 'shoulder' cannot keep its parabolic error of 1e-06") as caught:
        made(CONTROL.replace("parabolic_error = 0.01", "parabolic_error = 1e-6"), "scara")
    assert "allow a parabolic_error of more than" in caught.value.remedy


def test_a_torque_error_below_rounding_names_joint_and_smallest_error():
    with pytest.raises(SpecificationError, match="joint 'joint1' is allowed a torque error of 1e-16") as caught:
        made(TORQUES.replace("15.0", "1e-16"))
    assert "allow at least" in caught.value.remedy


def test_missing_motor_data_are_named_with_what_needs_none():
    text = CONTROL.replace("inertia = 4", "").replace("torque_constant = 0.1\n", "")
    with pytest.raises(SpecificationError, match=r"motor\.torque_constant, motor\.inertia are missing") as caught:
        made(text, "scara")
    assert "torque_error" in caught.value.remedy
    assert "threshold" in caught.value.remedy


def test_coefficients_of_a_robot_with_mimic_joints_are_refused():
    robot = load_classic("planar2r")
    first, second = robot.bodies
    follower = replace(second, joint=replace(second.joint, mimic=Mimic(first.joint.name)))
    coupled = replace(robot, bodies=(first, follower))
    with pytest.raises(RobotError, match="follows another one"):
        simplify(coupled, parse_specification(THRESHOLD, coupled))


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
