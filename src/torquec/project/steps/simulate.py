"""The step `simulate`: every experiment of the project, as `torquec simulate --law` runs it."""

from __future__ import annotations

import math
from typing import Any

from torquec.errors import DivergenceError
from torquec.project.beyond_guarantee import beyond_guarantee
from torquec.project.design_study import DOCUMENT as DESIGNED
from torquec.project.project import ExperimentPart, experiment_folder, project_motion
from torquec.project.simulation_document import DOCUMENT, many_runs, run_summary, simulation_conditions, tracking_curves
from torquec.project.step import DESIGN, StepContext
from torquec.report.found_documents import RUN_FILE

_ONE_TURN = 2.0 * math.pi
"""An error that no controlled joint has."""


def simulate_step(context: StepContext) -> str:
    """A folder for each experiment: its document with what a page draws, and the run as CSV."""
    worst = []
    for experiment in context.project.experiments:
        with context.work.step(f"simulating '{experiment.name}'"):
            document = _simulated(context, experiment)
        errors = [error for error in document.get("max_error", {}).values() if math.isfinite(error)]
        said = [f"{name} hardly moves" for name in document.get("unmoved", ())]
        said += [f"{name} passes its limits" for name in _beyond(document)]
        if beyond := document.get("beyond_guarantee"):
            said.append(beyond["text"])
        notes = f" ({', '.join(said)})" if said else ""
        worst.append(f"{experiment.name}: {max(errors):.3g}{notes}" if errors else f"{experiment.name}: diverged")
    return f"largest errors [rad, m]: {', '.join(worst)}"


def _beyond(document: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(passed["joint"] for passed in document.get("passed_limits", ())))


def _simulated(context: StepContext, experiment: ExperimentPart) -> dict[str, Any]:
    from torquec.control.controller_file import FILE_NAME, read_controller
    from torquec.simulation.applied_forces import HeldPayload
    from torquec.simulation.closed_loop import LoopOptions, simulate
    from torquec.simulation.integrators import RungeKutta4
    from torquec.simulation.plant import Plant
    from torquec.simulation.sensors import Sensors, SpeedSource
    from torquec.simulation.simulation_result import write_result

    law = read_controller(context.results[DESIGN] / FILE_NAME)
    real = context.exact_model()
    held = tuple(HeldPayload(part.frame, part.mass, part.center) for part in experiment.payload)
    part = experiment.motion or context.project.motion
    assert part is not None
    assert law.period is not None
    motion = project_motion(part, context.project.robot, law.period)
    plant = Plant(real, friction=experiment.friction, effort=experiment.effort, forces=held)
    source = SpeedSource.DIFFERENCE if experiment.resolution else SpeedSource.MEASURED
    options = LoopOptions(
        sensors=Sensors(
            resolution=experiment.resolution,
            speed=source,
            position_noise=experiment.noise,
            delay=experiment.delay,
        ),
        integrator=None if experiment.substeps is None else RungeKutta4(experiment.substeps),
        seed=context.project.seed,
        largest_error=_ONE_TURN,
    )
    folder = context.folder / experiment_folder(experiment.name)
    folder.mkdir()
    document: dict[str, Any] = {
        "experiment": experiment.name,
        "controller": law.name,
        "period": law.period,
        "joints": list(law.joints),
        "plant": real.kind.value,
        "units": {each.name: each.position_unit for each in plant.robot.coordinates},
        "conditions": simulation_conditions(plant, motion, options, file=part.trajectory or ""),
    }
    if experiment.runs > 1:
        found, runs = many_runs(
            plant,
            law,
            motion,
            runs=experiment.runs,
            spread=experiment.spread,
            options=options,
            envelope=True,
            report=context.work.report,
        )
        document |= found | tracking_curves(runs)
    else:
        try:
            result = simulate(plant, law, motion, options=options)
        except DivergenceError as error:
            document["diverged"] = error.found  # of an experiment that is an answer
        else:
            document |= run_summary(plant.robot, result)
            write_result(result, folder / RUN_FILE)
            document |= tracking_curves(result)
    guarantee = context.read_document(DESIGN, DESIGNED)["guarantee"]
    beyond = beyond_guarantee(guarantee, document, own_motion=experiment.motion is not None)
    document |= {} if beyond is None else {"beyond_guarantee": beyond}
    files = sorted(path.name for path in folder.iterdir())
    context.write_document(f"{folder.name}/{DOCUMENT}", "simulate", document | {"files": files})
    return document
