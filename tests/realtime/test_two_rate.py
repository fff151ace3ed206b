"""Two rates together give what the model gives at once: every kind of model and robot, every parameter."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state
from tests.model.kinds import model_of, robot_of

import torquec as tq
from torquec.dynamics.total_torque import total_torque
from torquec.expr import count_operations, evaluate
from torquec.realtime.two_rate import FrictionTask, TwoRateFunctions, two_rate
from torquec.robot.friction import Friction

TASKS = tuple(FrictionTask)


def call(functions: TwoRateFunctions, name, **inputs):
    """One function, with the inputs that it takes."""
    function = functions.functions[name]
    return evaluate(function, {port.name: np.asarray(inputs[port.name]) for port in function.inputs})


def constants(functions, **given):
    """The constants of the model's own parameters, some of them changed."""
    if not functions.groups:
        return {}
    own = call(functions, "nominal_parameters")
    return call(functions, "update_parameters", **{**own, **given})


def zeroth(functions, q, qd, qdd, **prepared):
    """Both rates at one state."""
    state = {"q": q, "qd": qd, "qdd": qdd, **prepared}
    held = {**call(functions, "background_inertia", **state), **call(functions, "background_velocity", **state)}
    if "background_friction" in functions.functions:
        gravity, c = held["gravity"], held["velocity"]
        rigid = held["M"] @ qdd + gravity + c
        held |= call(functions, "background_friction", **state, rigid=rigid)
    held |= call(functions, "hold", **held)
    return call(functions, "synchronous", **{**state, **held})["tau"]


def first(functions, q0, qd0, qdd0, q, qd, qdd, **prepared):
    """Both rates of the first order, the background at the state 0."""
    found = call(functions, "background_first_order", q=q0, qd=qd0, qdd=qdd0, **prepared)
    return call(functions, "synchronous_first_order", q0=q0, qd0=qd0, q=q, qd=qd, qdd=qdd, **found, **prepared)["tau"]


# --- known counts ---------------------------------------------------------------------------------------------------


def test_a_load_costs_the_synchronous_task_nothing_and_no_division():
    """Counts beside those of Izaguirre et al. are in tests/papers/test_izaguirre_comparisons.py."""
    plain, loaded = (
        {name: count_operations(f) for name, f in two_rate(tq.classics.puma260(), update=update).functions.items()}
        for update in ([], ["load"])
    )
    assert loaded["synchronous"] == plain["synchronous"]
    assert loaded["background_inertia"].div == loaded["background_velocity"].div == 0


# --- laws -----------------------------------------------------------------------------------------------------------


SLOW = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 30)]


@pytest.mark.parametrize("seed", [*range(3), *SLOW])
@pytest.mark.parametrize("task", TASKS)
def test_both_rates_at_one_state_are_the_total_torque(seed, task):
    robot = random_robot(seed, bodies=1 + seed % 5)
    functions = two_rate(robot, friction=task)
    s = random_state(robot, seed, size=1)
    q, qd, qdd = s.q[0], s.qd[0], s.qdd[0]
    expected = np.array(total_torque(robot, list(q), list(qd), list(qdd)), dtype=float)
    if task is FrictionTask.NONE:
        expected = expected - tq.compile(robot).friction_torque(qd)
    scale = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(zeroth(functions, q, qd, qdd), expected, atol=1e-10 * scale)
    np.testing.assert_allclose(first(functions, q, qd, qdd, q, qd, qdd), expected, atol=1e-10 * scale)


@pytest.mark.parametrize("seed", [1, *SLOW])
def test_what_the_first_order_misses_is_of_second_order(seed):
    robot = random_robot(seed, bodies=4)
    functions = two_rate(robot, friction="none")
    s = random_state(robot, seed, size=2)
    exact = tq.compile(robot)
    error = []
    for h in (1e-2, 1e-3):
        q, qd, qdd = (a[0] + h * a[1] for a in (s.q, s.qd, s.qdd))
        wanted = exact.inverse_dynamics(q, qd, qdd) + exact.spring_torque(q)
        error.append(np.abs(first(functions, s.q[0], s.qd[0], s.qdd[0], q, qd, qdd) - wanted).max())
    assert error[1] < 2e-2 * error[0] + 1e-9


