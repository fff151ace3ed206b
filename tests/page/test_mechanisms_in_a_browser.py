"""Floating bases, quaternions and closed loops in the page: moved by rows, handles and hands as the robot itself."""

from __future__ import annotations

import numpy as np
import pytest
from tests.page.browser import launched, opened
from tests.parameters.serial_arms import shared_model

import torquec as tq
from torquec.dynamics.frame_pose import body_poses, frame_pose
from torquec.page.view_page import view_page
from torquec.robot.robot import Body, Joint, JointType, Robot
from torquec.spatial import IDENTITY, Inertia, Pose

LEGGED, GRIPPER = "go1.xml", "robotiq_2f85.xml"
ROLLED = 0.6
BODIES = "() => torquec.data.bodies.map((_, k) => torquec.robot.group(k).matrixWorld.elements)"
TORQUES = (
    "() => { const s = torquec.state; return Array.from(torquec.torquesAt(torquec.model, s.q, s.qd, s.qdd).total); }"
)


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def legged():
    return shared_model(LEGGED)


@pytest.fixture(scope="module")
def page(browser, legged, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "legged.html"
    path.write_text(view_page(legged).html, encoding="utf-8")
    with opened(browser, path) as found:
        yield found
        assert found.complaints == []


def poses_agree(page, robot):
    """Every body of the picture is where the robot's kinematics puts it."""
    q = page.ask("() => Array.from(torquec.state.q)")
    for found, pose in zip(page.ask(BODIES), body_poses(robot, q), strict=True):
        matrix = np.array(found).reshape(4, 4).T
        np.testing.assert_allclose(matrix[:3, :3], pose.rotation, atol=1e-7)
        np.testing.assert_allclose(matrix[:3, 3], pose.origin, atol=1e-7)
    return q


def test_rows_move_and_turn_the_base(page, legged):
    names = page.ask("() => torquec.data.joints.slice(0, 6).map(({ name }) => name.split(' ')[1])")
    assert names == ["x", "y", "z", "roll", "pitch", "yaw"]
    page.ask(
        "() => { torquec.state.setPosition(2, 0.4); torquec.state.setPosition(3, 0.6); torquec.state.qd[4] = 0.7; }"
    )
    q = poses_agree(page, legged)
    np.testing.assert_allclose(q[:7], [0, 0, 0.4, np.cos(ROLLED / 2), np.sin(ROLLED / 2), 0, 0], atol=1e-12)
    rates = page.ask("() => Array.from(torquec.state.qd)")
    expected = tq.compile(legged).total_torque(q, rates, np.zeros(legged.nv))
    np.testing.assert_allclose(page.ask(TORQUES), expected, atol=1e-9)
    assert page.page.locator("#facts").inner_text().startswith("12 joints \u00b7 floating base")


def test_the_base_is_dragged_by_its_handles(page, legged):
    page.page.get_by_role("button", name="move the base").click()
    page.wait_for_picture()
    before = page.ask("() => Array.from(torquec.state.q.slice(0, 3))")
    at = page.ask(
        "() => { const { scene, robot } = torquec;"
        "return scene.onScreen(robot.group(0).localToWorld(scene.handPosition.clone().set(0, 0, 0))); }"
    )
    mouse = page.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    mouse.move(at["x"] + 60, at["y"] - 40, steps=4)
    mouse.up()
    q = poses_agree(page, legged)
    assert np.linalg.norm(np.subtract(q[:3], before)) > 0.02
    page.page.get_by_role("button", name="move the base").click()


def test_feet_are_dragged_while_the_base_stays(page, legged):
    page.ask("() => { torquec.state.setPosition(0, 0.3); torquec.state.setPosition(5, 1.1); }")
    base = page.ask("() => Array.from(torquec.state.q.slice(0, 7))")
    stand = "angles => { for (let k = 6; k < 18; k += 1) torquec.state.setPosition(k, angles[k % 3]); }"
    page.ask(stand, [0.1, 0.9, -1.7])
    foot = page.ask("() => torquec.hand.pose.position.toArray()")
    page.ask(stand, [0.0, 0.7, -1.5])
    missed = page.ask("p => torquec.hand.reach(torquec.hand.pose.position.clone().set(...p))", foot)
    assert missed < 1e-8
    q = poses_agree(page, legged)
    np.testing.assert_allclose(q[:7], base, atol=1e-12)
    found = page.ask("() => torquec.hand.pose.position.toArray()")
    np.testing.assert_allclose(found, foot, atol=1e-8)
    frame = page.ask("() => torquec.hand.data.frame")
    np.testing.assert_allclose(found, frame_pose(legged, frame, q).origin, atol=1e-6)


def test_closed_loops_move_together(browser, tmp_path):
    robot = shared_model(GRIPPER)
    path = tmp_path / "gripper.html"
    path.write_text(view_page(robot).html, encoding="utf-8")
    with opened(browser, path) as found:
        for value in (0.1, 0.4):
            found.ask("value => torquec.state.setPosition(0, value)", value)
            q = poses_agree(found, robot)
            expected = tq.compile(robot).total_torque(q, np.zeros(robot.nv), np.zeros(robot.nv))
            np.testing.assert_allclose(found.ask(TORQUES), expected, atol=1e-9)
        assert found.complaints == []


def test_ball_and_planar_joints_behind_a_fixed_base(browser, tmp_path):
    inertia = Inertia.from_center_of_mass(1.0, (0.1, 0.0, 0.1), ((0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.25)))
    up = Pose(IDENTITY.rotation, (0.0, 0.1, 0.3))
    joints = (Joint("cart", JointType.PLANAR, up, (0.0, 1.0, 0.0)), Joint("neck", JointType.BALL, up))
    robot = Robot("mixed", tuple(Body(f"b{k}", k - 1, joint, inertia) for k, joint in enumerate(joints)))
    path = tmp_path / "mixed.html"
    path.write_text(view_page(robot).html, encoding="utf-8")
    with opened(browser, path) as found:
        found.ask("() => [0.2, -0.1, 0.5, 0.4, -0.3, 0.8].forEach((value, k) => torquec.state.setPosition(k, value))")
        q = poses_agree(found, robot)
        np.testing.assert_allclose(np.linalg.norm(q[3:]), 1.0, atol=1e-12)
        shown = found.ask("() => torquec.data.joints.map((_, k) => torquec.state.position(k))")
        np.testing.assert_allclose(shown, [0.2, -0.1, 0.5, 0.4, -0.3, 0.8], atol=1e-12)
        assert found.complaints == []
