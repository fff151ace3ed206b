"""The step `simplify`: the cheapest model that provably meets the specification, as `torquec simplify -o` leaves it.

Where there is none that later steps could use, the run goes on with the exact model, and everything says why: nothing
simpler was found or proven in time, the proof could not be checked in time, or the mass matrix may be singular. A model
whose proof is not checked yet is written all the same: `torquec check` does that later.
"""

from __future__ import annotations

from torquec.foundation.budget import Budget
from torquec.model.model import Model
from torquec.model.simplified import simplified_and_checked
from torquec.project.simplification import DOCUMENT, Simplification
from torquec.project.step import StepContext, StepResult


def simplify_step(context: StepContext) -> str | StepResult:
    """Search, prove and prove again with independent code within the project's time, and write everything."""
    project, work = context.project, context.work
    specification, seconds = project.specification, project.simplify.seconds
    assert specification is not None
    allowed = "" if seconds is None else f" in the {seconds:g} s that [simplify] allows"
    budget = Budget.after(seconds)
    found = simplified_and_checked(context.exact_model(), specification, budget, work=work, only_simpler=True)
    if found is None:
        return _nothing(context, f"nothing simpler than the exact model was found and proven{allowed}")
    model, checked = found
    with work.step("looking whether its mass matrix is regular"):
        unused = _unusable(model)
    if not checked:
        late = f"its proof could not be checked again{allowed}: torquec check does that later"
        unused = f"a simpler model was found, but {late}"
    made = Simplification(model, None, checked=checked, seconds=work.seconds, unused=unused)
    with work.step("writing equations, code and certificate") as step:
        made.write(context.folder, lambda text: step.show(note=text))
    made.write_document(context.folder)
    before, after = made.operations
    said = f"{before.mul} mul, {before.add} add -> {after.mul} mul, {after.add} add, proven"
    return StepResult(f"{said}; the run goes on with the exact model: {unused}", unused) if unused else said


def _nothing(context: StepContext, why: str) -> StepResult:
    """No files but a document that says so."""
    context.write_document(DOCUMENT, "simplify", {"unused": why})
    return StepResult(f"the run goes on with the exact model: {why}", why)


def _unusable(model: Model) -> str:
    """Why a controller cannot be made of a model: its forward dynamics are refused."""
    reason = model.refusal("forward_dynamics")
    return f"{reason}; smaller torque errors in [specification] keep it regular" if reason else ""
