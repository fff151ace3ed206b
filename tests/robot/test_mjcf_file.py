"""Inertias from meshes, on request: what MuJoCo's compiler makes of them, and which files are read."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from torquec.errors import ArgumentError, RobotFileError
from torquec.robot.load import load

pytest.importorskip("mujoco")

ARM = """<mujoco model="arm">
  <compiler meshdir="parts"/>
  <asset><mesh name="bar" file="{file}" scale="1 1 2"/></asset>
  <default><default class="heavy"><geom type="mesh" density="500" mesh="bar"/></default></default>
  <worldbody>
    <body name="link" pos="0 0 1">
      <joint name="hinge" axis="0 1 0"/>
      <geom class="heavy" pos="0.1 0 0"/>
      <geom type="sphere" size="0.1" mass="0.5"/>
    </body>
  </worldbody>
</mujoco>
"""


def box_stl(half=(0.1, 0.2, 0.15)) -> bytes:
    """A box about the origin, as binary STL."""
    corners = np.array([[(k >> a & 1) * 2 - 1 for a in range(3)] for k in range(8)]) * half
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [corners[[q[i] for i in t]] for q in quads for t in ((0, 1, 2), (0, 2, 3))]
    body = b"".join(struct.pack("<3f", 0, 0, 0) + t.astype("<f4").tobytes() + b"\0\0" for t in triangles)
    return b"\0" * 80 + struct.pack("<I", len(triangles)) + body


@pytest.fixture
def robot_file(tmp_path):
    (tmp_path / "robot" / "parts").mkdir(parents=True)
    (tmp_path / "robot" / "parts" / "bar.stl").write_bytes(box_stl())
    path = tmp_path / "robot" / "arm.xml"
    path.write_text(ARM.format(file="bar.stl"))
    return path


def test_a_box_weighs_what_its_volume_does(robot_file):
    robot = load(robot_file, mesh_inertia=True)
    mass = 500.0 * 0.2 * 0.4 * 0.6
    assert robot.bodies[0].inertia.m == pytest.approx(mass + 0.5, rel=1e-6)
    np.testing.assert_allclose(robot.bodies[0].inertia.center_of_mass, [0.1 * mass / (mass + 0.5), 0, 0], atol=1e-6)
    (told,) = [warning for warning in robot.warnings if warning.about == "link"]
    assert "comes from the mesh 'bar', by MuJoCo's compiler" in told.text


def test_without_the_request_no_mesh_is_opened(robot_file):
    with pytest.raises(RobotFileError, match="takes its inertia from a mesh") as refused:
        load(robot_file)
    assert "--mesh-inertia" in refused.value.remedy


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("../../stolen.stl", "outside of the robot's folder"),
        ("gone.stl", "no such file"),
        ("bar.dae", "is not a mesh format that MuJoCo reads"),
    ],
)
def test_meshes_that_are_not_read(robot_file, tmp_path, file, message):
    (tmp_path / "stolen.stl").write_bytes(box_stl())
    robot_file.write_text(ARM.format(file=file))
    with pytest.raises(RobotFileError, match=message):
        load(robot_file, mesh_inertia=True)


def test_a_link_out_of_the_folder_is_refused(robot_file, tmp_path):
    (tmp_path / "stolen.stl").write_bytes(box_stl())
    (robot_file.parent / "parts" / "linked.stl").symlink_to(tmp_path / "stolen.stl")
    robot_file.write_text(ARM.format(file="linked.stl"))
    with pytest.raises(RobotFileError, match="outside of the robot's folder"):
        load(robot_file, mesh_inertia=True)


def test_other_formats_have_no_such_inertias(tmp_path):
    with pytest.raises(ArgumentError, match="mesh_inertia is for MJCF"):
        load(tmp_path / "arm.urdf", mesh_inertia=True)
