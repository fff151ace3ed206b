"""Errors at the tool, by hand for a planar arm."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from tests.simulation.arms import clock, free

import torquec
from torquec.errors import ArgumentError
from torquec.simulation.closed_loop import simulate
from torquec.simulation.tip_error import tip_error

ROBOT = torquec.classics.planar2r()


def still():
    run = simulate(ROBOT, free(ROBOT), clock(ROBOT, 0.2, 0.1))
    return dataclasses.replace(run, q=np.array([[0.1, 0.0]] * 3), q_ref=np.zeros((3, 2)))


def test_a_turn_at_the_base_moves_the_elbow_along_its_circle():
    frame = ROBOT.frames[-1].name
    _, origin = torquec.compile(ROBOT).frame_pose(frame)(np.zeros(2))
    radius = float(np.linalg.norm(origin))
    assert tip_error(ROBOT, frame, still()) == pytest.approx([2.0 * radius * math.sin(0.05)] * 3)


def test_a_frame_that_is_not_there():
    with pytest.raises(ArgumentError, match="no frame 'hand'"):
        tip_error(ROBOT, "hand", still())
