"""The steps of a run on the closed loop: `design`, `verdict` on its guarantees, `simulate` for the experiments.

The verdict begins with the computed bound on the tracking error and the conditions under which it holds. Statistics
follow: narrow stability limits of linear models along the motion, and stability for the parameters that an
identification leaves possible.

A guarantee holds under conditions (:mod:`torquec.control.tracking_claim`), and an experiment may violate them on
purpose: by friction, an unknown load, sensors. If a simulated error exceeds the bound, the report names the violated
conditions; an error that none of them explains contradicts the guarantee.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from torquec.control.tracking_claim import computed_reason, guarantee_sentence, tracking_claim
from torquec.control.uncertainty import Uncertainty
from torquec.dynamics.rotorless_joints import rotorless_text
from torquec.errors import DivergenceError
from torquec.project.design_study import DOCUMENT as DESIGNED
from torquec.project.design_study import design_study, loop_curves, root_loci, write_witness
from torquec.project.project import ExperimentPart, design_motion, experiment_folder, project_motion
from torquec.project.project_numbers import has_friction
from torquec.project.simulation_document import DOCUMENT as SIMULATED
from torquec.project.simulation_document import many_runs, run_summary, simulation_conditions, tracking_curves
from torquec.project.step import DESIGN, IDENTIFY, StepContext
from torquec.report.design import narrow_limits
from torquec.report.found_documents import RUN_FILE
from torquec.robot.drives import assumed_drives
from torquec.robot.robot import Robot
from torquec_check.claim import Standing, rounded_up


def design_step(context: StepContext) -> str:
    """Make the law from the best model, and write it as C and JSON with its document."""
    from torquec.control.controller_file import law_prefix, write_controller
    from torquec.foundation.package_manifest import add_to_package
    from torquec.model.generate import usual_precision

    choice = context.project.design
    assert choice is not None
    model, motion = context.best_model(), design_motion(context.project)
    n = model.robot.n
    point = ((0.0,) * n if motion is None else tuple(motion.q[0].tolist()), (0.0,) * n, (0.0,) * n)
    stated = context.project.uncertainty
    sets = None if stated is None else stated.with_identified(context.exact_model())
    known = context.tracking().get("guarantee")
    study = design_study(
        model, choice, point=point, motion=motion, uncertainty=sets, guarantee=known, work=context.work
    )
    write_controller(
        study.law,
        context.folder,
        prefix=law_prefix(model.robot),
        precision=usual_precision(model, "c"),
        details=study.details,
        guarantee=study.document["guarantee"],
        force=True,
    )
    write_witness(study, context.folder)
    curves = loop_curves(study, root_loci(model, study, choice, motion))
    context.write_document(DESIGNED, "design", study.document | {"files": context.names()} | curves)
    add_to_package(context.folder)
    operations = study.law.operations
    return f"{study.kind} at {1.0 / choice.period:g} Hz: {operations.mul} mul, {operations.add} add"


class Origin(StrEnum):
    """The basis of a statement; a member's value is the word in the document."""

    TUBE = "tube"
    LINEAR = "linear models"
    COVARIANCE = "covariance"


def verdict_step(context: StepContext) -> str:
    """State what the documents of the design prove, and what is only likely."""
    found = context.read_document(DESIGN, DESIGNED)
    said = verdict_statements(found)
    guarantee = found["guarantee"]
    claim = tracking_claim(guarantee).to_document() if guarantee.get("valid") else None
    statements, origins = [text for text, _ in said], [origin.value for _, origin in said]
    proven = claim is not None and claim["standing"] == Standing.PROVEN
    # Identification replaces the inertias and frictions of drives files.
    robot, is_identified = context.project.robot, IDENTIFY in context.results
    assumed = [] if is_identified else assumed_drives(robot)
    missing = [] if is_identified else missing_drives(robot)
    document = {"proven": proven, "claim": claim, "statements": statements, "origins": origins}
    document |= {"assumed": assumed, "missing": missing}
    context.write_document("verdict.json", "verdict", document)
    rests = [f"it rests on {text}" for text in assumed]
    return "; ".join(filter(None, [statements[0], computed_reason(guarantee), *rests]))


def missing_drives(robot: Robot) -> list[str]:
    """What the files of a robot do not state of its drives, in words: friction, and rotors that its limits suggest."""
    rotorless = rotorless_text(robot)
    found = [] if has_friction(robot) else ["friction of every joint: the files of the robot state none"]
    return [*found, *([f"rotor inertias: {rotorless}"] if rotorless else [])]


def verdict_statements(found: Mapping[str, Any]) -> list[tuple[str, Origin]]:
    """A sentence with its basis for each claim in the document of a design."""
    guarantee, covariance = found["guarantee"], found["covariance"]
    said = [(guarantee_sentence(guarantee), Origin.TUBE)]
    if reason := computed_reason(guarantee):
        said.append((reason, Origin.TUBE))
    said += [(text, Origin.LINEAR) for text in narrow_limits(found.get("robustness", {}))]
    if "stable" in covariance:
        answer = "all of them" if covariance["stable"] else "not all of them"
        text = f"of the parameters that the logs leave possible ({covariance['level']:g}), {answer} are stable"
        said.append((text, Origin.COVARIANCE))
    return said


