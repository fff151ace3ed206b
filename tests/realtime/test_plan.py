"""What headers of two-rate packages say of the age of coefficients: no error of the instant stands alone."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot
from tests.model.kinds import MODELS, model_of, motions_of

import torquec as tq
from torquec.errors import SnapWarning
from torquec.project.package_steps import plan_document
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.hold_search import search_hold_error
from torquec.realtime.package import write_two_rate_package
from torquec.realtime.plan import HeldErrors, held_errors_text, hold_bound, plan_background
from torquec.robot.robot import Counterbalance, Spring
from torquec.simplification.specification import load_specification, parse_specification
from torquec.trajectory.motion_box import MotionBox

TEXT = "[every_joint]\nvelocity = 1\nacceleration = 2\njerk = 30\ntorque_error = 0.5"


def header(folder, name):
    return " ".join((folder / name).read_text().replace("\n *", " ").split("*/")[0].split())


def test_the_document_of_a_plan_has_its_errors():
    arm = tq.classics.planar2r()
    plan = plan_background(arm, parse_specification(TEXT, arm), order="zeroth", latency=0.001)
    assert HeldErrors.of_document(plan_document(plan)) == plan.errors
    assert HeldErrors.from_dict(plan.errors.to_dict()) == plan.errors
    assert "witness" not in dataclasses.replace(plan.errors, witness=None).to_dict()
    assert plan.errors.age == plan.period + 0.001
    assert [a + b for a, b in zip(plan.errors.model, plan.errors.held, strict=True)] == pytest.approx(list(plan.total))


def test_a_certified_header_says_that_its_errors_are_of_the_instant(tmp_path):
    write_two_rate_package(model_of("scara", tq.ModelKind.CERTIFIED_TORQUE), tmp_path)
    found = header(tmp_path, "scara_simplified_rt.h")
    assert "The errors above are with coefficients of the very instant. A cycle uses older ones" in found
    assert found.index("at most 1 N") < found.index("Box:") < found.index("of the very instant")
    assert "torquec realtime plan bounds it" in found


def test_the_sum_stands_beside_the_errors_of_the_instant():
    robot = tq.classics.planar2r()
    errors = HeldErrors(robot.joint_names, 0.015, 0.005, tq.HoldOrder.FIRST, (6.5, 0.0), (85.5000001, 0.25))
    lines = held_errors_text(robot, errors, certified=True).splitlines()
    assert "With first order, background period 15 ms, coefficients at most 20 ms old," in lines[1]
    assert lines[2].endswith("at most 92.0001 N m = 6.5 of the model + 85.5001 of holding")
    assert lines[3].endswith("at most 0.25 N m")


def test_an_abbreviated_model_has_errors_of_its_own():
    robot = tq.classics.planar2r()
    errors = HeldErrors(robot.joint_names, 0.015, 0.005, tq.HoldOrder.FIRST, (0.0, 0.0), (0.5, 0.25))
    said = "errors of the abbreviated model itself add to these, and no bound of them is proven"
    assert said in held_errors_text(robot, errors, certified=False, kind=tq.ModelKind.ABBREVIATED)
    assert said not in held_errors_text(robot, errors, certified=False)


def test_an_exact_model_without_a_plan_says_what_is_missing(tmp_path):
    write_two_rate_package(tq.classics.planar2r(), tmp_path)
    assert "Coefficients that are held add an error: torquec realtime plan bounds it" in header(
        tmp_path, "planar2r_rt.h"
    )


SNAPPED = """<robot name="arm"><link name="base"/>
<link name="one"><inertial><origin xyz="0.3 0 0.1"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.12" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="one"/><origin rpy="4e-5 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-1.5" upper="2" velocity="1.5" effort="50"/></joint></robot>
"""


def test_snapped_angles_of_an_exact_model_are_in_its_plan_and_header(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(SNAPPED)
    with pytest.warns(SnapWarning):
        robot = tq.load(path)
    specification = parse_specification(TEXT, robot)
    plan = plan_background(robot, specification, search=False)
    q, zero = np.linspace(-1.5, 2.0, 50)[:, None], np.zeros((50, 1))
    torques = [
        tq.compile(dataclasses.replace(robot, snap=snap)).inverse_dynamics(q, zero, zero) for snap in (True, False)
    ]
    found = np.abs(torques[0] - torques[1]).max()
    assert 1e-5 < found <= plan.proven[0] < 3.0 * found
    write_two_rate_package(robot, tmp_path / "rt", plan=plan)
    assert re.search(r"at most \S+ N m = \S+ of snapped angles \+ \S+ of holding", header(tmp_path / "rt", "arm_rt.h"))
    exact = dataclasses.replace(robot, snap=False)
    assert plan_background(exact, specification, search=False).proven.tolist() == [0.0]


def test_the_recommended_period_is_the_longest():
    arm = tq.classics.planar2r()
    plan = plan_background(arm, parse_specification(TEXT, arm), search=False)
    assert plan.period == plan.recommended[HoldOrder.FIRST]
    assert np.all(plan.total <= plan.allowed)
    longer = plan_background(arm, parse_specification(TEXT, arm), period=1.01 * plan.period, search=False)
    assert np.any(longer.total > longer.allowed)
    assert plan.recommended[HoldOrder.ZEROTH] < plan.recommended[HoldOrder.FIRST]


def test_latency_is_age_too():
    arm = tq.classics.planar2r()
    plain, late = (plan_background(arm, parse_specification(TEXT, arm), latency=x, search=False) for x in (0.0, 0.004))
    assert late.period == pytest.approx(plain.period - 0.004)
    np.testing.assert_allclose(late.total, plain.total)


def test_a_certificate_takes_its_part_and_the_header_says_so(tmp_path):
    model = model_of("scara", tq.ModelKind.CERTIFIED_TORQUE)
    text = "[every_joint]\nvelocity = 1\nacceleration = 2\njerk = 20\ntorque_error = 3"
    specification = parse_specification(text, model.robot)
    with pytest.raises(tq.ArgumentError, match="does not cover"):
        plan_background(model, specification, search=False)
    box = model.record.motions
    inside = dataclasses.replace(specification, box=box.positions)
    plan = plan_background(model, inside, period=0.005, search=False)
    assert np.all(plan.proven == 1.0)  # what the certificate of this test says
    np.testing.assert_allclose(plan.total, 1.0 + plan.held(HoldOrder.FIRST))
    write_two_rate_package(model, tmp_path, plan=plan)
    header = " ".join((tmp_path / "scara_simplified_rt.h").read_text().replace("\n *", " ").split())
    (stated,) = re.findall(rf"{model.robot.joint_names[0]}: at most (\S+) N m = 1 of the model", header)
    assert plan.total[0] <= float(stated) < plan.total[0] * (1.0 + 1.1e-5)


def test_without_torque_errors_nothing_is_recommended():
    arm = tq.classics.planar2r()
    text = "[every_joint]\nvelocity = 1\nacceleration = 2\n[coefficients]\nthreshold = 0.01"
    plan = plan_background(arm, parse_specification(text, arm), search=False)
    assert plan.recommended == {HoldOrder.ZEROTH: None, HoldOrder.FIRST: None}
    assert plan.period == 0.02


ORDERS = tuple(HoldOrder)


def robot_box(robot):
    """The joints' own limits."""
    return tq.compile(robot).box


