"""Sabotaged logs: how much a plain fit suffers from each fault, and whether `check_log` names it.

    python -m benchmarks.sabotage DATA [--sets panda,lwr4] [--only "x 2.0"]

DATA is a folder with the logs of docs/logs.md. Every fault is planted in a recorded log. `rise` is its relative
increase of the error |tau - A x|/|tau| of weighted least squares without prior. Above 20 % the fault must be detected:
by a warning or an error that the log without the fault does not cause.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import torquec as tq
from benchmarks.prediction import KR300, TX40
from torquec.foundation.one_thread import one_thread
from torquec.identification.logs.check_log import check_log
from torquec.identification.logs.fit_motion import even_rows, fit_motion, prepared_for_fit
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, Severity

LOGS = {
    "panda": ("panda/panda.urdf", "panda/gaz2019_exciting_traj1_0-14s.csv", None),
    "lwr4": ("kuka_lwr4/kuka_lwr4.urdf", "kuka_lwr4/hw_measurements_1.csv", None),
    "kr300": ("kuka_kr300/kr300.urdf", "kuka_kr300/traj_A.csv", KR300),
    "tx40": ("staubli_tx40/tx40_mdh_modified.urdf", "staubli_tx40/tx40_0-5s.csv", TX40),
}
TOLD = 0.2  # rise from which a fault is to be named


def faults(robot: Robot, log: Log) -> Iterator[tuple[str, Robot, Log]]:
    """Every fault with the robot and the log that have it."""
    n = log.n
    for j in range(n):
        for factor in (2.0, 0.5, -1.0):
            yield f"tau{j + 1} x {factor}", robot, dataclasses.replace(log, tau=log.tau * _only(n, j, factor))
    for k, axis in enumerate("xyz"):
        gravity = _rotation(k, math.radians(10.0)) @ np.array(robot.gravity)
        x, y, z = (float(value) for value in gravity)
        yield f"gravity 10 degrees about {axis}", dataclasses.replace(robot, gravity=(x, y, z)), log
    for j in range(n - 1):
        order = [j + 1 if i == j else j if i == j + 1 else i for i in range(n)]
        yield f"tau{j + 1} and tau{j + 2} exchanged", robot, dataclasses.replace(log, tau=log.tau[:, order])
        speeds = None if log.qd is None else log.qd[:, order]
        yield f"q{j + 1} and q{j + 2} exchanged", robot, dataclasses.replace(log, q=log.q[:, order], qd=speeds)
    for j in range(n):
        sign = _only(n, j, -1.0)
        speeds = None if log.qd is None else log.qd * sign
        yield f"q{j + 1} negated", robot, dataclasses.replace(log, q=log.q * sign, qd=speeds)
    rate = (len(log.t) - 1) / log.duration
    for delay in (0.02, 0.05, 0.1):
        k = max(1, round(delay * rate))
        speeds = None if log.qd is None else log.qd[k:]
        late = dataclasses.replace(log, t=log.t[k:], q=log.q[k:], qd=speeds, tau=log.tau[:-k], others={})
        yield f"torques {1e3 * delay:.0f} ms late", robot, late
    for j in range(n):
        limit = np.quantile(np.abs(log.tau[:, j]), 0.1)
        tau = log.tau.copy()
        tau[:, j] = np.clip(tau[:, j], -limit, limit)
        yield f"tau{j + 1} saturated in 90 %", robot, dataclasses.replace(log, tau=tau)


def plain_error(robot: Robot, log: Log) -> float:
    """|tau - A x|/|tau| of weighted least squares with Coulomb, viscous and offset."""
    samples = prepared_for_fit(log)
    motion = fit_motion(samples, even_rows(samples, edge=0.4))
    a = motion.columns(robot)
    sizes = np.sqrt((a**2).sum(axis=(0, 1)))
    a = a / np.where(sizes > 0.0, sizes, 1.0)
    floor = 1e-4 * motion.tau.std(axis=0) + 1e-12
    weights, rest = 1.0 / np.maximum(motion.tau.std(axis=0), floor), motion.tau
    for _ in range(5):
        rows = (a * weights[None, :, None]).reshape(-1, a.shape[2])
        x = np.linalg.lstsq(rows, (motion.tau * weights).ravel(), rcond=1e-9)[0]
        rest = motion.tau - a @ x
        weights = 1.0 / np.maximum(np.sqrt((rest**2).mean(axis=0)), floor)
    return float(np.linalg.norm(rest) / np.linalg.norm(motion.tau))


def _only(n: int, j: int, factor: float) -> np.ndarray:
    return np.where(np.arange(n) == j, factor, 1.0)


def _rotation(axis: int, angle: float) -> np.ndarray:
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[[j, k], [j, k]] = math.cos(angle)
    matrix[j, k], matrix[k, j] = -math.sin(angle), math.sin(angle)
    return matrix


def main() -> None:
    """Plant every fault in the logs that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default=",".join(LOGS))
    parser.add_argument("--only", default="", help="faults whose name has this text")
    asked = parser.parse_args()
    with one_thread():
        for name in asked.sets.split(","):
            model, file, log_map = LOGS[name]
            robot = tq.load(asked.data / model)
            log = tq.read_log(asked.data / file, robot, log_map=log_map)
            robot = lock_joints(robot, {joint: 0.0 for joint in robot.joint_names if joint not in log.joints})
            before = plain_error(robot, log)
            known = {(found.kind, found.column) for found in check_log(robot, log)}
            for fault, other_robot, other in faults(robot, log):
                if asked.only not in fault:
                    continue
                rise = plain_error(other_robot, other) / before - 1.0
                told = [one for one in check_log(other_robot, other) if (one.kind, one.column) not in known]
                kinds = (
                    sorted({str(one.kind) for one in told if one.severity is not Severity.NOTE}) if rise > TOLD else []
                )
                verdict = "" if rise <= TOLD else "named: " + ", ".join(kinds) if kinds else "SILENT"
                print(f"{name:6s} {fault:32s} rise {rise:+7.0%}  {verdict}", flush=True)


if __name__ == "__main__":
    main()
