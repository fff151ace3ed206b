"""The recorded logs of four robots, where they are there; nothing of them is part of the project."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import torquec as tq
from torquec.identification.torque.torque_columns import GasSpring
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.read_log import read_log

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"

KR300 = LogMap(
    position="q_mot_deg{}",
    velocity="dq_mot_degps{}",
    torque="tau_mot_nm{}",
    angle_unit="deg",
    gear_ratios=(1798 / 7, 1872 / 7, 757 / 3, 221.0, 5032 / 21, 206793 / 1340),
    motor_side=("torque",),
    offset=(0.0, -90.0, 90.0, 0.0, 0.0, 0.0),
)
_GEARS = np.diag([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
_GEARS[5, 4] = 32.0
TX40 = LogMap(
    position="q_mot_rad{}",
    torque="tau_mot_nm{}",
    transmission=tuple(map(tuple, _GEARS.tolist())),
    offset=(0.0, -math.pi / 2, math.pi / 2, 0.0, 0.0, 0.0),
)
COUNTERBALANCE = GasSpring(
    "joint_2",
    base=0.8,
    lever=0.2,
    area=math.pi * (0.055**2 - 0.03**2) / 4,
    pressure_volume=1.01 * 296.8 * 328 * 2 * 0.0795,
    volume=2 * 0.00048,
    angle=math.radians(95),
)


def robot_and_logs(model, files, log_map=None):
    """The robot and its logs, which no test may change; skips the test where they are not there."""
    if not (DATA / model).exists():
        pytest.skip("the recorded logs are not there")
    robot = tq.load(DATA / model)
    logs = [read_log(DATA / file, robot, log_map=log_map) for file in files]
    for log in logs:
        for values in (log.t, log.q, log.qd, log.tau):
            if values is not None:
                values.flags.writeable = False
    return robot, logs


@cache
def panda():
    return robot_and_logs("panda/panda.urdf", ["panda/gaz2019_exciting_traj1_0-14s.csv"])


@cache
def lwr4():
    return robot_and_logs("kuka_lwr4/kuka_lwr4.urdf", [f"kuka_lwr4/hw_measurements_{k}.csv" for k in (1, 2)])


@cache
def kr300():
    return robot_and_logs("kuka_kr300/kr300.urdf", [f"kuka_kr300/traj_{k}.csv" for k in "AB"], KR300)


@cache
def tx40():
    return robot_and_logs("staubli_tx40/tx40_mdh_modified.urdf", ["staubli_tx40/tx40_0-5s.csv"], TX40)


def part(log, start, stop):
    """A log from one share of its duration to another."""
    share = (log.t - log.t[0]) / (log.t[-1] - log.t[0])
    rows = (share >= start) & (share <= stop)
    qd = None if log.qd is None else log.qd[rows]
    others = {name: values[rows] for name, values in log.others.items()}
    return Log(log.joints, log.t[rows], log.q[rows], log.tau[rows], qd, others=others, source=log.source)
