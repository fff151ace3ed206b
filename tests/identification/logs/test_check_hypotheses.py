"""Faults of a log that only a fit can tell: exchanged joints, offsets, gravity, delays; and no false alarms."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import real_logs
from tests.identification.clean_logs import clean_log
from tests.identification.logs.test_check_torques import alarms, exchanged

from torquec.identification.logs.check_hypotheses import check_hypotheses
from torquec.identification.logs.check_log import check_log
from torquec.identification.logs.torque_delay import without_delay
from torquec.robot import classics
from torquec.robot.lock_joints import lock_joints
from torquec.spatial import Inertia
from torquec.trajectory.log import Pathology, Severity


def rough(robot):
    """Inertias that are wrong by 30 %: no fit may rely on them."""
    factors = np.exp(0.3 * np.random.default_rng(1).normal(size=len(robot.bodies)))
    bodies = [
        dataclasses.replace(body, inertia=Inertia(*(factor * value for value in body.inertia.parameters)))
        for body, factor in zip(robot.bodies, factors, strict=True)
    ]
    return dataclasses.replace(robot, bodies=tuple(bodies))


PUMA = classics.puma560()
ROUGH = rough(PUMA)


@pytest.fixture(scope="module")
def log():
    return clean_log(PUMA)


def moved(log, joint, degrees):
    return dataclasses.replace(log, q=log.q + np.radians(degrees) * np.eye(log.n)[joint])


def fit_findings(robot, log):
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in log.joints})
    return check_hypotheses(moving, log)


def test_a_clean_log_has_nothing(log):
    assert check_hypotheses(ROUGH, log) == []


@pytest.mark.parametrize(("pair", "kinds"), [((4, 5), ("q",)), ((3, 5), ("tau",))])
def test_an_exchanged_pair_of_the_wrist(log, pair, kinds):
    (found,) = alarms(ROUGH, exchanged(log, *pair, *kinds))
    assert (found.kind, found.severity) == (Pathology.PERMUTED, Severity.ERROR)
    assert PUMA.joint_names[pair[0]] in found.column
    assert PUMA.joint_names[pair[1]] in found.text
    before, after = (float(word.rstrip("%")) for word in found.text.split() if word.endswith("%"))
    assert before > 4.0 * after


@pytest.mark.parametrize(("joint", "factor"), [(1, 2.0), (2, 0.5), (2, 3.0)])
def test_a_torque_gain(log, joint, factor):
    """A wrong motor constant: inertias of the file are not needed, the rows of the other joints tell."""
    scaled = dataclasses.replace(log, tau=log.tau * np.where(np.arange(log.n) == joint, factor, 1.0))
    found = check_hypotheses(ROUGH, scaled)
    gains = [one for one in found if one.kind is Pathology.GAIN]
    assert [PUMA.joint_names[joint] in one.column for one in gains] == [True]
    told = float(gains[0].text.split("multiply it by ")[1].split()[0])
    assert told == pytest.approx(1.0 / factor, rel=0.05)
    assert gains[0].severity is Severity.WARNING


@pytest.mark.parametrize(("joint", "degrees"), [(1, 10.0), (1, 90.0), (3, -7.0), (3, 55.0)])
def test_an_offset(joint, degrees):
    robot = classics.stanford()
    (found,) = alarms(rough(robot), moved(clean_log(robot), joint, degrees))
    assert found.kind is Pathology.OFFSET
    assert robot.joint_names[joint] in found.column
    assert float(found.text.split("add ")[1].split()[0]) == pytest.approx(-degrees, abs=0.3)
    assert "offset = " in found.remedy


@pytest.mark.parametrize("joint", [0, 5])
def test_offsets_that_other_inertias_explain_are_not_claimed(log, joint):
    """The first joint turns about the vertical, and the last link may have its masses anywhere about its axis."""
    assert alarms(ROUGH, moved(log, joint, 10.0)) == []


@pytest.mark.parametrize(("degrees", "severity"), [(10.0, Severity.WARNING), (50.0, Severity.ERROR)])
def test_gravity_off_by_some_degrees(degrees, severity):
    angle = np.radians(degrees)
    tilted = dataclasses.replace(PUMA, gravity=(9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)))
    (found,) = alarms(ROUGH, clean_log(PUMA, torque_robot=tilted))
    assert (found.kind, found.severity) == (Pathology.GRAVITY, severity)
    told = [float(word) for word in found.remedy.split("--gravity ")[1].split(", ")[0].split(",")]
    assert np.allclose(told, tilted.gravity, atol=0.1)


@pytest.mark.parametrize("seconds", [0.1, -0.1])
def test_a_delay_of_a_tenth_of_a_second(log, seconds):
    (found,) = alarms(ROUGH, without_delay(log, -seconds))
    assert found.kind is Pathology.DELAY
    assert float(found.remedy.split("delay = ")[1]) == pytest.approx(seconds, abs=2e-3)


def test_a_large_offset_that_other_inertias_would_explain_is_told_by_the_robots_own():
    beyond, found = alarms(PUMA, moved(clean_log(PUMA), 1, 90.0))
    assert beyond.kind is Pathology.LIMITS  # moved so far, the joint leaves its range
    assert (found.kind, found.severity) == (Pathology.OFFSET, Severity.WARNING)
    assert "-90" in found.text


def test_two_faults_are_found_one_after_the_other(log):
    found = alarms(ROUGH, without_delay(exchanged(log, 4, 5, "q"), -0.2))
    assert {f.kind for f in found} == {Pathology.PERMUTED, Pathology.DELAY}


def test_what_the_motion_does_not_tell_is_named_together():
    """The joints of this recorded run all swing alike."""
    robot, logs = real_logs.lwr4()
    (found,) = fit_findings(robot, moved(logs[0], 1, 90.0))
    assert found.severity is Severity.WARNING
    assert "the motion cannot distinguish this from [" in found.text


@pytest.mark.parametrize("case", ["panda", "lwr4", "kr300", "tx40"])
def test_recorded_logs_raise_no_alarm(case):
    robot, logs = getattr(real_logs, case)()
    assert fit_findings(robot, logs[-1]) == []


@pytest.mark.parametrize(
    ("case", "fault", "kind", "column"),
    [
        ("panda", lambda log: exchanged(log, 4, 5, "q", "tau"), Pathology.PERMUTED, "q5"),
        pytest.param("panda", lambda log: moved(log, 2, 10.0), Pathology.OFFSET, "q3", marks=pytest.mark.slow),
        pytest.param("panda", lambda log: moved(log, 1, 90.0), Pathology.OFFSET, "q2", marks=pytest.mark.slow),
        pytest.param("tx40", lambda log: without_delay(log, -0.1), Pathology.DELAY, "tau", marks=pytest.mark.slow),
    ],
)
def test_faults_of_recorded_logs(case, fault, kind, column):
    robot, logs = getattr(real_logs, case)()
    (found,) = fit_findings(robot, fault(logs[0]))
    assert found.kind is kind
    assert column in found.column


def test_a_log_that_is_too_short_tells_nothing(log):
    part = slice(0, 120)
    short = dataclasses.replace(log, t=log.t[part], q=log.q[part], qd=log.qd[part], tau=log.tau[part])
    assert check_hypotheses(ROUGH, short) is None
    check_log(ROUGH, short)
