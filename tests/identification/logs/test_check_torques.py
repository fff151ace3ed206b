"""Faults that only the robot's own model can tell, on simulated and on recorded logs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import real_logs
from tests.identification.clean_logs import clean_log

import torquec as tq
from torquec.identification.logs.check_log import check_log
from torquec.identification.logs.check_torques import check_torques
from torquec.identification.logs.clean_rows import log_motion
from torquec.robot import classics
from torquec.trajectory.log import Pathology, Severity

MODELS = real_logs.DATA / "models"


def alarms(robot, log):
    return [f for f in check_log(robot, log) if f.severity is not Severity.NOTE]


def turned(log, joint, *kinds):
    signs = np.where(np.arange(log.n) == joint, -1.0, 1.0)
    return dataclasses.replace(
        log,
        q=log.q * signs if "q" in kinds else log.q,
        qd=log.qd * signs if "q" in kinds and log.qd is not None else log.qd,
        tau=log.tau * signs if "tau" in kinds else log.tau,
    )


def exchanged(log, j, k, *kinds):
    order = np.arange(log.n)
    order[[j, k]] = order[[k, j]]
    return dataclasses.replace(
        log,
        q=log.q[:, order] if "q" in kinds else log.q,
        qd=log.qd[:, order] if "q" in kinds and log.qd is not None else log.qd,
        tau=log.tau[:, order] if "tau" in kinds else log.tau,
    )


SLIDE = 2
"""The prismatic joint of the Stanford arm."""


@pytest.fixture(scope="module")
def stanford():
    robot = classics.stanford()
    return robot, clean_log(robot)


@pytest.mark.parametrize("kinds", [("tau",), ("q",), ("q", "tau")])
@pytest.mark.parametrize("joint", [0, 2, 4])
def test_a_negated_joint_is_named(stanford, joint, kinds):
    robot, log = stanford
    found = alarms(robot, turned(log, joint, *kinds))
    leaves = joint == SLIDE and "q" in kinds  # its range has no negative positions
    assert [f.kind for f in found] == [Pathology.LIMITS] * leaves + [Pathology.NEGATED]
    assert robot.joint_names[joint] in found[-1].column
    assert found[-1].remedy


@pytest.mark.parametrize("kinds", [("tau",), ("q",), ("q", "tau")])
def test_exchanged_joints_are_named(stanford, kinds):
    robot, log = stanford
    found = alarms(robot, exchanged(log, 1, 3, *kinds))
    assert [f.kind for f in found] == [Pathology.PERMUTED]
    assert robot.joint_names[1] in found[0].column
    assert robot.joint_names[3] in found[0].text


def test_two_faults_are_both_named(stanford):
    robot, log = stanford
    found = alarms(robot, turned(turned(log, 1, "tau"), 4, "q"))
    assert {f.kind for f in found} == {Pathology.NEGATED}
    assert {robot.joint_names[1], robot.joint_names[4]} == {f.column.split(" of ")[1] for f in found}


def test_small_motions_in_degrees_are_told_by_the_torques():
    robot = classics.puma560()
    log = clean_log(robot)
    small = dataclasses.replace(log, q=np.degrees(0.08 * log.q), qd=np.degrees(0.08 * log.qd))
    tau = np.asarray(tq.compile(robot).inverse_dynamics(0.08 * log.q, 0.08 * log.qd, 0.0 * log.q))
    found = alarms(robot, dataclasses.replace(small, tau=tau))
    assert [f.kind for f in found] == [Pathology.UNITS]
    assert 'angle_unit = "deg"' in found[0].remedy


def test_fast_stamps_in_milliseconds_are_told_by_the_torques():
    """5 kHz in milliseconds are steps of 0.2, which could be seconds."""
    robot = classics.puma560()
    log = clean_log(robot)
    slow = dataclasses.replace(log, t=20.0 * log.t, qd=None)
    fast = np.asarray(
        tq.compile(robot).inverse_dynamics(log.q, 50.0 * log.qd, 2500.0 * np.gradient(log.qd, log.t, axis=0))
    )
    found = alarms(robot, dataclasses.replace(slow, tau=fast))
    assert found[0].kind is Pathology.UNITS
    assert 'time_unit = "ms"' in found[0].remedy
    assert {f.kind for f in found[1:]} <= {Pathology.SATURATION}  # so fast that no drive could


@pytest.mark.parametrize("factor", [2.0, 0.5])
@pytest.mark.parametrize(("case", "joint"), [("lwr4", 0), ("lwr4", 1), ("tx40", 0), ("tx40", 1), ("tx40", 2)])
def test_a_torque_gain_is_told_by_the_scales_of_the_other_joints(case, joint, factor):
    """No fit finds it beside three joints that nothing explains, or below friction; the file's inertias do."""
    robot, (log, *_) = getattr(real_logs, case)()[:2]
    found = check_torques(robot, log, log_motion(log))
    assert [one for one in found if one.kind is Pathology.GAIN] == []
    wrong = dataclasses.replace(log, tau=log.tau * np.where(np.arange(log.n) == joint, factor, 1.0))
    (gain,) = (one for one in check_torques(robot, wrong, log_motion(wrong)) if one.kind is Pathology.GAIN)
    assert gain.column == log.column("tau", joint)
    assert float(gain.remedy.rsplit(" ", 1)[1]) == pytest.approx(1.0 / factor, rel=0.25)


