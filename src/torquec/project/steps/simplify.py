"""The step `simplify`: the cheapest model that provably meets the specification, as `torquec simplify -o` leaves it."""

from __future__ import annotations

from torquec.project.simplification import Simplification
from torquec.project.step import StepContext


def simplify_step(context: StepContext) -> str:
    """Search within the project's time, prove, prove again with independent code, and write everything."""
    from torquec.model.simplified import simplify
    from torquec.proof.checker.check_certificate import check_certificate

    project, work = context.project, context.work
    specification, seconds = project.specification, project.simplify.seconds
    assert specification is not None
    model = simplify(context.exact_model(), specification, seconds=seconds, work=work)
    assert model.record is not None
    check_certificate(model.robot, model.record, work=work)
    made = Simplification(model, None, checked=True, seconds=work.seconds)
    with work.step("writing equations, code and certificate") as step:
        made.write(context.folder, lambda text: step.show(note=text))
    made.write_document(context.folder)
    before, after = made.operations
    return f"{before.mul} mul, {before.add} add -> {after.mul} mul, {after.add} add, proven"
