"""Shapes from numbers: capsules join the joints, ellipsoids have the inertia that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.page.robot_shapes import floor_height, inertia_ellipsoid, robot_shapes, robot_size
from torquec.robot import classics
from torquec.robot.robot import BASE, Body, Joint, JointType
from torquec.robot.visual import ShapeKind
from torquec.spatial import Inertia


def test_the_ellipsoid_has_the_bodys_inertia():
    """(2) of the module, turned around: I = m/5 (b^2 + c^2) about each axis, in the body's axes."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        half = rng.uniform(0.1, 1.0, 3)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        moments = (
            np.array([half[1] ** 2 + half[2] ** 2, half[0] ** 2 + half[2] ** 2, half[0] ** 2 + half[1] ** 2]) * 0.4
        )
        tensor = turn @ np.diag(moments) @ turn.T
        rows = tuple(tuple(row) for row in tensor)
        body = Body("b", BASE, Joint("j", JointType.REVOLUTE), Inertia.from_center_of_mass(2.0, (0.3, -1.0, 0.2), rows))
        found = inertia_ellipsoid(body)
        rotation, (a, b, c) = np.array(found.rotation), found.axes
        again = rotation @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ rotation.T * 0.4
        np.testing.assert_allclose(again, tensor, atol=1e-12)
        assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_a_body_without_mass_has_no_ellipsoid():
    assert inertia_ellipsoid(Body("b", BASE, Joint("j", JointType.REVOLUTE))) is None


@pytest.mark.parametrize("name", ["planar2r", "puma560", "scara", "stanford"])
def test_capsules_end_where_the_next_joint_is(name):
    robot = getattr(classics, name)()
    shapes = robot_shapes(robot)
    ends = {
        (shape.body, tuple(np.round(2.0 * np.array(shape.pose.origin), 9)))
        for shape in shapes
        if shape.kind is ShapeKind.CAPSULE or shape.body == BASE
    }
    size = robot_size(robot)
    for body in robot.bodies:
        end = np.array(body.joint.placement.origin)
        if np.linalg.norm(end) > 0.02 * size:
            assert (body.parent, tuple(np.round(end, 9))) in ends
    housings = [shape.body for shape in shapes if shape.kind is ShapeKind.CYLINDER and shape.body != BASE]
    assert housings == [k for k, body in enumerate(robot.bodies) if not body.joint.type.is_prismatic]
    for shape in shapes:
        rotation = np.array(shape.pose.rotation)
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_bodies_with_shapes_of_their_own_are_left_out():
    robot = classics.puma560()
    kept = robot_shapes(robot, without=frozenset(range(BASE, robot.n - 1)))
    assert {shape.body for shape in kept} == {robot.n - 1}


def test_the_floor_lies_below_everything():
    robot = classics.puma560()
    assert floor_height(robot, [0.0] * 6) < -0.3 * robot_size(robot)  # its base frame is the shoulder
    pendulum = classics.planar2r()
    assert floor_height(pendulum, [0.0] * 2) <= 0.0


def test_a_rod_slides_through_its_block():
    """At both limits and between them, the block on the parent is somewhere along the rod."""
    robot = classics.scara()
    index = next(k for k, body in enumerate(robot.bodies) if body.joint.type.is_prismatic)
    body = robot.bodies[index]
    shapes = robot_shapes(robot)
    (block,) = [shape for shape in shapes if shape.kind is ShapeKind.BOX]
    assert block.body == body.parent
    np.testing.assert_allclose(block.pose.origin, body.joint.placement.origin)
    (rod,) = [shape for shape in shapes if shape.body == index and shape.kind is ShapeKind.CAPSULE][-1:]
    for q in (body.joint.limits.lower, 0.0, body.joint.limits.upper):
        at = -q * np.array(body.joint.axis) - np.array(rod.pose.origin)
        assert np.linalg.norm(at) <= 0.5 * rod.sizes[1] + 1e-12