@pytest.mark.parametrize(("factor", "key"), [(1e3, '"mNm"'), (0.01, "gear_ratios"), (1e-3, "gear_ratios")])
def test_torques_in_other_units(stanford, factor, key):
    robot, log = stanford
    found = alarms(robot, dataclasses.replace(log, tau=factor * log.tau))
    assert [f.kind for f in found] == [Pathology.UNITS]
    assert key in found[0].remedy


@pytest.mark.parametrize("gravity", [(9.81, 0.0, 0.0), (0.0, -9.81, 0.0), (0.0, 0.0, 9.81), (6.94, 0.0, -6.94)])
def test_gravity_along_another_axis(gravity):
    robot = classics.puma560()
    found = alarms(robot, clean_log(robot, torque_robot=dataclasses.replace(robot, gravity=gravity)))
    assert [f.kind for f in found] == [Pathology.GRAVITY]
    told = [float(word) for word in found[0].remedy.split("--gravity ")[1].split(", or")[0].split(",")]
    assert np.allclose(told, gravity, atol=0.6)


@pytest.mark.parametrize("gravity", [(9.81, 0.0, 0.0), (0.0, 9.81, 0.0)])
def test_gravity_of_an_arm_that_feels_two_directions(gravity):
    robot = classics.planar2r()
    found = alarms(robot, clean_log(robot, torque_robot=dataclasses.replace(robot, gravity=gravity)))
    assert [f.kind for f in found] == [Pathology.GRAVITY]


def test_gravity_that_the_robot_does_not_feel_but_the_log_does():
    robot = classics.planar2r()
    flat = dataclasses.replace(robot, gravity=(0.0, 0.0, -9.81))
    assert [f.kind for f in alarms(flat, clean_log(flat, torque_robot=robot))] == [Pathology.GRAVITY]
    assert alarms(flat, clean_log(flat)) == []


@pytest.mark.parametrize("case", ["panda", "lwr4", "kr300", "tx40"])
def test_negated_torques_of_recorded_logs(case):
    robot, logs = getattr(real_logs, case)()
    found = alarms(robot, turned(logs[0], 1, "tau"))
    assert [f.kind for f in found] == [Pathology.NEGATED]
    assert logs[0].joints[1] in found[0].column


@pytest.mark.parametrize(
    "case", ["panda", "tx40", *(pytest.param(name, marks=pytest.mark.slow) for name in ("lwr4", "kr300"))]
)
def test_exchanged_torques_of_recorded_logs(case):
    robot, logs = getattr(real_logs, case)()
    found = {f.kind for f in alarms(robot, exchanged(logs[0], 0, 2, "tau"))}
    assert Pathology.PERMUTED in found
    assert found <= {Pathology.PERMUTED, Pathology.SATURATION}


@pytest.mark.parametrize("name", ["ur5.urdf", "iiwa14.urdf", "xarm7.urdf", "kinova_gen3_continuous.urdf", "panda.urdf"])
def test_clean_logs_of_other_robots_raise_no_alarm(name):
    if not (MODELS / name).exists():
        pytest.skip("the robot files are not there")
    robot = tq.load(MODELS / name)
    assert alarms(robot, clean_log(robot)) == []


@pytest.mark.parametrize("name", ["puma560", "puma260", "stanford", "scara", "planar2r"])
def test_clean_logs_of_the_classics_raise_no_alarm(name):
    robot = getattr(classics, name)()
    assert alarms(robot, clean_log(robot, seed=3)) == []
