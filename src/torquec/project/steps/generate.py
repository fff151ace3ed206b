"""The step `generate`: source code of the best model for every target, as `torquec generate` writes it."""

from __future__ import annotations

import dataclasses

from torquec.codegen.precision import Precision
from torquec.project.step import DESIGN, REALTIME, StepContext
from torquec.project.steps.realtime import DOCUMENT as PLAN
from torquec.realtime.targets import TARGETS, TargetOptions, check_request, write_target

DOCUMENT = "generate.json"


def generate_step(context: StepContext) -> str:
    """A folder for each target."""
    part, model = context.project.generate, context.best_model()
    options = _options(context)
    written = {}
    for target in part.targets:
        with context.work.step(f"writing {target}"):
            # Of one file for several targets each takes what it has: the others compute in double precision.
            precision = part.precision if part.precision in TARGETS[target].precisions else Precision.DOUBLE
            check_request(target, model)
            chosen = dataclasses.replace(options, precision=precision)
            written[target] = write_target(model, context.folder / target, target, chosen).functions
    functions = {
        target: {name: dataclasses.asdict(count) for name, count in counts.items()}
        for target, counts in written.items()
    }
    document = {"targets": list(part.targets), "precision": part.precision.value, "functions": functions}
    context.write_document(DOCUMENT, "generate", document | {"files": context.names()})
    return f"{', '.join(part.targets)}: {sum(map(len, written.values()))} functions"


def _options(context: StepContext) -> TargetOptions:
    """What the file and earlier steps give: parameters that change, the controller, the bounds of the hold error."""
    from torquec.control.controller_file import FILE_NAME, read_controller
    from torquec.realtime.plan import HeldErrors

    part = context.project.generate
    taken = {name for target in part.targets for name in TARGETS[target].options}
    designed = "law" in taken and DESIGN in context.results
    planned = "spec" in taken and REALTIME in context.results
    law = read_controller(context.results[DESIGN] / FILE_NAME) if designed else None
    errors = HeldErrors.of_document(context.read_document(REALTIME, PLAN)) if planned else None
    order = None if errors is None else errors.order
    return TargetOptions(update=part.update, law=law, plan=errors, order=order)