@pytest.mark.parametrize("seed", [0, 1, *SLOW])
def test_a_load_at_run_time_is_the_payload_of_another_robot(seed):
    robot = random_robot(seed, bodies=4, mimic=False)
    frame = robot.frames[-1].name
    mass, center, tensor = 1.7, (0.1, -0.2, 0.05), np.diag([0.02, 0.03, 0.04])
    functions = two_rate(robot, update=[f"load:{frame}"], friction="none")
    made = call(functions, "load_parameters", mass=mass, center=center, inertia=tensor)["load"]
    port = functions.groups[0].port
    other = tq.compile(tq.attach_payload(robot, frame, mass=mass, center=center, inertia=tensor.tolist()))
    _agree(functions, other, random_state(robot, seed, 1), constants(functions, **{port: made}))


@pytest.mark.parametrize("seed", [0, 1, *SLOW])
def test_any_parameter_can_change(seed):
    robot = random_robot(seed, bodies=4)
    words = ["gravity", "friction", "body2", *(["rotors"] if robot.drives.motors else [])]
    functions = two_rate(robot, update=words)
    state = random_state(robot, seed, 1)
    _agree(functions, tq.compile(robot), state, constants(functions), friction=True)
    gravity, body = (1.0, -2.0, 3.0), tuple(np.linspace(0.5, 1.5, 10))
    changed = {"gravity": gravity, "body2": body}
    group = next(g for g in functions.groups if g.word == "friction")
    changed["friction"] = np.linspace(0.1, 0.9, len(group.parameters))
    bodies = list(robot.bodies)
    bodies[2] = dataclasses.replace(bodies[2], inertia=type(bodies[2].inertia)(*body))
    values = {p.name: v for p, v in zip(group.parameters, changed["friction"], strict=True)}

    def law(name, old):
        found = dict(old.further)
        for parameter, value in values.items():
            word, _, owner = parameter.partition(f"_{name}")
            if parameter == f"{word}_{name}" and not owner:
                found[word] = value
        return Friction.of(found)

    bodies = [
        dataclasses.replace(b, joint=dataclasses.replace(b.joint, friction=law(b.joint.name, b.joint.friction)))
        for b in bodies
    ]
    motors = []
    for m in robot.drives.motors:
        rubs = m.friction != Friction()
        motors.append(dataclasses.replace(m, friction=law(m.name, m.friction) if rubs else m.friction))
    if robot.drives.motors:
        rotors = np.linspace(0.01, 0.05, len(motors))
        changed["rotors"] = rotors
        motors = [dataclasses.replace(m, rotor_inertia=float(r)) for m, r in zip(motors, rotors, strict=True)]
    other = dataclasses.replace(
        robot,
        bodies=tuple(bodies),
        gravity=gravity,
        drives=dataclasses.replace(robot.drives, motors=tuple(motors)),
    )
    _agree(functions, tq.compile(other), state, constants(functions, **changed), friction=True)


@pytest.mark.parametrize("kind", tq.ModelKind)
def test_every_kind_of_model_has_both_rates(kind):
    model = model_of("scara", kind)
    functions = two_rate(model)
    _agree(functions, model, random_state(model.robot, 3, 1), {}, friction=True)


