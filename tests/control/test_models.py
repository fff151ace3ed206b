"""Laws and linear models take any kind of model: one that follows programs behaves as its programs say."""

from __future__ import annotations

import numpy as np
import pytest
from tests.model_kinds import heavier, program_model

import torquec as tq
from torquec.closedform.fourier import CLOVER
from torquec.control.controller import SIGNALS
from torquec.control.independent_joint import Feedforward, PidGains, feedforward_torque, gains_from_poles
from torquec.control.model_terms import Evaluation
from torquec.control.observer import momentum_observer
from torquec.control.pole_placement import pole_placement_gains
from torquec.control.stability_interval import worst_case
from torquec.errors import ArgumentError, CheckError
from torquec.expr import evaluate
from torquec.linearization.linearize import check_linear_model, linear_model_function, linearize_along
from torquec.model.model import Model, ModelKind
from torquec.trajectory import minimum_jerk

ARMS = {"puma560": tq.classics.puma560(), "scara": tq.classics.scara(), "planar2r": tq.classics.planar2r()}
POLES = -12 + 45j


def gains(arm):
    return PidGains((2.0,) * arm.n, (3.0,) * arm.n, (4.0,) * arm.n)


def motion(arm):
    return minimum_jerk([0.1] * arm.n, [0.4] * arm.n, 0.1, joints=arm.joint_names, period=0.01)


LAWS = {
    "CT1": lambda source: tq.pole_placement(source, POLES),
    "CT2": lambda source: tq.computed_torque(source, POLES, evaluation=Evaluation.MEASURED),
    "CT3": lambda source: tq.diagonal_computed_torque(source, POLES),
    "LQR": lambda source: tq.lqr(source, motion(arm_of(source)), tq.LqrWeights(*([(1.0,) * arm_of(source).n] * 3))),
    "PID": lambda source: tq.independent_joint(
        source, gains(arm_of(source)), period=0.01, feedforward=Feedforward.DYNAMICS_AND_GRAVITY
    ),
    "gravity": lambda source: tq.gravity_compensation(source),
    "open loop": lambda source: feedforward_torque(source, online_gravity=True),
    "poles to gains": lambda source: tq.independent_joint(
        source, gains_from_poles(source, POLES, [0.3] * arm_of(source).n)
    ),
    "limited": lambda source: tq.with_actuator_limits(
        tq.computed_torque(source, POLES), source, efforts=[1e6] * arm_of(source).n
    ),
}


def torque(controller, signals):
    """The torques at one instant, without compiling."""
    inputs = dict(zip(SIGNALS, signals, strict=True))
    if controller.schedule is not None:
        inputs["gains"] = controller.schedule.at(0.03)
    if controller.slots:
        inputs["state"] = controller.initial_state
    return evaluate(controller.function, inputs)["tau"]


def arm_of(source):
    return source.robot if isinstance(source, Model) else source


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("law", LAWS)
def test_a_law_of_a_program_is_the_law_of_what_it_computes(name, law):
    arm = ARMS[name]
    found, expected = LAWS[law](program_model(arm)), LAWS[law](heavier(arm))
    other = LAWS[law](arm)
    signals = np.random.default_rng(3).normal(scale=0.5, size=(5, arm.n))
    tau = torque(found, signals)
    scale = np.abs(tau).max()
    assert tau == pytest.approx(torque(expected, signals), rel=1e-10, abs=1e-10 * scale)
    assert np.abs(tau - torque(other, signals)).max() > 1e-3 * scale  # the test can tell the two apart


@pytest.mark.parametrize("law", LAWS)
def test_a_law_of_an_exact_model_is_that_of_its_robot_to_the_last_operation(law):
    arm = ARMS["puma560"]
    assert LAWS[law](tq.compile(arm)).function == LAWS[law](arm).function


@pytest.mark.parametrize("name", ARMS)
def test_a_linear_model_follows_the_program(name):
    arm = ARMS[name]
    model, twin = program_model(arm), heavier(arm)
    state = np.random.default_rng(4).normal(size=(3, arm.n))
    found, expected = tq.linearize(model, *state), tq.linearize(twin, *state)
    for matrix in ("M", "C", "K"):
        assert getattr(found, matrix) == pytest.approx(getattr(expected, matrix), rel=1e-10, abs=1e-10)
    check_linear_model(model, found)
    with pytest.raises(CheckError, match="differs by"):
        check_linear_model(arm, found)
    along = linearize_along(model, *(row[None, :] for row in state))
    assert np.array_equal(along[0].K, found.K)


def test_exact_models_share_the_robots_program():
    arm = ARMS["puma560"]
    assert linear_model_function(tq.compile(arm)) == linear_model_function(arm)


def test_observer_gains_and_worst_case_follow_the_program():
    arm = ARMS["planar2r"]
    model, twin = program_model(arm), heavier(arm)
    q, qd = [0.3, 0.4], [1.0, -1.0]
    seen = [momentum_observer(source, bandwidth=30.0, period=0.01).state_at(q, qd) for source in (model, twin)]
    assert seen[0] == pytest.approx(seen[1], rel=1e-12)
    state = {"q": q, "qd": qd, "qdd": [0.5, 0.6]}
    two = [evaluate(pole_placement_gains(source, POLES), state)["G1"] for source in (model, twin)]
    assert two[0] == pytest.approx(two[1], rel=1e-10)
    poles = tq.joint_poles(arm.joint_names, POLES)
    limits = [worst_case(s, motion(arm), poles, period=0.002, points=3).intervals for s in (model, twin)]
    for factor, interval in limits[0].items():
        assert interval.upper == pytest.approx(limits[1][factor].upper, rel=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda model: tq.linearize(model, [0.0] * 6, [0.0] * 6, [0.0] * 6, rule=CLOVER),
        lambda model: tq.computed_torque(model, POLES, rule=CLOVER),
        lambda model: tq.pole_placement(model, POLES, rule=CLOVER),
        lambda model: pole_placement_gains(model, POLES, rule=CLOVER),
    ],
)
def test_a_rule_needs_the_robots_own_equations(call):
    with pytest.raises(ArgumentError, match=r"certified torque.* is a program already"):
        call(program_model(ARMS["puma560"]))
    call(Model(ARMS["puma560"], kind=ModelKind.IDENTIFIED))


def test_what_is_no_model_is_refused():
    with pytest.raises(ArgumentError, match="a robot or a model is needed, not str"):
        tq.computed_torque("arm.urdf", POLES)
