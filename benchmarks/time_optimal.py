"""Time-optimal motions against toppra, on random paths through six waypoints: motion time, computing time, torques.

    python -m benchmarks.time_optimal [../shared/data] [--paths 100] [--speeds 1 5]

(1)  without friction both have the same limits; toppra checks them at grid points, Torquec also proves them in between
(2)  with friction, which toppra does not model, toppra's torque limits are reduced by the friction at the largest speed
(3)  columns: largest and median ratio of motion times, median computing times [ms, process time, interleaved], share of
     proven motions, and the largest ratio of a torque to its limit at 10^5 random instants

Install toppra with `pip install toppra`. Both use Torquec's paths and inverse dynamics.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np

import torquec as tq
from torquec.robot.friction import Friction
from torquec.robot.robot import Robot

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
POINTS = 1000


def robots(data: Path) -> dict[str, Robot]:
    """The arms, without fingers and friction."""
    found = {name: tq.load(data / "models" / f"{name}.urdf") for name in ("ur5", "panda")}
    found["puma560"] = tq.classics.puma560()
    return {
        name: changed(tq.lock_joints(robot, {j: 0.0 for j in robot.joint_names if "finger" in j}), 1.0, 0.0)
        for name, robot in found.items()
    }


def changed(robot: Robot, speeds: float, friction: float) -> Robot:
    """The robot with larger speed limits, and Coulomb and viscous friction as parts of its torques [1, s/rad]."""
    bodies = []
    for body in robot.bodies:
        limits = dataclasses.replace(body.joint.limits, velocity=speeds * body.joint.limits.velocity)
        level = friction * limits.effort
        rubs = Friction.symmetric(viscous=0.4 * level, coulomb=level) if friction else Friction()
        joint = dataclasses.replace(body.joint, limits=limits, friction=rubs)
        bodies.append(dataclasses.replace(body, joint=joint))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def random_path(robot: Robot, seed: int) -> tq.JointPath:
    """Through six random waypoints in the inner 60 % of the joints' ranges."""
    sides = [(max(joint.limits.lower, -3.0), min(joint.limits.upper, 3.0)) for joint in robot.joints]
    lower, upper = np.array(sides).T
    unit = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(6, robot.n))
    return tq.joint_path(0.5 * (lower + upper) + 0.3 * (upper - lower) * unit)


def toppra_duration(model: tq.Model, path: tq.JointPath, reserve: np.ndarray) -> float:
    """Toppra's motion time, its torque limits less by the reserve; nan where it finds none."""
    import toppra
    from toppra import algorithm, constraint

    class Path(toppra.interpolator.AbstractGeometricPath):  # type: ignore[misc]
        dof = model.robot.n
        path_interval = np.array([0.0, path.length])
        waypoints = (path.knots, path.waypoints)

        def __call__(self, places: Any, order: int = 0) -> Any:
            return path.at(places)[order]

    limits = [joint.limits for joint in model.robot.joints]
    effort = np.array([limit.effort for limit in limits]) - reserve
    speed = np.array([limit.velocity for limit in limits])
    rows = [
        constraint.JointTorqueConstraint(model.inverse_dynamics, np.stack([-effort, effort], 1), np.zeros(len(effort))),
        constraint.JointVelocityConstraint(np.stack([-speed, speed], 1)),
    ]
    grid = np.linspace(0.0, path.length, POINTS + 1)
    found = algorithm.TOPPRA(rows, Path(), gridpoints=grid, solver_wrapper="seidel").compute_trajectory(0.0, 0.0)
    return float("nan") if found is None else float(found.duration)


def compare(name: str, robot: Robot, friction: float, paths: int) -> None:
    """One line (3)."""
    model = tq.compile(robot)
    effort = np.array([joint.limits.effort for joint in robot.joints])
    speed = np.array([joint.limits.velocity for joint in robot.joints])
    reserve = friction * effort * (1.0 + 0.4 * speed)
    tq.time_optimal(model, random_path(robot, 0))  # compiled
    rows = []
    for seed in range(paths):
        path = random_path(robot, seed)
        try:
            begin = time.process_time()
            found = tq.time_optimal(model, path, points=POINTS)
            middle = time.process_time()
        except tq.errors.ArgumentError:
            continue  # gravity is beyond what friction leaves
        theirs = toppra_duration(model, path, reserve)
        ours = middle - begin, time.process_time() - middle
        state = found.trajectory.at(np.random.default_rng(seed).uniform(0.0, found.duration, 100_000))
        used = float((np.abs(model.total_torque(state.q, state.qd, state.qdd)) / effort).max())
        rows.append((found.duration / theirs, *ours, found.proven, used))
    ratio, mine, its, proven, used = np.array(rows, dtype=float).T
    print(
        f"{name}: {len(rows)} paths, ratio at most {np.nanmax(ratio):.4f}, median {np.nanmedian(ratio):.4f} "
        f"({np.isnan(ratio).sum()} without a motion of toppra); {1e3 * np.median(mine):.0f} and "
        f"{1e3 * np.median(its):.0f} ms; proven {proven.mean():.0%}; "
        f"largest torque {used.max():.6f}",
        flush=True,
    )


def main() -> None:
    """A line per robot, speed limits and friction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--paths", type=int, default=100)
    parser.add_argument("--speeds", type=float, nargs="*", default=[1.0, 5.0])
    options = parser.parse_args()
    import toppra

    toppra.setup_logging("ERROR")
    for name, robot in robots(options.data).items():
        for speeds in options.speeds:
            for friction in (0.0, 0.05):
                words = f"{name}, speeds x {speeds:g}, friction {friction:g}"
                compare(words, changed(robot, speeds, friction), friction, options.paths)


if __name__ == "__main__":
    main()
