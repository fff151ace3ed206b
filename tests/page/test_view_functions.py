"""What the page computes: the model's own functions, and steps that bring a hand where it is pulled."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.dynamics.arms import gripper, pendulum
from tests.model_kinds import program_model

from torquec.dynamics.frame_pose import frame_pose
from torquec.expr import evaluate
from torquec.model.model import Model
from torquec.page.view_functions import bent_posture, free_posture, torque_quantity, view_functions, view_hands
from torquec.robot import classics
from torquec.robot.friction import Friction
from torquec.robot.robot import Body, Frame, Joint, JointType, Robot
from torquec.spatial import IDENTITY, Inertia, Pose


def reached(robot, hand, q, target):
    for _ in range(60):
        q = evaluate(hand.step or hand.place, {"q": q, "rotation": target.rotation, "position": target.origin})["moved"]
    return frame_pose(robot, hand.frame.name, list(q))


def test_a_hand_with_six_joints_reaches_place_and_direction():
    robot = classics.puma560()
    (hand,) = view_hands(Model(robot))
    assert (hand.frame.name, hand.turns, hand.rank) == ("link6", True, 3)
    target = frame_pose(robot, "link6", [0.3, -0.8, 0.5, 0.4, 0.7, -0.2])
    found = reached(robot, hand, np.array([0.1, -0.5, 0.3, 0.2, 0.5, 0.1]), target)
    np.testing.assert_allclose(found.origin, target.origin, atol=1e-9)
    np.testing.assert_allclose(found.rotation, target.rotation, atol=1e-9)


def test_a_hand_with_fewer_joints_reaches_the_place():
    robot = classics.planar3r()
    (hand,) = view_hands(Model(robot))
    assert not hand.turns
    assert hand.rank == 2
    target = frame_pose(robot, hand.frame.name, [0.3, 0.8, 0.5])
    turned = Pose(IDENTITY.rotation, target.origin)  # the direction is not asked for
    found = reached(robot, hand, np.array([0.1, 0.3, 0.2]), turned)
    np.testing.assert_allclose(found.origin, target.origin, atol=1e-9)


def arm_with_fingers():
    """Three joints, then two fingers on the third body."""
    inertia = Inertia.from_center_of_mass(1.0, (0.0, 0.0, 0.1), ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))
    up = Pose(IDENTITY.rotation, (0.0, 0.0, 0.3))
    axes = [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0)]
    parents = [-1, 0, 1, 2, 2]
    types = [JointType.REVOLUTE] * 3 + [JointType.PRISMATIC] * 2
    bodies = tuple(
        Body(f"b{k}", parent, Joint(f"j{k}", kind, up, axis), inertia)
        for k, (parent, axis, kind) in enumerate(zip(parents, axes, types, strict=True))
    )
    return Robot("fingers", bodies, frames=tuple(Frame(f"b{k}", k) for k in range(5)))


def test_fingers_belong_to_their_hand():
    assert [hand.frame.name for hand in view_hands(Model(arm_with_fingers()))] == ["b2"]


def test_what_a_coupled_joint_moves_is_no_hand():
    assert [hand.frame.name for hand in view_hands(Model(gripper()))] == []


def test_a_robot_without_inertias_has_kinematics_and_says_why():
    robot = classics.puma560()
    bodies = tuple(dataclasses.replace(b, inertia=Inertia(), lacking_inertia=(b.name,)) for b in robot.bodies)
    found = view_functions(Model(dataclasses.replace(robot, bodies=bodies)))
    assert found.dynamics == ()
    assert "no inertia" in found.no_dynamics
    assert len(found.hands) == 1


def test_torques_are_the_models_own_and_the_exact_ones_stand_beside_them():
    model = program_model(classics.planar2r())
    by_name = {function.name: function for function in view_functions(model).all}
    state = {"q": [0.3, -0.4], "qd": [1.0, 0.5], "qdd": [0.2, -0.7]}
    own, exact = (evaluate(by_name[name], state)["tau"] for name in ("torque", "exact_torque"))
    np.testing.assert_allclose(own, model.inverse_dynamics(*state.values()), rtol=1e-12)
    np.testing.assert_allclose(exact, model.exact.inverse_dynamics(*state.values()), rtol=1e-12)
    assert not np.allclose(own, exact, rtol=1e-3)


def test_friction_and_springs_are_part_of_the_torque():
    assert torque_quantity(pendulum()) == "inverse_dynamics"
    body = pendulum().bodies[0]
    rough = dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=Friction.symmetric(viscous=1.0)))
    assert torque_quantity(dataclasses.replace(pendulum(), bodies=(rough,))) == "total_torque"


@pytest.mark.parametrize("name", ["puma560", "scara", "stanford"])
def test_classics_have_a_hand(name):
    assert len(view_hands(Model(getattr(classics, name)()))) == 1


@pytest.mark.parametrize("name", ["planar3r", "puma560", "stanford", "scara"])
def test_the_hand_is_free_where_a_page_starts(name):
    robot = getattr(classics, name)()
    hands = view_hands(Model(robot))
    q = np.array(bent_posture(robot, hands))
    for joint, value in zip(robot.joints, q, strict=True):
        assert joint.limits.lower <= value <= joint.limits.upper
    jacobian = np.asarray(evaluate(hands[0].jacobian, {"q": q})["J"])[:3]
    values = np.linalg.svd(jacobian, compute_uv=False)
    assert values[hands[0].rank - 1] > 0.05 * values[0]


def test_a_robot_with_several_hands_stands_as_its_file_has_it():
    robot = classics.puma560()
    hands = view_hands(Model(robot))
    limits = dataclasses.replace(robot.bodies[0].joint.limits, lower=0.2, upper=2.0)
    body = dataclasses.replace(robot.bodies[0], joint=dataclasses.replace(robot.bodies[0].joint, limits=limits))
    q = bent_posture(dataclasses.replace(robot, bodies=(body, *robot.bodies[1:])), hands * 2)
    assert q == [0.2, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_a_free_posture_is_away_from_limits_and_singularities():
    robot = classics.puma560()
    (hand,) = view_hands(Model(robot))
    q = np.array(free_posture(robot, hand))
    room = [min(v - j.limits.lower, j.limits.upper - v) for j, v in zip(robot.joints, q, strict=True)]
    assert min(room) > 0.3
    jacobian = np.asarray(evaluate(hand.jacobian, {"q": q})["J"])
    assert np.linalg.svd(jacobian, compute_uv=False)[-1] > 0.1
