"""Files that `identify` delivers, each judged by the program that reads it, and the passivity of their friction.

    python -m benchmarks.delivered DATA [--sets panda,kr300] [--strength 10]

Models are identified from the first part of every set of `benchmarks.prediction`. Printed are |tau - predicted|/|tau|
of the report, the C, URDF without its drives file, and MJCF on the logs that were fitted, each with its reader and its
ratio to the report; then the least power that the friction of the C's and of the MJCF's robot takes, over 10^6 random
states (speeds up to ten times those of the log), constant torques left out.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

import numpy as np

import torquec as tq
from benchmarks.prediction import prediction_sets
from torquec.dynamics.friction_torque import friction_torque
from torquec.identification.file_fits import fit_files
from torquec.identification.logs.prepare import prepare
from torquec.robot.friction import Friction
from torquec.robot.robot import Robot

STATES = 1_000_000
BEYOND = 10.0  # times the speeds of a log


def least_power(robot: Robot, speeds: np.ndarray, loads: np.ndarray) -> float:
    """The least power [W] that friction takes at random speeds within `speeds` (n,), under loads up to `loads` (n,)."""
    rng = np.random.default_rng(0)

    def without_offset(friction: Friction) -> Friction:
        return Friction.of({word: value for word, value in friction.values.items() if word != "offset"})

    bodies = tuple(
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=without_offset(body.joint.friction)))
        for body in robot.bodies
    )
    qd = rng.uniform(-1.0, 1.0, (STATES, robot.n)) * speeds
    tau = rng.uniform(-1.0, 1.0, (STATES, robot.n)) * loads
    rubbing = friction_torque(dataclasses.replace(robot, bodies=bodies), list(qd.T), load=list(tau.T))
    powers = sum(np.asarray(torque) * speed for torque, speed in zip(rubbing, qd.T, strict=True))
    return float(np.min(powers))


def main() -> None:
    """Judge the files of the sets that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default="panda,lwr4,kr300,tx40")
    parser.add_argument("--strength", type=float)
    asked = parser.parse_args()
    known = prediction_sets(asked.data)
    for name in asked.sets.split(","):
        one = known[name]()
        options = dataclasses.replace(one.options, strength=asked.strength)
        log = one.parts[0]
        estimate = tq.identify(one.robot, log, log_map=one.log_map, options=options)
        files = fit_files(estimate, one.robot, [log], [log], log_map=one.log_map, options=options)
        report = files.errors["report"]
        for what, error in files.errors.items():
            reader = files.readers.get(what, "")
            print(f"{name:6s} {what:40s} {reader:20s} {error:7.3%}  {error / report:6.3f}", flush=True)
        samples = prepare(log)
        speeds, loads = BEYOND * np.abs(samples.qd).max(axis=0), BEYOND * np.abs(samples.tau).max(axis=0)
        for words, fit in (("C", files.program), ("MJCF", files.mujoco)):
            if fit is not None:
                print(f"{name:6s} least power of friction, {words}: {least_power(fit.robot, speeds, loads):.3g} W")


if __name__ == "__main__":
    main()
