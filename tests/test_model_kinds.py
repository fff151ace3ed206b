"""Every kind of model in every consumer of linearization, control and simulation works, or is refused with a reason.

A cell that works gives the numbers of the robot that the model stands for (`tests.model_kinds`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.model import kinds
from tests.model_kinds import heavier, program_model
from tests.parameters.serial_arms import shared_model

import torquec as tq
from torquec.closedform.fourier import CLOVER
from torquec.control.controller import SIGNALS
from torquec.control.law_options import ControllerOptions, LawKind
from torquec.control.laws import make_law
from torquec.control.observer import momentum_observer
from torquec.control.pole_placement import pole_placement_gains
from torquec.errors import ArgumentError, RefusedQuantityError
from torquec.expr import evaluate, trace
from torquec.linearization.cartesian_linear_model import FrameDirection, cartesian_linear_model
from torquec.linearization.linearize import check_linear_model, linear_model_function
from torquec.model.model import Model, ModelKind
from torquec.simulation.applied_forces import HeldPayload
from torquec.simulation.plant import Dynamics, Plant
from torquec.simulation.stiffness import fastest_rate

ROBOTS = {
    "puma560": tq.classics.puma560,
    "scara": tq.classics.scara,
    "ur5": lambda: shared_model("ur5.urdf"),
    "panda with gripper": lambda: shared_model("panda.urdf"),
}
NEEDS_BODIES = "need bodies, and this model"
NEEDS_EQUATIONS = "is a program already"
NEEDS_PARAMETERS = "excites parameters of bodies"


@cache
def robot(name):
    return ROBOTS[name]()


@cache
def programs(name):
    return program_model(robot(name))


def model(name, kind):
    """A model of a kind, and the robot whose numbers it must give."""
    if not kind.follows_program:
        return Model(robot(name), kind=kind), robot(name)
    return replace(programs(name), kind=kind), heavier(robot(name))


def state(arm, rows=5):
    """Positions well within the joints' limits, speeds, accelerations."""
    rng = np.random.default_rng(7)
    q = rng.uniform(-0.5, 0.5, size=(rows, arm.n))
    for k, joint in enumerate(arm.joints):
        if joint.type.is_prismatic:
            q[:, k] *= 0.05
    return q


def law(kind):
    def run(source, arm):
        motion = tq.minimum_jerk(*state(arm)[:2] * 0.1, 0.05, joints=arm.joint_names, period=0.01)
        options = ControllerOptions(period=0.002) if kind is LawKind.PID else ControllerOptions()
        made = make_law(source, kind, options, trajectory=motion)
        inputs = dict(zip(SIGNALS, state(arm), strict=True))
        inputs |= {"gains": made.schedule.at(0.02)} if made.schedule is not None else {}
        inputs |= {"state": made.initial_state} if made.slots else {}
        return evaluate(made.function, inputs)["tau"]

    return run


def linear(source, arm):
    q, qd, qdd = state(arm)[:3]
    found = evaluate(linear_model_function(source), {"q": q, "qd": qd, "qdd": qdd})
    return np.concatenate([found[name].ravel() for name in ("M", "C", "K")])


def checked(source, arm):
    found = tq.linearize(source, *state(arm)[:3])
    check_linear_model(source, found)
    return found.A


def tool(arm):
    """A frame on the last body."""
    return next(frame.name for frame in reversed(arm.frames) if frame.body == len(arm.bodies) - 1)


def cartesian(source, arm):
    found = tq.linearize(source, *state(arm)[:3])
    if arm.n > len(FrameDirection):
        with pytest.raises(ArgumentError, match=f"for {arm.n} joints"):
            cartesian_linear_model(source, found, tool(arm))
        return found.M
    ways = (
        [FrameDirection.X, FrameDirection.Y, FrameDirection.Z, FrameDirection.TURN_Z][: arm.n]
        if arm.n < 6
        else list(FrameDirection)
    )
    return cartesian_linear_model(source, found, tool(arm), directions=ways).M


def gains(source, arm):
    q, qd, qdd = state(arm)[:3]
    return evaluate(pole_placement_gains(source, -12 + 45j), {"q": q, "qd": qd, "qdd": qdd})["G1"]


def observer(source, arm):
    q, qd = state(arm)[:2]
    return momentum_observer(source, bandwidth=20.0, period=0.01).state_at(q, qd)


def plant(source, arm):
    """Accelerations of the plant, with friction, springs and an unknown load."""
    q, qd, tau = state(arm)[:3].tolist()
    return Dynamics(Plant(source, forces=(HeldPayload(tool(arm), 1.0),))).acceleration([*q, *qd], tau)


def steps(source, arm):
    return fastest_rate(Plant(source), state(arm)[0]).rate


CONSUMERS = {
    "linearize": linear,
    "check_linear_model": checked,
    "cartesian_linear_model": cartesian,
    "pole_placement_gains": gains,
    "momentum_observer": observer,
    "Plant": plant,
    "fastest_rate": steps,
    **{f"law {kind.value}": law(kind) for kind in LawKind},
}

