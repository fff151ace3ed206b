"""Pipeline of a run: its steps in order, with their inputs; one row per step.

A new step is a function in `model_steps.py`, `loop_steps.py` or `package_steps.py`, and a row here.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from torquec.project.loop_steps import design_step, simulate_step, verdict_step
from torquec.project.model_steps import identify_step, robot_check_step, simplify_step
from torquec.project.package_steps import generate_step, realtime_step, report_step, selftest_step
from torquec.project.project import MotionPart, Project
from torquec.project.step import DESIGN, IDENTIFY, REALTIME, SIMPLIFY, RunStep

MODELS = ("check", IDENTIFY, SIMPLIFY)
"""The steps that determine the best model."""


def _logs(project: Project) -> tuple[Path, ...]:
    """Every file that identification reads; also the robot file, whose copy gets the identified parameters."""
    part = project.identify
    named = () if part is None else (*part.logs, *part.validate, *([part.log_map] if part.log_map else ()))
    robot = () if project.robot_file is None else (project.robot_file,)
    return tuple(path for path in (*named, *robot) if path.is_file())


def _motions(project: Project) -> tuple[Path, ...]:
    parts: list[MotionPart | None] = [project.motion, *(each.motion for each in project.experiments)]
    words = [part.trajectory for part in parts if part is not None and part.trajectory is not None]
    return tuple(path for path in map(Path, words) if path.is_file())


def _specification(project: Project) -> object:
    return None if project.specification is None else dataclasses.replace(project.specification, source="")


def _motion_words(part: MotionPart | None) -> object:
    """A motion without the folder of its file, because the file itself is an input by its content."""
    if part is None or part.trajectory is None:
        return part
    return dataclasses.replace(part, trajectory=Path(part.trajectory).name)


def _tracked(project: Project) -> object:
    """The control loop, if the specification limits tracking errors; else None."""
    if project.specification is None or not project.specification.tracks:
        return None
    return project.design, project.uncertainty, _motion_words(project.motion)


STEPS = (
    RunStep("check", "reading the robot", robot_check_step, kept=False),
    RunStep(
        IDENTIFY,
        "identifying the robot",
        identify_step,
        reads=lambda project: None if project.identify is None else project.identify.options,
        needs=("check",),
        files=_logs,
        skipped=lambda project: "" if project.identify else "there is no log: [identify] is not in the project",
    ),
    RunStep(
        SIMPLIFY,
        "simplifying the model",
        simplify_step,
        reads=lambda project: (_specification(project), project.simplify, _tracked(project)),
        needs=("check", IDENTIFY),
        files=lambda project: _motions(project) if _tracked(project) else (),
        skipped=lambda project: "" if project.specification else "there is no [specification]",
    ),
    RunStep(
        DESIGN,
        "designing the controller",
        design_step,
        reads=lambda project: (project.design, project.uncertainty, _motion_words(project.motion)),
        needs=MODELS,
        files=_motions,
        skipped=lambda project: "" if project.design else "there is no [design]",
    ),
    RunStep(
        "verdict",
        "judging the loop",
        verdict_step,
        needs=(DESIGN,),
        requires=(DESIGN,),
        skipped=lambda project: "" if project.design else "there is no [design]",
    ),
    RunStep(
        "simulate",
        "simulating the experiments",
        simulate_step,
        reads=lambda project: (
            [dataclasses.replace(each, motion=None) for each in project.experiments],
            [_motion_words(each.motion or project.motion) for each in project.experiments],
            project.seed,
        ),
        needs=("check", IDENTIFY, DESIGN),
        requires=(DESIGN,),
        files=_motions,
        skipped=lambda project: "" if project.experiments else "there is no [[experiment]]",
    ),
    RunStep(
        REALTIME,
        "planning the two rates",
        realtime_step,
        reads=lambda project: (_specification(project), project.realtime, project.design and project.design.period),
        needs=MODELS,
        skipped=lambda project: "" if project.realtime else "there is no [realtime]",
    ),
    RunStep(
        "generate",
        "writing source code",
        generate_step,
        reads=lambda project: project.generate,
        needs=(*MODELS, DESIGN, REALTIME),
    ),
    RunStep(
        "selftest",
        "testing what was made",
        selftest_step,
        reads=lambda project: project.seed,
        needs=(*MODELS, "generate"),
    ),
    RunStep("report", "making the page", report_step, at_top=True),
)
"""Steps in the order of execution."""
