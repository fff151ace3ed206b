"""Welding: the inertia of two solids together is that of both about one frame, wherever they are welded."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import RobotFileError
from torquec.robot.robot import BASE, Body, Joint, JointType, Mimic, Robot
from torquec.robot.tree import BodyTree, resolve_mimics
from torquec.spatial import Inertia, Pose, rpy_rotation

ARM = Body("arm", BASE, Joint("hinge", JointType.CONTINUOUS), Inertia(m=1.0, xx=0.1, yy=0.2, zz=0.25))


def point(mass, x, y, z):
    return Inertia.from_center_of_mass(mass, (x, y, z), ((0.0,) * 3,) * 3)


def test_welded_points_weigh_what_they_weigh_about_the_bodys_frame():
    """Known answer: I = sum m (r'r 1 - r r') over points, r in the body's frame."""
    rng = np.random.default_rng(2)
    tree = BodyTree()
    body = tree.add(Body("arm", BASE, ARM.joint))
    expected = np.zeros((3, 3))
    for _ in range(5):
        pose = Pose(rpy_rotation(*rng.normal(size=3)), tuple(rng.normal(size=3)))
        mass, r = rng.uniform(0.1, 2.0), rng.normal(size=3)
        tree.weld(point(mass, *r), body, pose)
        seen = np.array(pose.rotation) @ r + np.array(pose.origin)
        expected += mass * (seen @ seen * np.eye(3) - np.outer(seen, seen))
    assert np.allclose(tree.bodies[body].inertia.tensor, expected, rtol=1e-13, atol=0.0)


def test_what_is_welded_to_the_base_is_the_bases_and_lacks_are_remembered():
    tree = BodyTree(point(1.0, 0.0, 0.0, 0.0), [ARM])
    tree.weld(point(2.0, 1.0, 0.0, 0.0), BASE, Pose())
    tree.weld(Inertia(), 0, Pose(), lacking=("tool",))
    robot = tree.applied_to(Robot("a", ()))
    assert robot.base_inertia.m == 3.0
    assert robot.bodies[0].lacking_inertia == ("tool",)
    assert robot.bodies[0].inertia == ARM.inertia


def test_a_chain_composes():
    mimics = {"a": Mimic("b", -2.0, 0.25), "b": Mimic("c", 0.5, 1.0), "c": Mimic("free", 3.0, -0.5)}
    resolved = resolve_mimics(mimics)["a"]
    free = 0.7
    c = 3.0 * free - 0.5
    b = 0.5 * c + 1.0
    assert resolved.joint == "free"
    assert resolved.multiplier * free + resolved.offset == pytest.approx(-2.0 * b + 0.25)


@pytest.mark.parametrize("mimics", [{"a": Mimic("a")}, {"a": Mimic("b"), "b": Mimic("c"), "c": Mimic("b")}])
def test_a_circle_is_refused(mimics):
    with pytest.raises(RobotFileError, match="circle") as caught:
        resolve_mimics(mimics, {"a": "arm.toml:9"})
    assert caught.value.where == "arm.toml:9"


def test_a_long_chain_takes_no_time():
    count = 20_000
    mimics = {f"j{k}": Mimic(f"j{k - 1}", 1.0, 1.0) for k in range(1, count)}
    assert resolve_mimics(mimics)[f"j{count - 1}"] == Mimic("j0", 1.0, count - 1.0)
