"""Calibration of identification on simulated robots: expected and found errors, coverage of 95 % intervals, two logs.

    python -m benchmarks.calibration [--robots 100] [--first 0] [--pairs 30] [--seed 0] [--warm-up 0.1]

Every robot is a classic arm with randomly deformed bodies (masses by about a fifth), so that the file used for its
identification is wrong by as much. Its drives have rotors, gear ripple, and friction that no fitted law contains:
viscous, Coulomb, load-dependent, Stribeck, and saturating at a speed of its own; half of the drives have a presliding
distance. With --warm-up, drives lose that share of their friction within a minute, most of it before the second log.
A model is identified from one motion, without options, and predicts another one. The output, over all robots: the ratio
of found to expected error, and the share of rigid-body parameters whose 95 % intervals contain the true values. For
pairs of logs: parameter differences in standard deviations, without the error of the prior, which both fits share.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import time

import numpy as np

import torquec as tq
from torquec.dynamics.regressor import parameter_values
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.identification.estimators.pseudo_inertia import from_pseudo_inertia, pseudo_inertia, thickened
from torquec.identification.logs.prepare import prepare
from torquec.identification.result.estimate import Estimate
from torquec.identification.torque.friction_law import CoulombShape, FrictionLaw, Turnover, friction_block, shafts_of
from torquec.robot import classics
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Drives, Motor, Robot
from torquec.spatial import Inertia
from torquec.trajectory.log import Log

ARMS = (classics.planar3r, classics.stanford, classics.puma560)
LOCKED = 0.75  # share of the six-joint arms whose wrists are locked, which is quicker
FACTOR = 1.3  # expected and found error agree within it
SECONDS, RATE = 16.0, 100.0


@dataclasses.dataclass(frozen=True, eq=False)
class Simulated:
    """The robot of the file, the true one, and the true friction's law, values (f,) and warm-up time [s]."""

    file: Robot
    true: Robot
    law: FrictionLaw
    values: Array
    warm_up: float


def simulated_robot(rng: np.random.Generator) -> Simulated:
    """A random one."""
    file = _with_masses(ARMS[rng.integers(len(ARMS))]())
    if file.n > 3 and rng.random() < LOCKED:
        file = lock_joints(file, dict.fromkeys(file.joint_names[3:], 0.3))
    bodies = tuple(
        dataclasses.replace(body, inertia=_deformed(np.array(body.inertia.parameters), rng)) for body in file.bodies
    )
    shafts = shafts_of(file)
    sizes = _torque_sizes(file)
    rotors = tuple(
        Motor(shaft.name, float(rng.uniform(0.0, 0.1) * size)) for shaft, size in zip(shafts, sizes, strict=True)
    )
    true = dataclasses.replace(file, bodies=bodies, drives=Drives(rotors, tuple(shaft.row for shaft in shafts)))
    shape = (
        CoulombShape(Turnover.DISTANCE, float(10.0 ** rng.uniform(-4.0, -2.0)))
        if rng.random() < 0.5
        else CoulombShape()
    )
    law = FrictionLaw(
        ("viscous", "coulomb", "offset", "load", "stribeck", "concave"),
        shape,
        {"stribeck_speed": float(rng.uniform(0.02, 0.3)), "concave_speed": float(rng.uniform(0.1, 2.0))},
    )
    shares = rng.uniform((0.02, 0.02, -0.02, 0.0, 0.0, 0.0), (0.1, 0.15, 0.02, 0.1, 0.05, 0.1), (len(shafts), 6))
    shares[:, [0, 1, 2, 4, 5]] *= sizes[:, None]
    return Simulated(file, true, law, shares.ravel(), float(rng.uniform(20.0, 60.0)))


def simulated_log(one: Simulated, rng: np.random.Generator, *, start: float = 0.0, lost: float = 0.0) -> Log:
    """A log of a random motion, `start` seconds after power-on; cold drives have `lost` more friction."""
    robot, n = one.true, one.true.n
    t = np.arange(round(SECONDS * RATE)) / RATE
    q, qd, qdd = _motion(robot, t, rng)
    rigid = np.asarray(tq.compile(robot).inverse_dynamics(q, qd, qdd))
    friction = friction_block(shafts_of(robot), one.law, qd, q=q, load=rigid) @ one.values
    warmth = 1.0 + lost * np.exp(-(t + start) / one.warm_up)[:, None]
    size = np.sqrt((rigid**2).mean(axis=0))
    ripple = 0.005 * size * np.sin(rng.uniform(20.0, 60.0, n) * q + rng.uniform(0.0, 2.0 * math.pi, n))
    tau = rigid + warmth * friction + ripple + 0.01 * size * rng.normal(size=rigid.shape)
    return Log(robot.joint_names, t, q + 1e-5 * rng.normal(size=q.shape), tau, qd, source="simulated")


def _with_masses(robot: Robot) -> Robot:
    """The robot with solid bodies: 5 kg for a link without mass, thick rods in place of points."""
    ball = np.array([0.1, 0.0, 0.0, 0.1, 0.0, 0.1, 0.0, 0.0, 0.0, 5.0])
    own = (np.array(body.inertia.parameters, dtype=float) for body in robot.bodies)
    solid = [thickened(values if values[-1] > 0.0 else ball) for values in own]
    bodies = zip(robot.bodies, solid, strict=True)
    return dataclasses.replace(
        robot, bodies=tuple(dataclasses.replace(body, inertia=Inertia(*values.tolist())) for body, values in bodies)
    )


