"""Every pathology on a log that shows it, and no alarm on clean logs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import real_logs
from tests.identification.clean_logs import clean_log

from torquec.identification.logs.check_log import check_log, check_log_pieces
from torquec.robot import classics
from torquec.trajectory.log import Log, Pathology, Severity
from torquec.trajectory.read_log import read_log_chunks


@pytest.fixture(scope="module")
def clean_pieces():
    return clean_log(ROBOT, seconds=40.0)


def pieces(log, rows=1000):
    for k in range(0, len(log), rows):
        part = slice(k, k + rows)
        yield Log(
            log.joints,
            log.t[part],
            log.q[part],
            log.tau[part],
            None if log.qd is None else log.qd[part],
            first_line=k + 2,
            first_row=k,
        )


def alarms_pieces(found):
    return [f for f in found if f.severity is not Severity.NOTE]


def test_a_clean_log_raises_no_alarm_pieces(clean_pieces):
    assert alarms_pieces(check_log_pieces(ROBOT, pieces(clean_pieces))) == []


@pytest.mark.parametrize("case", ["panda", pytest.param("lwr4", marks=pytest.mark.slow)])
def test_recorded_logs_raise_no_alarm_pieces(case):
    robot, logs = getattr(real_logs, case)()
    assert alarms_pieces(check_log_pieces(robot, read_log_chunks(logs[0].source, robot, rows=2500))) == []


def test_rows_are_those_of_the_whole_also_between_pieces(clean_pieces):
    t, q, tau = clean_pieces.t.copy(), clean_pieces.q.copy(), clean_pieces.tau.copy()
    t[1000:] += 0.5  # between the first and the second piece
    q[1700:1703, 2] = np.nan
    q[3200:, 1] += 2.0 * np.pi
    tau[2100:2130, 0] = 2.0 * np.abs(tau[:, 0]).max()
    log = dataclasses.replace(clean_pieces, t=t, q=q, tau=tau)
    whole = {(f.kind, f.column): f.rows for f in alarms_pieces(check_log(ROBOT, log))}
    found = {(f.kind, f.column): f for f in alarms_pieces(check_log_pieces(ROBOT, pieces(log)))}
    assert {key: finding.rows for key, finding in found.items()} == whole
    assert {kind for kind, _ in whole} == {
        Pathology.GAP, Pathology.NAN_ROWS, Pathology.WRAP, Pathology.SATURATION,
    }  # fmt: skip
    assert found[Pathology.GAP, "t"].lines == (1001, 1002)


def test_a_piece_at_rest_is_a_note_and_does_not_hide_a_fault(clean_pieces):
    rest = np.clip(np.arange(5000), 0, 1000) + np.clip(np.arange(5000) - 2000, 0, None)  # rows 1000 .. 2000 are one
    still = np.zeros((5000, 1))
    still[[*range(1000), *range(2001, 5000)]] = 1.0
    log = dataclasses.replace(
        clean_pieces,
        t=0.01 * np.arange(5000),
        q=clean_pieces.q[rest],
        qd=clean_pieces.qd[rest] * still,
        tau=clean_pieces.tau[rest] * [1, -1, 1, 1, 1, 1],
    )
    found = check_log_pieces(ROBOT, pieces(log))
    assert [f.severity for f in found if f.kind is Pathology.STANDSTILL] == [Severity.NOTE]
    assert [f.kind for f in alarms_pieces(found)] == [Pathology.NEGATED]


ROBOT = classics.puma560()


@pytest.fixture(scope="module")
def clean():
    return clean_log(ROBOT)


def alarms(robot, log):
    return {f.kind: f for f in check_log(robot, log) if f.severity is not Severity.NOTE}


def changed(log, **fields):
    return dataclasses.replace(log, **{name: np.array(values) for name, values in fields.items()})


def test_a_clean_log_raises_no_alarm(clean):
    assert alarms(ROBOT, clean) == {}


@pytest.mark.parametrize("case", ["panda", "lwr4", "kr300", "tx40"])
def test_recorded_logs_raise_no_alarm(case):
    robot, logs = getattr(real_logs, case)()
    assert alarms(robot, logs[0]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("case", ["lwr4", "kr300"])
def test_further_recorded_logs_raise_no_alarm(case):
    robot, logs = getattr(real_logs, case)()
    assert alarms(robot, logs[1]) == {}


def test_missing_values(clean):
    q = clean.q.copy()
    q[40:45, 2] = np.nan
    found = alarms(ROBOT, changed(clean, q=q))
    assert found[Pathology.NAN_ROWS].rows == (40, 44)
    assert ROBOT.joint_names[2] in found[Pathology.NAN_ROWS].column


def test_a_gap(clean):
    keep = np.r_[0:300, 360 : len(clean)]
    short = changed(clean, t=clean.t[keep], q=clean.q[keep], qd=clean.qd[keep], tau=clean.tau[keep])
    assert alarms(ROBOT, short)[Pathology.GAP].rows == (299, 300)


@pytest.mark.parametrize("case", ["panda", "lwr4", "kr300", "tx40"])
def test_a_gap_in_a_recorded_log_is_all_that_is_found(case):
    robot, logs = getattr(real_logs, case)()
    keep = np.r_[0:1000, 1400 : len(logs[0])]
    cut = {name: getattr(logs[0], name)[keep] for name in ("t", "q", "tau")}
    qd = None if logs[0].qd is None else logs[0].qd[keep]
    found = alarms(robot, dataclasses.replace(logs[0], **cut, qd=qd, others={}))
    assert set(found) == {Pathology.GAP}
    assert found[Pathology.GAP].rows == (999, 1000)


def test_repeated_and_backward_stamps(clean):
    t = clean.t.copy()
    t[50] = t[49]
    assert alarms(ROBOT, changed(clean, t=t))[Pathology.DUPLICATE_STAMPS].rows == (49, 50)
    t = clean.t.copy()
    t[70] = t[60]
    assert set(alarms(ROBOT, changed(clean, t=t))) == {Pathology.BACKWARD_STAMPS}


def test_jitter_is_a_note(clean):
    rng = np.random.default_rng(0)
    log = changed(clean, t=clean.t + rng.uniform(0.0, 0.004, len(clean)))
    assert Pathology.JITTER in {f.kind for f in check_log(ROBOT, log)}
    assert alarms(ROBOT, log) == {}


def test_encoder_wrap(clean):
    q = clean.q.copy()
    q[400:, 1] -= 2.0 * np.pi
    found = alarms(ROBOT, changed(clean, q=q))[Pathology.WRAP]
    assert found.rows == (399, 400)
    assert ROBOT.joint_names[1] in found.column


def test_a_wrapped_encoder_of_a_geared_motor(clean):
    q = np.sin(0.5 * np.arange(4000) * 1e-3)[:, None] * np.ones(6)
    log = Log(ROBOT.joint_names, 1e-3 * np.arange(4000), q, np.ones((4000, 6)))
    assert Pathology.WRAP not in alarms(ROBOT, log)
    wrapped = q.copy()
    wrapped[1500:, 3] -= 2.0 * np.pi / 100.0
    found = alarms(ROBOT, dataclasses.replace(log, q=wrapped))[Pathology.WRAP]
    assert found.rows == (1499, 1500)
    assert "0.0633" in found.text or "0.0624" in found.text


def test_a_joint_that_rarely_moves_does_not_wrap(clean):
    q = clean.q.copy()
    q[:, 2] = 0.3
    q[500:506, 2] += 0.01 * np.sin(np.linspace(0.0, np.pi, 6))
    assert Pathology.WRAP not in alarms(ROBOT, dataclasses.replace(clean, q=q, qd=None))


def test_permuted_and_negated_speeds(clean):
    qd = clean.qd[:, [1, 0, 2, 3, 4, 5]]
    assert Pathology.PERMUTED in alarms(ROBOT, changed(clean, qd=qd))
    found = alarms(ROBOT, changed(clean, qd=clean.qd * [1, 1, -1, 1, 1, 1]))[Pathology.NEGATED]
    assert ROBOT.joint_names[2] in found.column


def test_permuted_and_negated_torques(clean):
    tau = clean.tau[:, [0, 2, 1, 3, 4, 5]]
    assert Pathology.PERMUTED in alarms(ROBOT, changed(clean, tau=tau))
    found = alarms(ROBOT, changed(clean, tau=clean.tau * [1, -1, 1, 1, 1, 1]))[Pathology.NEGATED]
    assert ROBOT.joint_names[1] in found.column


def test_degrees(clean):
    log = changed(clean, q=np.degrees(clean.q), qd=np.degrees(clean.qd))
    assert "degrees" in alarms(ROBOT, log)[Pathology.UNITS].text
    assert "degrees" in alarms(ROBOT, changed(clean, qd=np.degrees(clean.qd)))[Pathology.UNITS].text


def test_milliseconds(clean):
    assert 'time_unit = "ms"' in alarms(ROBOT, changed(clean, t=clean.t * 1000.0))[Pathology.UNITS].remedy


def test_milliseconds_at_five_kilohertz(clean):
    """Steps of 0.2 could be seconds, but no robot moves a thousand times slower than it can."""
    t = 0.2 * np.arange(len(clean))
    slow = dataclasses.replace(clean, t=t, q=clean.q[0] + 0.3 * np.sin(0.002 * t)[:, None], qd=None)
    assert 'time_unit = "ms"' in alarms(ROBOT, slow)[Pathology.UNITS].remedy


def test_torques_of_the_motors(clean):
    found = alarms(ROBOT, changed(clean, tau=clean.tau / 100.0))[Pathology.UNITS]
    assert "gear_ratios" in found.remedy


@pytest.mark.parametrize("gravity", [(9.81, 0.0, 0.0), (0.0, -9.81, 0.0)])
def test_wrong_gravity(gravity):
    hung = dataclasses.replace(ROBOT, gravity=gravity)
    assert Pathology.GRAVITY in alarms(ROBOT, clean_log(ROBOT, torque_robot=hung))


def test_standstill(clean):
    still = changed(clean, q=np.repeat(clean.q[:1], len(clean), axis=0), qd=np.zeros_like(clean.qd))
    assert alarms(ROBOT, still)[Pathology.STANDSTILL].severity is Severity.ERROR
    q, qd = clean.q.copy(), clean.qd.copy()
    q[600:], qd[600:] = q[600], 0.0
    found = [f for f in check_log(ROBOT, changed(clean, q=q, qd=qd)) if f.kind is Pathology.STANDSTILL]
    assert found[0].severity is Severity.NOTE


def test_saturation(clean):
    top = 0.6 * np.abs(clean.tau[:, 1]).max()
    tau = clean.tau.copy()
    tau[:, 1] = np.clip(tau[:, 1], -top, top)
    found = alarms(ROBOT, changed(clean, tau=tau))[Pathology.SATURATION]
    assert ROBOT.joint_names[1] in found.column


def test_torques_that_are_saturated_nearly_throughout(clean):
    """A joint that moves at its largest or smallest torque in 89 % of the samples."""
    top = np.percentile(np.abs(clean.tau[:, 1]), 11.0)
    tau = clean.tau.copy()
    tau[:, 1] = np.clip(tau[:, 1], -top, top)
    found = alarms(ROBOT, changed(clean, tau=tau))[Pathology.SATURATION]
    assert ROBOT.joint_names[1] in found.column
    assert "in 89% of the samples" in found.text


def test_a_torque_that_holds_a_joint_still_is_not_saturated(clean):
    """Most of the log at rest under one torque, the largest: what a brake test looks like."""
    q, qd, tau = clean.q.copy(), clean.qd.copy(), clean.tau.copy()
    q[300:], qd[300:] = q[300], 0.0
    tau[300:] = np.abs(tau).max(axis=0) + 1.0
    assert Pathology.SATURATION not in alarms(ROBOT, changed(clean, q=q, qd=qd, tau=tau))


def test_positions_beyond_limits(clean):
    q = clean.q.copy()
    q[:, 1] += ROBOT.joints[1].limits.upper + 0.3 - q[:, 1].max()
    found = alarms(ROBOT, changed(clean, q=q))[Pathology.LIMITS]
    assert ROBOT.joint_names[1] in found.column
    assert found.severity is Severity.WARNING
    assert "beyond the limits -3.892 to 0.7505 rad" in found.text
    assert found.rows is not None
    worst = int(np.argmax(q[:, 1]))
    assert found.rows[0] <= worst <= found.rows[1]
    q[:, 1] -= 0.3 - 0.01 * (ROBOT.joints[1].limits.upper - ROBOT.joints[1].limits.lower)
    assert Pathology.LIMITS not in alarms(ROBOT, changed(clean, q=q))  # as far as a soft limit is passed


def test_a_wild_stamp_leaves_the_rest_to_be_checked(clean):
    t = clean.t.copy()
    t[6] = 1e9
    assert set(alarms(ROBOT, changed(clean, t=t))) == {Pathology.BACKWARD_STAMPS}
    assert len(alarms(ROBOT, changed(clean, t=t, tau=-clean.tau))) > 1  # signs or gravity, too


def test_stamps_out_of_order_are_not_called_missing_values(clean):
    t = np.tile([0.02, 0.01, 0.0], len(clean))[: len(clean)]
    found = alarms(ROBOT, changed(clean, t=t))
    assert Pathology.NAN_ROWS not in found
    assert found[Pathology.BACKWARD_STAMPS].severity is Severity.ERROR
    assert "rise in time" in found[Pathology.BACKWARD_STAMPS].text
