"""The step `design`: the controller and how much model error it survives, as `torquec design -o` leaves them."""

from __future__ import annotations

from torquec.project.design_study import DOCUMENT, design_study, loop_curves, root_loci
from torquec.project.project import Project, project_motion
from torquec.project.step import StepContext
from torquec.robot.payload import changes_text
from torquec.trajectory import Trajectory


def design_step(context: StepContext) -> str:
    """Make the law from the best model, and write it as C and JSON with its document."""
    from torquec.control.controller_file import write_controller

    choice = context.project.design
    assert choice is not None
    model, motion = context.best_model(), design_motion(context.project)
    n = model.robot.n
    point = ((0.0,) * n if motion is None else tuple(motion.q[0].tolist()), (0.0,) * n, (0.0,) * n)
    study = design_study(model, choice, point=point, motion=motion, work=context.work)
    write_controller(
        study.law,
        context.folder,
        prefix=model.robot.name,
        details=study.details,
        promise=study.promise,
        about=changes_text(study.robot, gravity=True),
        force=True,
    )
    curves = loop_curves(study, root_loci(model, study, choice, motion))
    context.write_document(DOCUMENT, "design", study.document | {"files": context.names()} | curves)
    operations = study.law.operations
    return f"{study.kind} at {1.0 / choice.period:g} Hz: {operations.mul} mul, {operations.add} add"


def design_motion(project: Project) -> Trajectory | None:
    """The motion that the law is judged along."""
    if project.motion is None or project.design is None:
        return None
    return project_motion(project.motion, project.robot, project.design.period)
