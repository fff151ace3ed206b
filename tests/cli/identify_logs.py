"""CSV logs of a small arm on disk, bare and loaded, for tests of `torquec identify`."""

from __future__ import annotations

import numpy as np
from tests.identification import simulated_arm

from torquec.model.model import compile
from torquec.robot import attach_payload, write_urdf
from torquec.trajectory import fourier_motion

QUICK = ("--cutoff", 20, "--no-rotors", "--friction", "offset", "--strength", 1)


def write_log(path, robot, seed):
    """A run of a robot as a CSV file."""
    cosines, sines = np.random.default_rng(seed).normal(scale=0.8, size=(2, 2, 5))
    motion = fourier_motion([0.0, 0.0], cosines, sines, base_period=8.0, period=0.005)
    tau = np.asarray(compile(robot).total_torque(motion.q, motion.qd, motion.qdd))
    rows = np.column_stack([motion.t, motion.q, motion.qd, tau])
    np.savetxt(path, rows, delimiter=",", header="t,q1,q2,dq1,dq2,tau1,tau2", comments="", fmt="%.12g")
    return path


def write_arm(folder):
    """The arm as a URDF file, a log of it, and one with 2 kg in its hand."""
    robot = simulated_arm.arm()
    write_urdf(robot, folder / "arm.urdf")
    loaded = attach_payload(robot, "hand", mass=2.0, center=(0.1, 0.05, 0.0))
    return (
        folder / "arm.urdf",
        write_log(folder / "bare.csv", robot, 1),
        write_log(folder / "other.csv", robot, 2),
        write_log(folder / "loaded.csv", loaded, 3),
    )