@pytest.mark.parametrize("kind", tq.ModelKind)
def test_a_change_of_a_simplified_model_is_the_exact_change(kind):
    model = model_of("scara", kind)
    # tau_model(changed) - tau_model = tau_exact(changed) - tau_exact: the bound of a certificate stays one.
    frame = model.robot.frames[-1].name
    functions = two_rate(model, update=[f"load:{frame}", "gravity"], friction="none")
    s = random_state(model.robot, 4, 1)
    state = s.q[0], s.qd[0], s.qdd[0]
    gravity = (2.0, 1.0, -8.0)
    made = call(functions, "load_parameters", mass=1.2, center=(0.1, 0.0, 0.2), inertia=np.eye(3) * 0.01)["load"]
    changed = constants(functions, gravity=gravity, **{functions.groups[0].port: made})
    heavier = tq.attach_payload(
        model.robot, frame, mass=1.2, center=(0.1, 0.0, 0.2), inertia=(np.eye(3) * 0.01).tolist()
    )
    other, exact = tq.compile(dataclasses.replace(heavier, gravity=gravity)), tq.compile(model.robot)
    change = other.inverse_dynamics(*state) - exact.inverse_dynamics(*state)
    for rates in (zeroth, lambda f, *x, **k: first(f, *x, *x, **k)):
        found = rates(functions, *state, **changed) - rates(functions, *state, **constants(functions))
        np.testing.assert_allclose(found, change, atol=1e-9)


def test_load_friction_reads_the_rigid_torques():
    robot = robot_of("puma560")
    first_body, *others = robot.bodies
    rubbing = Friction.of({"load": 0.2, "coulomb": 0.1})
    body = dataclasses.replace(first_body, joint=dataclasses.replace(first_body.joint, friction=rubbing))
    robot = dataclasses.replace(robot, bodies=(body, *others))
    _agree(two_rate(robot), tq.compile(robot), random_state(robot, 5, 1), {}, friction=True)
    with pytest.raises(tq.ArgumentError, match="springs"):
        two_rate(robot, friction="synchronous")


def _agree(functions, model, state, prepared, *, friction=False):
    q, qd, qdd = state.q[0], state.qd[0], state.qdd[0]
    expected = (
        model.total_torque(q, qd, qdd) if friction else model.inverse_dynamics(q, qd, qdd) + model.spring_torque(q)
    )
    atol = 1e-9 * (1.0 + np.abs(expected).max())
    np.testing.assert_allclose(zeroth(functions, q, qd, qdd, **prepared), expected, atol=atol)
    np.testing.assert_allclose(first(functions, q, qd, qdd, q, qd, qdd, **prepared), expected, atol=atol)


def test_closed_loops_have_both_rates():
    arm = tq.load(Path(__file__).parents[2] / "examples" / "closed_loops" / "delta.urdf")
    exact, functions = tq.compile(arm), two_rate(arm)
    q, qd, qdd, dq = [0.3, 0.5, 0.4], [0.5, -1.0, 0.8], [2.0, 1.0, -3.0], np.array([2e-4, -1e-4, 3e-4])
    wanted = exact.inverse_dynamics(q, qd, qdd)
    assert np.abs(zeroth(functions, q, qd, qdd) - wanted).max() < 1e-10
    assert np.abs(first(functions, q, qd, qdd, q, qd, qdd) - wanted).max() < 1e-10
    near = first(functions, q, qd, qdd, q + dq, qd, qdd) - exact.inverse_dynamics(q + dq, qd, qdd)
    assert np.abs(near).max() < 1e-3 * np.abs(exact.inverse_dynamics(q + dq, qd, qdd) - wanted).max()
    with pytest.raises(tq.RobotError, match="closed loops"):
        two_rate(arm, update=["load"])


# --- misuse ---------------------------------------------------------------------------------------------------------


def test_wrong_words_are_refused():
    arm = tq.classics.planar2r()
    with pytest.raises(tq.ArgumentError, match="order of the hold"):
        two_rate(arm, order="second")
    with pytest.raises(tq.ArgumentError, match="task of friction"):
        two_rate(arm, friction="sometimes")
    with pytest.raises(tq.ArgumentError, match="no changeable 'loda'"):
        two_rate(arm, update=["loda"])
