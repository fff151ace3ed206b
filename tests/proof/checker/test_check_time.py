"""How long a check takes: more for more points, more boxes, fewer processes and snapped angles."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from tests.proof.arms import arm, motions, programs

import torquec as tq
from torquec.proof.checker.check_time import CheckTime
from torquec.proof.checker.residual_grid import ResidualGrid
from torquec.proof.torque.certify import certify
from torquec.robot.robot import Robot


@pytest.fixture(scope="module")
def robot() -> Robot:
    return arm("planar3r")


@pytest.fixture(scope="module")
def foreseen(robot):
    return CheckTime(robot, motions(robot))


def test_points_are_those_of_the_checkers_grid(robot, foreseen):
    box = motions(robot)
    grid = ResidualGrid(robot, programs(robot, 0, 1.0)[0], box.lower, box.upper)
    assert foreseen.degrees == foreseen.degrees_of(grid.program) == grid.degrees
    assert foreseen.points(grid.degrees) == foreseen.points((0, 0, 0)) == len(grid.positions)
    assert foreseen.points((3, 3, 3)) == 7**3


def test_seconds_grow_with_points_and_points_with_seconds(foreseen):
    assert 0.0 < foreseen.of_grid(1_000) < foreseen.of_grid(100_000) < foreseen.of_grid(1_000_000)
    assert foreseen.points_in(0.0) == 0
    some = foreseen.points_in(100.0)
    assert foreseen.of_grid(some) == pytest.approx(100.0, rel=0.1)


def test_boxes_of_a_proof_take_time(robot, foreseen):
    found = certify(robot, *programs(robot, 1, 0.8), motions(robot))
    name, proof = next((name, proof) for name, proof in found.joints.items() if proof.variables)
    more = replace(proof, trees=tuple(tree * 1000 for tree in proof.trees))
    assert foreseen.of(replace(found, joints={**found.joints, name: more})) > foreseen.of(found) > 0.0


def test_more_processes_take_less_time(robot, foreseen, monkeypatch):
    several = CheckTime(robot, motions(robot), processes=4)
    monkeypatch.setattr(several, "_for_part", foreseen._for_part)
    monkeypatch.setattr(several, "_for_degrees", foreseen._for_degrees)
    assert several.of_grid(1_000_000) < foreseen.of_grid(1_000_000)


@pytest.mark.filterwarnings("ignore::torquec.errors.SnapWarning")
def test_snapped_angles_take_another_grid(tmp_path):
    link = """<link name="{name}"><inertial><mass value="2"/><origin xyz="0.1 0.02 0.3"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.12" iyz="0" izz="0.03"/></inertial></link>"""
    joint = """<joint name="j{child}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="0.1 0 0.3" rpy="1.5708 0 0"/><axis xyz="0 0 1"/>
      <limit lower="-1.5" upper="2" velocity="1.5" effort="50"/></joint>"""
    names = ["base", "one", "two"]
    parts = [link.format(name=name) for name in names[1:]]
    parts += [joint.format(parent=parent, child=child) for parent, child in pairwise(names)]
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm"><link name="base"/>{"".join(parts)}</robot>')
    snapped = tq.load(tmp_path / "arm.urdf")
    box = replace(motions(arm("planar2r")), lower=(-1.0, -1.0), upper=(1.0, 1.0))
    assert CheckTime(snapped, box)._for_snaps > 0.0
    assert CheckTime(replace(snapped, snap=False), box)._for_snaps == 0.0
