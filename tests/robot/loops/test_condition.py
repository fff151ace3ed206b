"""Go and no-go: open loops, singular configurations, other branches."""

from __future__ import annotations

import dataclasses
import math
import shutil

import numpy as np
import pytest
from tests.dynamics.loop_oracle import EXAMPLES
from tests.dynamics.test_closed_loops import mechanism

import torquec as tq
from torquec.robot.loops.close_loops import close_loops
from torquec.robot.loops.condition import check_loops, loop_condition


def test_a_regular_configuration_is_closed_and_well_conditioned():
    found = loop_condition(mechanism("five_bar"), [2.0, 1.1])
    assert found.is_closed
    assert not found.is_singular
    assert found.same_branch
    assert found.problem == ""
    assert found.condition < 100.0


def test_a_five_bar_whose_elbows_meet_is_singular():
    """Known answer: both arms are 0.2 m long, 0.16 m apart, and meet above the middle."""
    robot = mechanism("five_bar")
    meeting = [math.acos(0.4), math.pi - math.acos(0.4)]
    assert loop_condition(robot, meeting).problem != ""
    with pytest.raises(tq.ArgumentError, match="cannot be at this position"):
        check_loops(robot, meeting)


def test_a_rocker_at_its_dead_centre_is_singular_and_open_beyond(tmp_path):
    """Known answer: crank and coupler are in line where the rocker's end is 0.35 + 0.9 m from the crank's axis."""
    shutil.copy(EXAMPLES / "four_bar.urdf", tmp_path / "four_bar.urdf")
    text = (EXAMPLES / "four_bar.loops.toml").read_text()
    (tmp_path / "four_bar.loops.toml").write_text('independent = ["rocker_joint"]\n' + text)
    robot = tq.load(tmp_path / "four_bar.urdf")

    def reach(angle):
        return math.hypot(1.0 + 0.6 * math.cos(angle - 1.2), 0.1 - 0.6 * math.sin(angle - 1.2))

    low, high = tq.neutral(robot)[0], tq.neutral(robot)[0] + 1.5
    assert reach(low) < 1.25 < reach(high)
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if reach(middle) < 1.25 else (low, middle)
    assert loop_condition(robot, [low - 0.3]).problem == ""
    conditions = [loop_condition(robot, [low - gap]).condition for gap in (0.3, 0.1, 0.03)]
    assert conditions == sorted(conditions)
    beyond = loop_condition(robot, [low + 0.05])
    assert not beyond.is_closed
    assert "do not close" in beyond.problem
    assert loop_condition(robot, [low]).problem != ""
    assert np.isfinite(tq.compile(robot).inverse_dynamics([low - 0.1], [1.0], [1.0])).all()


def test_the_other_assembly_mode_is_another_branch():
    """Newton steps that start near the five-bar's other assembly mode close the loops, with another sign of det J_d."""
    robot = mechanism("five_bar")
    loops = robot.loops
    other = {"left_joint": 2.0, "left_elbow": 2.6, "right_joint": 1.1, "right_elbow": -2.6}  # rods folded downward
    mirrored = close_loops(robot.tree, dataclasses.replace(loops.file, start=tuple(other.items()))).loops.start
    apart = np.array(mirrored) - np.array(loops.start)
    guesses = tuple(
        dataclasses.replace(
            each, powers=((0, 0),), coefficients=(float(apart[each.rate]),), periodic=(False, False), windings=(0, 0)
        )
        for each in loops.predictions
    )
    turned = dataclasses.replace(robot, loops=dataclasses.replace(loops, predictions=guesses, newton_steps=8))
    found = loop_condition(turned, [2.0, 1.1])
    assert found.is_closed
    assert not found.is_singular
    assert not found.same_branch
    assert "another branch" in found.problem


def test_trees_are_always_closed():
    robot = mechanism("palletizer").tree
    assert loop_condition(robot, [0.0] * robot.n).problem == ""
