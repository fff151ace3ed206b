"""Simulated runs as the JSON documents of `torquec simulate`, one run or many; and the folder of a simulation."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from torquec.project.tuning import TUNING
from torquec.report.found_documents import RUN_FILE

if TYPE_CHECKING:
    from torquec.control.controller import Controller
    from torquec.foundation.work import StepReport
    from torquec.robot.robot import Robot
    from torquec.simulation.closed_loop import LoopOptions
    from torquec.simulation.monte_carlo import ErrorEnvelope, MonteCarloResult
    from torquec.simulation.plant import Plant
    from torquec.simulation.simulation_result import PassedLimit, SimulationResult
    from torquec.trajectory import Trajectory

DOCUMENT = "simulation.json"


def simulation_conditions(plant: Plant, motion: Trajectory, options: LoopOptions, *, file: str = "") -> dict[str, Any]:
    """Conditions of the simulation: plant and load, motion (from a `file`, if any), measurements."""
    from torquec.simulation.applied_forces import HeldPayload

    robot, sensors = plant.robot, options.sensors
    friction = [joint.friction for joint in robot.joints] + [motor.friction for motor in robot.drives.motors]
    return {
        "robot": robot.name,
        "payload": [
            {"frame": load.frame, "mass": load.mass, "center": list(load.center)}
            for load in plant.forces
            if isinstance(load, HeldPayload)
        ],
        "motion": {
            "file": Path(file).name,
            "from": motion.q[0].tolist(),
            "to": motion.q[-1].tolist(),
            "duration": float(motion.t[-1] - motion.t[0]),
        },
        "friction": plant.friction.value,
        "friction_stated": any(any(dataclasses.astuple(law)) for law in friction),
        "effort": plant.effort,
        "resolution": float(np.max(sensors.resolution)),
        "noise": sensors.position_noise,
        "delay": sensors.delay,
        "seed": options.seed,
    }


def run_summary(robot: Robot, result: SimulationResult) -> dict[str, Any]:
    """Summary of one run; `robot`: the robot of the plant."""
    from torquec.simulation.simulation_result import passed_limits

    return {
        "rmse": result.rmse,
        "max_error": result.max_error,
        "saturated": list(result.saturated),
        "first_saturation": result.first_saturation,
        "unmoved": unmoved_joints(result),
        "passed_limits": _limit_rows(passed_limits(robot, result.t, result.q, result.qd)),
        "steps": result.steps,
        "steps_per_second": result.steps_per_second,
    }


def _limit_rows(passed: Iterable[PassedLimit]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(limit) | {"quantity": limit.quantity.value} for limit in passed]


def _ranges_of_runs(robot: Robot, reference: Trajectory, envelope: ErrorEnvelope | None) -> dict[str, Any]:
    """Position ranges of many runs, if their errors were recorded; speeds are not recorded."""
    from torquec.simulation.simulation_result import left_ranges

    if envelope is None:
        return {}
    q = reference.q[np.isin(reference.t, envelope.t)]
    return {"passed_limits": _limit_rows(left_ranges(robot, envelope.t, q - envelope.highest, q - envelope.lowest))}


def unmoved_joints(result: SimulationResult) -> list[str]:
    """Joints that hardly move although their reference does: friction holds them, or their drives are too weak."""
    wanted, done = (np.ptp(part, axis=0) for part in (result.q_ref, result.q))
    return [name for name, w, d in zip(result.joints, wanted, done, strict=True) if d < TUNING.unmoved_share * w]


def many_runs(
    plant: Plant,
    law: Controller,
    motion: Trajectory,
    *,
    runs: int,
    spread: float,
    options: LoopOptions,
    envelope: bool = False,
    report: Callable[[StepReport], None] | None = None,
) -> tuple[dict[str, Any], MonteCarloResult]:
    """Many runs: the worst of each joint and how the errors are distributed; and the runs themselves."""
    from torquec.foundation.work import Work
    from torquec.simulation.monte_carlo import Spread, monte_carlo

    scatter = Spread(spread, spread)
    with ThreadPoolExecutor(os.cpu_count()) as cores:  # the loop runs without the interpreter's lock
        work = Work(executor=cores, report=report)
        result = monte_carlo(
            plant, law, motion, runs=runs, spread=scatter, options=options, envelope=envelope, work=work
        )
    stable = np.isnan(result.diverged)
    kept = result.rmse[stable] if stable.any() else np.full((1, len(law.joints)), np.nan)
    worst = result.max_error[stable] if stable.any() else np.full((1, len(law.joints)), np.nan)
    saturated = result.saturated[stable].max(axis=0, initial=0.0) > 0.0

    def by_joint(values: Any) -> dict[str, float]:
        return dict(zip(law.joints, np.asarray(values).tolist(), strict=True))

    return {
        "rmse": by_joint(np.sqrt((kept**2).mean(axis=0))),
        "max_error": by_joint(worst.max(axis=0)),
        "median_error": by_joint(np.median(worst, axis=0)),
        "saturated": [name for name, hit in zip(law.joints, saturated, strict=True) if hit],
        "runs": runs,
        "diverged": int((~stable).sum()),
        "steps": runs * result.steps,
        "steps_per_second": result.steps_per_second,
        "spread": spread,
        **_ranges_of_runs(plant.robot, motion.sampled(options.period or law.period or motion.period), result.envelope),
    }, result


def write_simulation(
    folder: Path,
    document: dict[str, Any],
    result: SimulationResult | MonteCarloResult,
    *,
    robot: Robot,
    force: bool = False,
) -> list[Path]:
    """Write the document with its curves, the CSV of a single run, and the page. `robot`: that of the controller."""
    from torquec.foundation.writing import new_folder
    from torquec.report.report import PAGE, write_report
    from torquec.report.result_document import result_text
    from torquec.simulation.simulation_result import SimulationResult, write_result

    names = [DOCUMENT]
    with new_folder(folder, force=force) as scratch:
        if isinstance(result, SimulationResult):
            names.append(write_result(result, scratch / RUN_FILE).name)
        kept = document | tracking_curves(result)
        (scratch / DOCUMENT).write_text(result_text("simulate", kept, robot), encoding="ascii")
        made = write_report(scratch, scratch / PAGE, called=str(folder), live=False)
        names += [made.page.name, made.twin.name]
    return [folder / name for name in names]


def tracking_curves(result: SimulationResult | MonteCarloResult) -> dict[str, Any]:
    """Curves of a run, or of many (with `envelope`), for drawings: the key `samples`."""
    from torquec.report.sample_curves import envelope_curves, run_curves
    from torquec.simulation.simulation_result import SimulationResult

    if isinstance(result, SimulationResult):
        return {"samples": run_curves(result)}
    return {} if result.envelope is None else {"samples": envelope_curves(result.joints, result.envelope)}