def first_joints(motions, count):
    """The box of the first joints alone."""
    return MotionBox(*(part[:count] for part in dataclasses.astuple(motions)))


def within(bound, source, motions, age, jerk=None, most=3.0, samples=4000):
    found = search_hold_error(source, motions, age, jerk=jerk, samples=samples)
    for order, errors in zip(ORDERS, (found.zeroth, found.first), strict=True):
        limit = bound.at(age, order)
        assert np.all(errors <= limit * (1.0 + 1e-9) + 1e-12), order
        assert np.all(limit <= most * errors + 1e-9), order


def test_a_pendulum_by_hand():
    # tau = m l^2 qdd + m g l cos q: holding for T errs by m g l |cos q - cos q0|, at most m g l v T.
    arm = tq.lock_joints(tq.classics.planar2r(), {"joint2": 0.0})
    motions = MotionBox((-3.0,), (3.0,), (2.0,), (5.0,))
    slope = np.abs(tq.compile(arm).gravity_torque(np.linspace(-3.2, 3.2, 20001)[:, None])).max()
    bound = hold_bound(arm, motions, jerk=[10.0])
    assert bound.at(1e-3, HoldOrder.ZEROTH)[0] == pytest.approx(slope * 2.0 * 1e-3, rel=0.01)
    assert bound.at(1e-3, HoldOrder.FIRST)[0] == pytest.approx(0.5 * slope * (2.0 * 1e-3) ** 2, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["puma560", "ur5", "panda"])
def test_at_most_three_times_what_is_found(name):
    if name != "puma560" and not (MODELS / f"{name}.urdf").exists():
        pytest.skip(f"{name}.urdf is not here")
    robot = tq.classics.puma560() if name == "puma560" else tq.load(MODELS / f"{name}.urdf")
    if name == "panda":
        robot = tq.lock_joints(robot, {"panda_finger_joint1": 0.0})
    motions = load_specification(f"examples/specifications/{name}_torque.toml", robot).motions
    jerk = [50.0] * robot.n
    bound = hold_bound(robot, motions, jerk=jerk)
    for age in (1e-3, 2e-2):
        within(bound, robot, motions, age, jerk)


@pytest.mark.parametrize("seed", range(4))
def test_random_robots(seed):
    robot = random_robot(seed, bodies=3, mimic=False)
    n = robot.n
    motions = MotionBox((-0.5,) * n, (0.5,) * n, (1.0,) * n, (3.0,) * n)
    for jerk in (None, [20.0] * n):
        bound = hold_bound(robot, motions, jerk=jerk)
        found = search_hold_error(robot, motions, 5e-3, jerk=jerk, samples=2000)
        assert np.all(found.zeroth <= bound.at(5e-3, HoldOrder.ZEROTH) * (1.0 + 1e-9) + 1e-12)
        assert np.all(found.first <= bound.at(5e-3, HoldOrder.FIRST) * (1.0 + 1e-9) + 1e-12)