_FRICTION = "friction"


def beyond_guarantee(
    guarantee: Mapping[str, Any],
    simulated: Mapping[str, Any],
    *,
    own_motion: bool = False,
    uncertainty: Uncertainty | None = None,
) -> dict[str, Any] | None:
    """Report on a simulation whose error exceeds the guaranteed bound; None if no error does, or there is no bound.

    `guarantee`: from the design's document. `simulated`: document of the experiment. `own_motion`: whether its motion
    differs from that of the design. `uncertainty`: the sets that the guarantee covers. The result has the keys `joint`,
    `error`, `bound`, `reasons` (violated conditions, in words), `disturbed` (whether a condition other than friction is
    violated) and `text`, a sentence.
    """
    if not guarantee.get("valid"):
        return None
    bounds = guarantee["bounds"]
    over = [
        (error / max(bounds[joint]["value"], 1e-300), joint)
        for joint, error in simulated.get("max_error", {}).items()
        if joint in bounds and error > bounds[joint]["value"]  # False for NaN
    ]
    if not over:
        return None
    _, joint = max(over)
    error, bound, unit = simulated["max_error"][joint], bounds[joint]["value"], bounds[joint]["unit"]
    reasons = _reasons(simulated, uncertainty, own_motion=own_motion)
    others = [name for _, name in over if name != joint]
    more = f" ({', '.join(others)} {'exceeds its' if len(others) == 1 else 'exceed their'} own)" if others else ""
    standing = tracking_claim(guarantee).standing if guarantee.get("robot") else Standing.COMPUTED
    stated = f"the {standing} bound is {rounded_up(bound, 2)} {unit}{more}"
    errs = f"{joint} errs by {error:.3g} {unit} in the simulation, {stated}"
    if reasons:
        listed = reasons[0] if len(reasons) == 1 else f"{', '.join(reasons[:-1])} and {reasons[-1]}"
        text = f"{errs}: the simulation includes {listed}, which the guarantee does not cover"
    else:
        text = f"{errs}: this CONTRADICTS the guarantee, whose conditions were all met; please report it"
    disturbed = any(reason != _FRICTION for reason in reasons)
    return {"joint": joint, "error": error, "bound": bound, "reasons": reasons, "disturbed": disturbed, "text": text}


def _reasons(simulated: Mapping[str, Any], covered: Uncertainty | None, *, own_motion: bool) -> list[str]:
    """The conditions of a guarantee that a simulation violates."""
    given = simulated["conditions"]
    late = 0 if covered is None else covered.timing.delay
    found = {
        _FRICTION: given["friction_stated"] and covered is None,
        "a load that the model does not include": [part for part in given["payload"] if not _carried(part, covered)],
        "sensors with steps or noise": given["noise"] or given["resolution"] > _encoders(covered),
        "a delay": given["delay"] != late,
        "scattered parameters": simulated.get("spread"),
        "drives at their torque limits": simulated.get("saturated"),
        "another motion than that of the design": own_motion,
    }
    return [words for words, present in found.items() if present]


def _carried(load: Mapping[str, Any], covered: Uncertainty | None) -> bool:
    """Whether a point mass is in the set of unknown payloads."""
    stated = None if covered is None else covered.payload
    if stated is None or load["frame"] != stated.frame:
        return False
    return load["mass"] <= stated.mass[1] and math.hypot(*load["center"]) <= stated.centre_within


def _encoders(covered: Uncertainty | None) -> float:
    """The coarsest resolution that is covered at every joint [rad, m]."""
    if covered is None:
        return 0.0
    return min(stated.position for stated in (covered.every_joint, *covered.joints.values()))


_ONE_TURN = 2.0 * math.pi
"""Tracking error [rad] above which a run counts as diverged."""


def simulate_step(context: StepContext) -> str:
    """Simulate each experiment into a folder of its own: its document with curves, and the run as CSV."""
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
    from torquec.control.uncertainty import SpeedSource
    from torquec.simulation.applied_forces import HeldPayload
    from torquec.simulation.closed_loop import LoopOptions, simulate
    from torquec.simulation.integrators import RungeKutta4
    from torquec.simulation.plant import Plant
    from torquec.simulation.sensors import Sensors
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
            resolution=experiment.resolution, speed=source, position_noise=experiment.noise, delay=experiment.delay
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
            document["diverged"] = error.found  # divergence of an experiment is a result
        else:
            document |= run_summary(plant.robot, result)
            write_result(result, folder / RUN_FILE)
            document |= tracking_curves(result)
    guarantee = context.read_document(DESIGN, DESIGNED)["guarantee"]
    beyond = beyond_guarantee(
        guarantee, document, own_motion=experiment.motion is not None, uncertainty=context.project.uncertainty
    )
    document |= {} if beyond is None else {"beyond_guarantee": beyond}
    files = sorted(path.name for path in folder.iterdir())
    context.write_document(f"{folder.name}/{SIMULATED}", "simulate", document | {"files": files})
    return document
