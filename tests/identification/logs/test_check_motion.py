"""Positions and speeds against themselves: units by their ratio, wraps, rest."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from torquec.identification.logs.check_motion import check_positions, check_rest, check_slowness, check_speeds
from torquec.identification.logs.clean_rows import log_motion
from torquec.robot import classics
from torquec.trajectory.log import Log, Pathology, Severity

ROBOT = classics.planar2r()
T = 0.002 * np.arange(4000)
Q = np.stack([np.sin(1.3 * T), 0.8 * np.cos(0.7 * T)], axis=1)
QD = np.stack([1.3 * np.cos(1.3 * T), -0.56 * np.sin(0.7 * T)], axis=1)
LOG = Log(ROBOT.joint_names, T, Q, np.ones_like(Q), QD)


def test_a_clean_motion_says_nothing():
    motion = log_motion(LOG)
    found = [
        *check_positions(ROBOT, LOG, motion),
        *check_speeds(LOG, motion),
        *check_slowness(ROBOT, LOG, motion),
        *check_rest(LOG, motion),
    ]
    assert found == []


@pytest.mark.parametrize(
    ("factor", "key"),
    [
        (180.0 / np.pi, 'speed_unit = "deg"'),
        (np.pi / 180.0, 'speed_unit = "rad"'),
        (1e3, '"ms"'),
        (1e6, '"us"'),
        (7.0, "check the units"),
    ],
)
def test_the_size_of_speeds_tells_units(factor, key):
    found = check_speeds(dataclasses.replace(LOG, qd=factor * QD), log_motion(LOG))
    assert [f.kind for f in found] == [Pathology.UNITS] * 2
    assert key in found[0].remedy


def test_exchanged_and_negated_speeds():
    found = check_speeds(dataclasses.replace(LOG, qd=QD[:, ::-1]), log_motion(LOG))
    assert [f.kind for f in found] == [Pathology.PERMUTED] * 2
    (found,) = check_speeds(dataclasses.replace(LOG, qd=QD * [1.0, -1.0]), log_motion(LOG))
    assert found.kind is Pathology.NEGATED
    assert ROBOT.joint_names[1] in found.column


def test_every_wrap_is_a_span():
    q = Q.copy()
    q[1000:2000, 0] += 2.0 * np.pi
    log = dataclasses.replace(LOG, q=q)
    (found,) = check_positions(ROBOT, log, log_motion(log))
    assert found.severity is Severity.ERROR
    assert found.spans == ((999, 1000), (1999, 2000))


def test_a_wrap_in_degrees():
    q = np.degrees(Q)
    q[1000:, 0] -= 360.0
    log = dataclasses.replace(LOG, q=q)
    found = [f for f in check_positions(ROBOT, log, log_motion(log)) if f.kind is Pathology.WRAP]
    assert "degrees" in found[0].text


def test_parts_at_rest_are_spans():
    rows = np.clip(np.arange(6000), 0, 2000) + np.clip(np.arange(6000) - 4000, 0, None)
    log = dataclasses.replace(LOG, t=0.002 * np.arange(6000), q=Q[rows], qd=None, tau=np.ones((6000, 2)))
    (found,) = check_rest(log, log_motion(log))
    assert found.severity is Severity.NOTE
    assert len(found.spans) == 1
    assert abs(found.spans[0][0] - 2000) < 100
    assert abs(found.spans[0][1] - 4000) < 100
