"""Units that nobody states: guessed where the numbers leave no doubt, and told."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.robot import classics
from torquec.trajectory.log import Pathology, Severity
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.log_units import looks_like_degrees
from torquec.trajectory.read_log import read_log

ROBOT = classics.puma560()
T = 0.01 * np.arange(300)
Q = np.stack([(0.4 + 0.1 * j) * np.sin((1.0 + 0.2 * j) * T) for j in range(6)], axis=1)
QD = np.gradient(Q, T, axis=0)


def written(tmp_path, t=T, q=Q, qd=QD, time="t"):
    np.savez(tmp_path / "log.npz", **{time: t}, q=q, dq=qd, tau=np.ones_like(Q))
    return tmp_path / "log.npz"


def guesses(log):
    return [f for f in log.findings if f.kind is Pathology.UNITS and f.severity is Severity.WARNING]


def test_si_units_are_not_questioned(tmp_path):
    log = read_log(written(tmp_path), ROBOT)
    assert guesses(log) == []
    assert np.array_equal(log.q, Q)
    assert any("positions in rad (assumed)" in finding.text for finding in log.findings)


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "ms"), (1e6, "us"), (1e9, "ns")])
def test_stamps_in_a_smaller_unit(tmp_path, factor, unit):
    log = read_log(written(tmp_path, t=1.7e9 * factor + T * factor), ROBOT)
    assert np.allclose(log.t - log.t[0], T, atol=1e-5)
    assert f'time_unit = "{unit}"' in guesses(log)[0].remedy
    assert guesses(log)[0].column == "t"


@pytest.mark.parametrize("speeds", ["deg", "rad"])
def test_degrees_and_the_unit_of_their_speeds(tmp_path, speeds):
    log = read_log(written(tmp_path, q=np.degrees(Q), qd=np.degrees(QD) if speeds == "deg" else QD), ROBOT)
    assert np.allclose(log.q, Q)
    assert np.allclose(log.qd, QD)
    assert f"{speeds}/s" in guesses(log)[0].text


def test_what_a_map_or_a_header_states_is_not_guessed(tmp_path):
    log = read_log(written(tmp_path, q=np.degrees(Q)), ROBOT, log_map=LogMap(angle_unit="rad"))
    assert guesses(log) == []
    log = read_log(written(tmp_path, t=1e3 * T, time="time_ms"), ROBOT)
    assert guesses(log) == []
    assert np.allclose(log.t, T)


def test_positions_of_motors_are_not_taken_for_degrees(tmp_path):
    log = read_log(written(tmp_path, q=100.0 * Q), ROBOT, log_map=LogMap(gear_ratios=(100.0,) * 6))
    assert guesses(log) == []
    assert np.allclose(log.q, Q)


def test_a_turn_too_many_is_not_a_degree():
    q = Q.copy()
    q[:, 0] += 2.0 * np.pi + 2.0
    assert looks_like_degrees(ROBOT, ROBOT.joint_names, q)[1] is None
