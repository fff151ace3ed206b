"""Closed-loop simulation: speed against a Python loop around `pin.aba`, energy drift, Clover's three controllers.

    python -m benchmarks.simulation [FOLDER FOR PICTURES]

Times are processor times of one core, the shortest of several rounds; errors are deterministic.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import torquec
from torquec.control.computed_torque import computed_torque, diagonal_computed_torque
from torquec.control.controller import Controller, make_controller
from torquec.control.pole_placement import pole_placement
from torquec.model.model import compile
from torquec.report.tracking_plots import plot_errors, plot_torques
from torquec.robot import classics, write_urdf
from torquec.robot.robot import Robot
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.monte_carlo import Spread, monte_carlo
from torquec.simulation.plant import DryFriction, Plant
from torquec.simulation.sensors import Sensors, SpeedSource
from torquec.simulation.simulation_result import SimulationResult, tip_error
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory

POLE, PERIOD, RESOLUTION = -12 + 45j, 0.002, 1e-4
"""Clover's poles and rate; an encoder of 62,800 counts per turn."""

QUICK, FAST = 0.6, 0.35
"""[s] The standard way; velocity torques are 6 and 18 times as large as in 1.5 s. In 0.35 s they equal gravity
and friction together, and drives are asked for more than they have: that run is without limits.
"""

SLOW_POLE, FIRST_ERROR = -4.5 + 4.5j, 0.02
"""A pole so slow that velocity terms weigh as much as the feedback; [rad] what there is to correct."""


def speed(robot: Robot) -> None:
    """Control steps per second, natively and in Python around Pinocchio."""
    law = computed_torque(robot, POLE, period=PERIOD)
    motion = puma560_standard_trajectory(duration=150.0)
    rows = []
    for friction in (DryFriction.NONE, DryFriction.SMOOTH, DryFriction.STICK):
        plant = Plant(robot, friction=friction)
        best = max(simulate(plant, law, motion, options=LoopOptions(record_every=0)).steps_per_second for _ in range(5))
        rows.append((f"one run, friction {friction.value}", best))
    short = puma560_standard_trajectory()
    spread = Spread(inertia=0.05, friction=0.1)
    plant = Plant(robot)
    best = max(monte_carlo(plant, law, short, runs=64, spread=spread).steps_per_second for _ in range(5))
    rows.append(("64 runs of scattered parameters", best))
    for name, steps in rows:
        print(f"  {name:34s} {steps:12,.0f} control steps/s")
    peer = pinocchio_loop(robot, law)
    if peer:
        print(f"  {'Python loop around pin.aba':34s} {peer:12,.0f} control steps/s")
        print(f"  ratio, one run without friction    {rows[0][1] / peer:12.1f}")


def pinocchio_loop(robot: Robot, law: Controller) -> float | None:
    """Control steps per second of the same loop (RK4, no friction) in Python with Pinocchio; None without it."""
    try:
        import pinocchio
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        write_urdf(robot, path)
        model = pinocchio.buildModelFromUrdf(str(path))
    data = model.createData()
    model.armature = np.diagonal(np.array(robot.drives.reflected_inertia(robot.n))).copy()
    motion = puma560_standard_trajectory()
    aba, control, h = pinocchio.aba, law.native.call, PERIOD
    best = 0.0
    for _ in range(3):
        q, qd = motion.q[0].copy(), motion.qd[0].copy()
        began = time.thread_time()
        for q_ref, qd_ref, qdd_ref in zip(motion.q[:-1], motion.qd[:-1], motion.qdd[:-1], strict=True):
            tau = control(q_ref, qd_ref, qdd_ref, q, qd)
            a1 = aba(model, data, q, qd, tau).copy()
            v2 = qd + 0.5 * h * a1
            a2 = aba(model, data, q + 0.5 * h * qd, v2, tau).copy()
            v3 = qd + 0.5 * h * a2
            a3 = aba(model, data, q + 0.5 * h * v2, v3, tau).copy()
            v4 = qd + h * a3
            a4 = aba(model, data, q + h * v3, v4, tau)
            q = q + h / 6.0 * (qd + 2.0 * (v2 + v3) + v4)
            qd = qd + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)
        best = max(best, (len(motion) - 1) / (time.thread_time() - began))
    return best