def test_a_classic_arm_is_bounded_closely():
    robot = tq.classics.stanford()
    n = robot.n
    motions = MotionBox(robot_box(robot).lower, robot_box(robot).upper, (1.0,) * n, (3.0,) * n)
    robot, motions = tq.lock_joints(robot, dict.fromkeys(robot.joint_names[3:], 0.3)), first_joints(motions, 3)
    within(hold_bound(robot, motions, jerk=[30.0] * 3), robot, motions, 5e-3, [30.0] * 3)


def test_jumping_accelerations_leave_first_order_a_part_in_proportion():
    arm = tq.classics.planar2r()
    motions = MotionBox((-1.0, -2.0), (1.0, 2.0), (1.0, 1.0), (2.0, 2.0))
    jumping, smooth = hold_bound(arm, motions), hold_bound(arm, motions, jerk=[30.0, 30.0])
    ratio = jumping.at(1e-3, HoldOrder.FIRST) / jumping.at(1e-4, HoldOrder.FIRST)
    assert np.all(ratio < 11.0)
    assert np.all(smooth.at(1e-3, HoldOrder.FIRST) <= 0.1 * smooth.at(1e-3, HoldOrder.ZEROTH) + 1e-12)
    within(jumping, arm, motions, 1e-3)


def test_a_certified_model_is_bounded_by_its_own_program():
    model = model_of("scara", tq.ModelKind.CERTIFIED_TORQUE)
    motions = motions_of(model.robot)
    bound = hold_bound(model, motions, jerk=[20.0] * model.robot.n)
    found = search_hold_error(model, motions, 5e-3, jerk=[20.0] * model.robot.n, samples=2000)
    assert np.all(found.zeroth <= bound.at(5e-3, HoldOrder.ZEROTH) * (1.0 + 1e-9) + 1e-12)


def test_springs_count():
    arm = tq.classics.planar2r()
    first, second = arm.bodies
    sprung = dataclasses.replace(second, joint=dataclasses.replace(second.joint, spring=Spring(40.0)))
    motions = MotionBox((-1.0, -2.0), (1.0, 2.0), (1.0, 1.0), (2.0, 2.0))
    with_spring = hold_bound(dataclasses.replace(arm, bodies=(first, sprung)), motions)
    more = with_spring.at(1e-3, HoldOrder.ZEROTH) - hold_bound(arm, motions).at(1e-3, HoldOrder.ZEROTH)
    np.testing.assert_allclose(more, [0.0, 0.04], atol=1e-12)


def test_misuse():
    arm = tq.classics.planar2r()
    with pytest.raises(tq.ArgumentError, match="no speeds"):
        hold_bound(arm, MotionBox((-1.0, -1.0), (1.0, 1.0)))
    motions = MotionBox((-1.0, -1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0))
    with pytest.raises(tq.ArgumentError, match="jerks"):
        hold_bound(arm, motions, jerk=[1.0])
    with pytest.raises(tq.ArgumentError, match="age"):
        hold_bound(arm, motions).at(-1.0, HoldOrder.FIRST)
    geared = random_robot(3, bodies=3)  # one joint follows another by a factor that is no integer
    with pytest.raises(tq.RobotError, match="not trigonometric polynomials"):
        hold_bound(geared, MotionBox((-1.0,) * 2, (1.0,) * 2, (1.0,) * 2, (1.0,) * 2))
    body = arm.bodies[0]
    gas = dataclasses.replace(body.joint, counterbalances=(Counterbalance(0.5, 0.1, preload=10.0),))
    heavy = dataclasses.replace(arm, bodies=(dataclasses.replace(body, joint=gas), arm.bodies[1]))
    with pytest.raises(tq.RobotError, match="counterbalance"):
        hold_bound(heavy, motions)


def test_a_bound_of_zeroth_order_holds_for_two_samples(monkeypatch):
    """M and g are published by one task, c by another: where one is older, its part of the drift stands alone."""
    robot = random_robot(23, bodies=3, mimic=False, motors=False, types=("revolute",))
    box = MotionBox((-1.0,) * 3, (1.0,) * 3, (1.0, 2.0, 0.1), (5.0, 0.1, 20.0))
    found = {}
    for samples in (("Mgc",), ("Mg",), ("c",), ("Mgc", "Mg", "c")):
        monkeypatch.setattr("torquec.proof.hold.held_torque_bound._SAMPLES", samples)
        bound = hold_bound(robot, box, jerk=(1.0,) * 3)
        found[samples] = np.stack([bound.drift, bound.free_drift])
    *alone, whole = found.values()
    np.testing.assert_allclose(whole, np.max(alone, axis=0), rtol=1e-6)
    assert np.all(alone[0] <= (alone[1] + alone[2]) * (1.0 + 1e-3) + 1e-12)
    assert np.any(np.maximum(alone[1], alone[2]) > 1.005 * alone[0])