REFUSED_FOR_PROGRAMS = {
    "abbreviated linear model": (lambda s, arm: linear_model_function(s, rule=CLOVER), NEEDS_EQUATIONS),
    "abbreviated CT1": (lambda s, arm: tq.pole_placement(s, -5, rule=CLOVER), NEEDS_EQUATIONS),
    "abbreviated CT2": (lambda s, arm: tq.computed_torque(s, -5, rule=CLOVER), NEEDS_EQUATIONS),
    "excitation": (lambda s, arm: tq.excitation(s, options=tq.ExcitationOptions(evaluations=1)), NEEDS_PARAMETERS),
    "monte carlo": (lambda s, arm: Plant(s, varies=True), NEEDS_BODIES),
}

QUICK = {("scara", kind) for kind in ModelKind} | {("puma560", ModelKind.CERTIFIED_TORQUE)}
CELLS = [
    pytest.param(name, kind, marks=() if (name, kind) in QUICK else pytest.mark.slow)
    for name in ROBOTS
    for kind in ModelKind
]


@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize(("name", "kind"), CELLS)
def test_it_works(name, kind, consumer):
    source, like = model(name, kind)
    found, expected = (np.asarray(CONSUMERS[consumer](one, like), dtype=float) for one in (source, like))
    assert np.isfinite(found).all()
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-7 * max(1.0, float(np.abs(expected).max())))


@pytest.mark.parametrize("row", REFUSED_FOR_PROGRAMS)
@pytest.mark.parametrize("kind", list(ModelKind))
def test_it_is_refused_with_its_reason(kind, row):
    source, arm = model("puma560", kind)
    call, reason = REFUSED_FOR_PROGRAMS[row]
    if not kind.follows_program:
        call(source, arm)
        return
    with pytest.raises(ArgumentError, match=reason) as refused:
        call(source, arm)
    assert kind.value in refused.value.found
    assert refused.value.remedy


REAL = [
    pytest.param(name, kind, marks=() if name == "scara" else pytest.mark.slow)
    for name in kinds.ROBOTS
    for kind in ModelKind
]


@pytest.mark.parametrize(("name", "kind"), REAL)
def test_models_as_their_makers_give_them(name, kind):
    """The kinds of the model room itself, with friction and a spring: consumers agree with the model's quantities."""
    source = kinds.model_of(name, kind)
    arm = source.robot
    q, qd, qdd = (0.3 * row for row in state(arm)[:3])
    for joint, k in zip(arm.joints, range(arm.n), strict=True):
        q[k] = 0.05 if joint.type.is_prismatic else q[k]
    linear_model = tq.linearize(source, q, qd, qdd)
    assert pytest.approx(np.array(source.at("mass_matrix", q.tolist())), abs=1e-12) == linear_model.M
    check_linear_model(source, linear_model)
    total = np.array(source.at("total_torque", q.tolist(), qd.tolist(), qdd.tolist()))
    for kind_of_law in (LawKind.POLE_PLACEMENT, LawKind.COMPUTED_TORQUE, LawKind.OPEN_LOOP):
        tau = evaluate(make_law(source, kind_of_law).function, dict(zip(SIGNALS, (q, qd, qdd, q, qd), strict=True)))
        assert tau["tau"] == pytest.approx(total, rel=1e-9, abs=1e-9)  # on the reference, a law is its model
    if source.refusal("forward_dynamics"):
        with pytest.raises(RefusedQuantityError, match="cannot be a plant"):
            Dynamics(Plant(source)).acceleration([*q, *qd], total)
        return
    moving = Plant(source, friction="sign")
    found = Dynamics(moving).acceleration([*q.tolist(), *qd.tolist()], total.tolist())
    assert np.array(found, dtype=float) == pytest.approx(qdd, rel=1e-6, abs=1e-6)  # what asks for qdd gets qdd


def test_a_model_without_forward_dynamics_is_no_plant():
    """Two joints that feel only the sum of their accelerations: M is singular everywhere."""
    arm = tq.classics.planar2r()
    ports = dict.fromkeys(("q", "qd", "qdd"), (2,))
    program = trace("inverse_dynamics", lambda q, qd, qdd: {"tau": [qdd[0] + qdd[1], qdd[0] + qdd[1]]}, ports)
    source = Model(arm, {"inverse_dynamics": program}, kind=ModelKind.ABBREVIATED)
    law = tq.computed_torque(source, -5, period=0.01)  # as a controller's model it serves
    motion = tq.minimum_jerk([0.0] * 2, [0.1] * 2, 0.1, joints=arm.joint_names, period=0.01)
    with pytest.raises(RefusedQuantityError, match=r"\(abbreviated\) cannot be a plant: M could not be proven"):
        tq.simulate(source, law, motion)
    with pytest.raises(RefusedQuantityError, match="cannot be a plant"):
        Dynamics(Plant(source)).acceleration([0.0] * 4, [0.0] * 2)
    tq.simulate(arm, law, motion)
