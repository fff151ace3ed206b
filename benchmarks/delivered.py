"""Files that `identify` delivers, each judged by the program that reads it, and the passivity of their friction.

    python -m benchmarks.delivered DATA [--sets panda,kr300] [--strength 10]

Models are identified from the first part of every set of `benchmarks.prediction`. Three results are printed. First,
|tau - predicted|/|tau| on the fitted logs of the report, the C, the URDF without its drives file, and the MJCF, each
with its reader and its ratio to the report. Second, the smallest power that friction dissipates over 10^6 random states
(speeds up to ten times those of the log), without constant torques, for the robots of the C and of the MJCF. Third, the
largest rise of the energy in runs of MuJoCo without drives, gravity and limits, from several speeds of all joints,
relative to the energy lost.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
from pathlib import Path

import numpy as np

import torquec as tq
from benchmarks.prediction import prediction_sets
from torquec.dynamics.friction_torque import friction_torque
from torquec.identification.file_fits import fit_files
from torquec.identification.logs.prepare import prepare
from torquec.robot.friction import Friction
from torquec.robot.robot import Robot
from torquec.robot.write_mjcf import mjcf_text

STATES = 1_000_000
BEYOND = 10.0  # times the speeds of a log
STEP, SPEEDS = 5e-4, (0.5, 1.5, 3.0, -3.0)  # [s], [rad/s]


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


def energy_rise(robot: Robot) -> float:
    """The largest rise of the energy in MuJoCo, relative to the energy lost, in runs of two seconds without drives."""
    mujoco = importlib.import_module("mujoco")
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    model.opt.timestep, model.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.gravity[:], model.jnt_stiffness[:] = 0.0, 0.0
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    worst = 0.0
    for speed in SPEEDS:
        data = mujoco.MjData(model)
        data.qvel[:] = speed
        mujoco.mj_forward(model, data)
        first = least = energy = float(data.energy.sum())
        most = 0.0
        for _ in range(round(2.0 / STEP)):
            mujoco.mj_step(model, data)
            energy = float(data.energy.sum())
            least = min(least, energy)
            most = max(most, energy - least)
        worst = max(worst, most / (first - least))
    return worst


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
        if files.mujoco is not None:
            print(f"{name:6s} rise of energy in MuJoCo: {energy_rise(files.mujoco.robot):.1e} of the loss", flush=True)


if __name__ == "__main__":
    main()