def _deformed(parameters: Array, rng: np.random.Generator) -> Inertia:
    """The inertia of a body whose mass distribution is deformed and scaled: T P T' of its pseudo-inertia P."""
    p = pseudo_inertia(parameters)
    turn = np.eye(4)
    turn[:3, :3] += 0.1 * rng.normal(size=(3, 3))
    turn[:3, 3] = (
        0.1 * math.sqrt(max(float(np.trace(p[:3, :3])) / max(float(p[3, 3]), 1e-9), 1e-8)) * rng.normal(size=3)
    )
    return Inertia(*from_pseudo_inertia(float(rng.uniform(0.8, 1.25)) * turn @ p @ turn.T).tolist())


def _torque_sizes(robot: Robot) -> Array:
    """Usual torques (n,) of a robot's motions."""
    state = _motion(robot, np.linspace(0.0, 20.0, 200), np.random.default_rng(0))
    torque = np.asarray(tq.compile(robot).inverse_dynamics(*state))
    sizes: Array = np.sqrt((torque**2).mean(axis=0)) + 0.02 * np.sqrt((torque**2).mean())
    return sizes


def _motion(robot: Robot, t: Array, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Five harmonics of 0.12 Hz about the middle of each joint's range, at times t (N,)."""
    lows = np.array([max(joint.limits.lower, -2.0) for joint in robot.joints])
    highs = np.array([min(joint.limits.upper, 2.0) for joint in robot.joints])
    k = np.arange(1, 6)
    amplitudes = rng.uniform(0.3, 1.0, (robot.n, 5)) / k
    amplitudes *= 0.45 * (highs - lows)[:, None] / amplitudes.sum(axis=1, keepdims=True)
    w = 2.0 * np.pi * 0.12 * k
    angles = w * t[:, None, None] + rng.uniform(0.0, 2.0 * np.pi, (robot.n, 5))
    q = 0.5 * (lows + highs) + (amplitudes * np.sin(angles)).sum(axis=2)
    qd = (amplitudes * w * np.cos(angles)).sum(axis=2)
    return q, qd, -(amplitudes * w**2 * np.sin(angles)).sum(axis=2)


def found_error(estimate: Estimate, log: Log) -> float:
    """|tau - predicted|/|tau| on a log."""
    samples = prepare(log)
    rest = (samples.tau - estimate.model.regressor(samples) @ estimate.x)[samples.used]
    return float(np.linalg.norm(rest) / np.linalg.norm(samples.tau[samples.used]))


def true_deviations(one: Simulated, estimate: Estimate) -> Array:
    """(x - true)/std of the rigid-body parameters (b,)."""
    motors = {motor.name: motor for motor in one.true.drives.motors}
    drives = estimate.model.robot.drives
    own = dataclasses.replace(drives, motors=tuple(motors[motor.name] for motor in drives.motors))
    base = estimate.model.base
    true = base.projection @ np.array(parameter_values(dataclasses.replace(one.true, drives=own)))
    deviations: Array = (estimate.x - np.concatenate([true, estimate.x[len(base) :]]))[: len(base)]
    return deviations / estimate.std[: len(base)]


def main() -> None:
    """Simulate, identify, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first robot, to run the rest in parts")
    parser.add_argument("--pairs", type=int, default=30, help="robots of which a second log is identified, too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--warm-up", type=float, default=0.0, help="share of friction lost while warming up")
    asked = parser.parse_args()
    ratios, deviations, differences = [], [], []
    with one_thread():
        for k in range(asked.first, asked.first + asked.robots):
            rng = np.random.default_rng((asked.seed, k))
            one, start = simulated_robot(rng), time.process_time()
            logs = [simulated_log(one, rng, start=60.0 * part, lost=asked.warm_up) for part in range(2)]
            estimate = tq.identify(one.file, logs[0])
            found, expected = found_error(estimate, logs[1]), estimate.promise.error
            ratios.append(found / expected)
            deviations.append(true_deviations(one, estimate))
            inside = float(np.mean(np.abs(deviations[-1]) <= 1.96))
            print(
                f"{k:3d} {one.file.name:10s} found {found:7.3%}  expected {expected:7.3%}  ratio {ratios[-1]:5.2f}  "
                f"inside {inside:4.0%}  {estimate.model.friction}, strength {estimate.strength:.3g}, rotors "
                f"{bool(estimate.model.robot.drives.motors)}  {time.process_time() - start:.1f} s",
                flush=True,
            )
            if k < asked.first + asked.pairs:
                other = tq.identify(one.file, logs[1])
                own = [list(zip(e.names, e.x, e.sampling_std, strict=True)) for e in (estimate, other)]
                pair = {name: (x, s) for name, x, s in own[1]}
                mine = own[0][: len(estimate.model.base)]
                differences += [abs(x - pair[m][0]) / math.hypot(s, pair[m][1]) for m, x, s in mine if m in pair]
    every = np.abs(np.concatenate(deviations))
    within = np.mean([1.0 / FACTOR <= ratio <= FACTOR for ratio in ratios])
    spread = np.quantile(ratios, [0.05, 0.5, 0.95]).round(2)
    print(f"{len(ratios)} robots: found/expected (5, 50, 95 %) {spread}, within {FACTOR}: {within:.0%}")
    print(f"{len(every)} parameters: {np.mean(every <= 1.96):.1%} within 95 % intervals, median {np.median(every):.2f}")
    if differences:
        share = np.mean(np.array(differences) < 1.96)
        print(
            f"{len(differences)} differences of two logs: median {np.median(differences):.2f}, below 1.96 {share:.1%}"
        )


if __name__ == "__main__":
    main()