def energy(robot: Robot) -> None:
    """Energy of the arm swinging freely for 10 s, steps of 0.1 ms."""
    free = make_controller("free", robot.joint_names, lambda **signals: {"tau": [0.0 * x for x in signals["q"]]})
    clock = minimum_jerk(np.zeros(robot.n), np.zeros(robot.n), 10.0, joints=robot.joint_names, period=1e-4)
    plant = Plant(robot, friction=DryFriction.NONE, saturates=False)
    start = np.array([0.3, -1.0, 0.5, 0.2, 0.4, 0.1])
    result = simulate(plant, free, clock, options=LoopOptions(record_every=100), initial_q=start)
    arm = compile(robot)
    kinetic = arm.kinetic_energy(result.q, result.qd)
    total = kinetic + arm.potential_energy(result.q)
    print(f"  drift {np.abs(total - total[0]).max():.2e} J; kinetic energy up to {kinetic.max():.1f} J")


def tracked(
    robot: Robot, duration: float, *, pole: complex = POLE, first_error: float = 0.0, saturates: bool = True
) -> dict[str, SimulationResult]:
    """Clover's three controllers at 500 Hz with quantised encoders, by name."""
    motion = puma560_standard_trajectory(duration=duration)
    options = LoopOptions(
        sensors=Sensors(resolution=RESOLUTION, speed=SpeedSource.DIFFERENCE), integrator=RungeKutta4(4)
    )
    plant = Plant(robot, friction=DryFriction.STICK, saturates=saturates)
    laws = {
        "CT1": pole_placement(robot, pole, period=PERIOD),
        "CT2": computed_torque(robot, pole, period=PERIOD, evaluation="reference"),
        "CT3": diagonal_computed_torque(robot, pole, period=PERIOD, evaluation="reference"),
    }
    return {
        name: simulate(plant, law, motion, options=options, initial_q=motion.q[0] + first_error)
        for name, law in laws.items()
    }


def controllers(
    robot: Robot,
    duration: float,
    folder: Path | None,
    *,
    pole: complex = POLE,
    first_error: float = 0.0,
    saturates: bool = True,
) -> None:
    """Print the errors of the three controllers, and draw them where there is a folder."""
    motion = puma560_standard_trajectory(duration=duration)
    results = tracked(robot, duration, pole=pole, first_error=first_error, saturates=saturates)
    tips = {name: tip_error(robot, "link6", result) for name, result in results.items()}
    for name in results:
        rmse = " ".join(f"{1e3 * value:.4f}" for value in results[name].rmse_values)
        print(
            f"  {name}  tip max {1e3 * tips[name].max():.4f} mm, rms {1e3 * np.sqrt((tips[name] ** 2).mean()):.4f} mm; "
            f"joints rmse [mrad] {rmse}"
        )
    arm = compile(robot)
    speeds = np.abs(arm.velocity_torque(motion.q, motion.qd)).max(axis=0)
    others = np.abs(arm.gravity_torque(motion.q)) + np.abs(arm.friction_torque(motion.qd))
    print(
        "  velocity torques over gravity and friction, peaks:", *(f"{v:.2f}" for v in (speeds / others.max(axis=0))[:3])
    )
    if folder is not None:
        label = f"PUMA 560, {duration:g} s, 500 Hz, poles {pole.real:g} +- {pole.imag:g}j"
        plot_errors(results, folder / f"errors_{duration:g}s.png", tip=tips, title=label)
        plot_torques(results, folder / f"torques_{duration:g}s.png", title=label)


def main() -> None:
    """Print every figure."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    robot = classics.puma560()
    print(f"torquec {torquec.__version__}, PUMA 560, computed torque, RK4 once per control step")
    speed(robot)
    print("Free arm, 10 s in steps of 0.1 ms")
    energy(robot)
    for duration in (1.5, QUICK):
        print(f"Standard way in {duration:g} s, 500 Hz, encoders of {RESOLUTION:g} rad, poles -12 +- 45j")
        controllers(robot, duration, folder)
    print(f"In {FAST:g} s with poles -4.5 +- 4.5j, from an error of {FIRST_ERROR:g} rad in every joint")
    controllers(robot, FAST, folder, pole=SLOW_POLE, first_error=FIRST_ERROR, saturates=False)


if __name__ == "__main__":
    main()
