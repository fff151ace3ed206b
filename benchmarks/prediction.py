"""Prediction errors of the C that `identify` writes, on motions that were not fitted: recorded logs of four robots.

    python -m benchmarks.prediction DATA [--sets panda,kr300] [--method weighted --friction offset]

DATA is a folder with the logs of docs/logs.md. A model is identified from one part of the logs, its C is generated,
compiled and run along the other part. The output is |tau - predicted|/|tau| in per cent, over all joints and for each
joint; both torques are low-passed at the cut-off of the predicted log. `report` is the error of the estimate itself,
with the terms that C cannot express; `expected` is the error of another motion that `identify` expects; `inside` is the
share of samples within the bounds of the residual, over all joints and for the worst joint, in per cent. The last lines
are the differences between the parameters of both parts in standard deviations: the median, and the share below 1.96.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import torquec as tq
from torquec.identification.file_fits import code_reader, fit_files
from torquec.identification.logs.prepare import Samples, prepare
from torquec.identification.result.estimate import Estimate, identified_model
from torquec.identification.torque.torque_columns import GasSpring
from torquec.model.residual_bound import ResidualBound
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap

MOVING = (1.8, 8.2)  # [s] of the KR300's logs; it stands before and after
KR300 = LogMap(
    position="q_mot_deg{}",
    velocity="dq_mot_degps{}",
    torque="tau_mot_nm{}",
    angle_unit="deg",
    gear_ratios=(1798 / 7, 1872 / 7, 757 / 3, 221.0, 5032 / 21, 206793 / 1340),
    motor_side=("torque",),
    offset=(0.0, -90.0, 90.0, 0.0, 0.0, 0.0),
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
_GEARS = np.diag([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
_GEARS[5, 4] = 32.0
TX40 = LogMap(
    position="q_mot_rad{}",
    torque="tau_mot_nm{}",
    transmission=tuple(map(tuple, _GEARS.tolist())),
    offset=(0.0, -math.pi / 2, math.pi / 2, 0.0, 0.0, 0.0),
)


@dataclass(frozen=True, eq=False)
class PredictionSet:
    """A robot, two parts of its logs, each predicted from the other, and the options that describe the robot."""

    name: str
    robot: Robot
    parts: tuple[Log, Log]
    options: tq.IdentifyOptions
    log_map: LogMap | None = None


def cut(log: Log, first: float, last: float) -> Log:
    """The samples of a log between two times [s] from its start."""
    kept = (log.t - log.t[0] >= first) & (log.t - log.t[0] < last)
    speeds = None if log.qd is None else log.qd[kept]
    others = {name: values[kept] for name, values in log.others.items()}
    return dataclasses.replace(log, t=log.t[kept], q=log.q[kept], tau=log.tau[kept], qd=speeds, others=others)


def halves(log: Log) -> tuple[Log, Log]:
    """The first and the second half of a log, by time."""
    middle = 0.5 * log.duration
    return cut(log, 0.0, middle), cut(log, middle, math.inf)


def prediction_sets(data: Path) -> dict[str, Callable[[], PredictionSet]]:
    """Every set by name; its files are read when it is asked for."""

    def read(folder: str, model: str, files: Sequence[str], log_map: LogMap | None = None) -> tuple[Robot, list[Log]]:
        robot = tq.load(data / folder / model)
        return robot, [tq.read_log(data / folder / file, robot, log_map=log_map) for file in files]

    def panda() -> PredictionSet:
        robot, (log,) = read("panda", "panda.urdf", ["gaz2019_exciting_traj1_0-14s.csv"])
        return PredictionSet("panda", robot, halves(log), tq.IdentifyOptions())

    def lwr4() -> PredictionSet:
        robot, logs = read("kuka_lwr4", "kuka_lwr4.urdf", [f"hw_measurements_{k}.csv" for k in (1, 2)])
        return PredictionSet("lwr4", robot, (logs[0], logs[1]), tq.IdentifyOptions())

    def kr300(name: str, span: tuple[float, float]) -> PredictionSet:
        robot, logs = read("kuka_kr300", "kr300.urdf", ["traj_A.csv", "traj_B.csv"], KR300)
        options = tq.IdentifyOptions(columns=(COUNTERBALANCE,))
        return PredictionSet(name, robot, (cut(logs[0], *span), cut(logs[1], *span)), options, KR300)

    def tx40() -> PredictionSet:
        robot, (log,) = read("staubli_tx40", "tx40_mdh_modified.urdf", ["tx40_0-5s.csv"], TX40)
        options = tq.IdentifyOptions(transmission=TX40.transmission)
        return PredictionSet("tx40", robot, halves(log), options, TX40)

    return {
        "panda": panda,
        "lwr4": lwr4,
        "kr300": lambda: kr300("kr300", (0.0, math.inf)),
        "kr300-moving": lambda: kr300("kr300-moving", MOVING),
        "tx40": tx40,
    }


def errors(samples: Samples, predicted: np.ndarray) -> Iterator[float]:
    """|tau - predicted|/|tau| over all joints, then for each joint, in per cent."""
    tau, rest = samples.tau[samples.used], (samples.tau - predicted)[samples.used]
    yield 100.0 * float(np.linalg.norm(rest) / np.linalg.norm(tau))
    yield from (100.0 * np.linalg.norm(rest, axis=0) / np.linalg.norm(tau, axis=0)).tolist()


def inside(samples: Samples, predicted: np.ndarray, bounds: Sequence[ResidualBound]) -> tuple[float, float]:
    """Samples within the bounds of the residual, of all joints and of the worst joint, in per cent."""
    rest, speed = np.abs(samples.tau - predicted)[samples.used], np.abs(samples.qd)[samples.used]
    shares = [
        100.0
        * float(np.mean(rest[:, j] <= np.array(one.bounds)[np.searchsorted(one.speeds, speed[:, j], "right") - 1]))
        for j, one in enumerate(bounds)
    ]
    return float(np.mean(shares)), min(shares)


def differences(first: Estimate, second: Estimate, *, significant: bool) -> np.ndarray:
    """|x1 - x2|/sqrt(s1^2 + s2^2) of parameters that both parts have; of friction only if both have one law.

    s are deviations without the error of the prior, which both parts share.
    """
    alike = str(first.model.friction) == str(second.model.friction)
    own, other = (
        {
            one.name: (one, float(s))
            for one, s in zip(estimate.parameters, np.asarray(estimate.sampling_std), strict=True)
            if alike or one.name in estimate.model.base.names
        }
        for estimate in (first, second)
    )
    pairs = [(own[name], other[name]) for name in own if name in other]
    kept = [(a, b) for a, b in pairs if not significant or (a[0].significant and b[0].significant)]
    return np.array([abs(a.value - b.value) / math.hypot(s, other_s) for (a, s), (b, other_s) in kept])


def judge(one: PredictionSet, changes: dict[str, object]) -> tuple[list[float], list[Estimate]]:
    """Print both directions of a set; gives the error of the C in each, and both estimates."""
    found, estimates = [], []
    for fitted, judged, name in ((0, 1, "2 from 1"), (1, 0, "1 from 2")):
        options = dataclasses.replace(one.options, **changes)  # type: ignore[arg-type]
        log = one.parts[fitted]
        start = time.process_time()
        estimate = tq.identify(one.robot, log, log_map=one.log_map, options=options)
        files = fit_files(estimate, one.robot, [log], [log], log_map=one.log_map, options=options, mujoco=False)
        program = files.program
        seconds = time.process_time() - start
        samples = prepare(one.parts[judged])
        delivered = samples.low_passed(code_reader(identified_model(program)).torques(samples))
        whole, *joints = errors(samples, delivered)
        all_inside, worst_inside = inside(samples, delivered, program.residual)
        report = next(errors(samples, estimate.model.regressor(samples) @ estimate.x))
        each = " ".join(f"{value:5.1f}" for value in joints)
        print(
            f"{one.name:13s} {name}  C {whole:6.3f}  report {report:6.3f}  fitted {100 * program.relative_error:6.3f}  "
            f"expected {100 * program.promise.error:6.3f}  inside {all_inside:5.1f} {worst_inside:5.1f}  "
            f"joints {each}  {seconds:4.0f} s  {program.model.friction}, strength {program.strength:.3g}",
            flush=True,
        )
        found.append(whole)
        estimates.append(program)
    return found, estimates


def main() -> None:
    """Judge the sets that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default="panda,lwr4,kr300,kr300-moving,tx40")
    parser.add_argument("--method")
    parser.add_argument("--friction")
    asked = parser.parse_args()
    changes = {name: getattr(asked, name) for name in ("method", "friction") if getattr(asked, name) is not None}
    known = prediction_sets(asked.data)
    judged = [judge(known[name](), changes) for name in asked.sets.split(",")]
    found = [error for errors_here, _ in judged for error in errors_here]
    print(f"mean over {len(found)} predictions: {np.mean(found):.3f}")
    for words, significant in (("all parameters", False), ("significant parameters", True)):
        z = np.concatenate([differences(*both, significant=significant) for _, both in judged])
        print(f"{words}: {len(z)} differences, median {np.median(z):.2f}, below 1.96 {100 * np.mean(z < 1.96):.1f} %")


if __name__ == "__main__":
    main()
