"""The step `generate`: source code of the best model for every target, as `torquec generate` writes it."""

from __future__ import annotations

import dataclasses

from torquec.project.project import GeneratePart
from torquec.project.step import DESIGN, REALTIME, StepContext
from torquec.project.steps.realtime import DOCUMENT as PLAN
from torquec.realtime.choices import ROS2, TWO_RATE, HoldOrder

DOCUMENT = "generate.json"


def generate_step(context: StepContext) -> str:
    """A folder for each target."""
    from torquec.control.controller_file import FILE_NAME, read_controller
    from torquec.model.generate import generate
    from torquec.realtime.held_errors import HeldErrors
    from torquec.realtime.package import write_two_rate_package
    from torquec.realtime.ros2_package import write_ros2_package

    part, model = context.project.generate, context.best_model()
    written = {}
    for target in part.targets:
        folder = context.folder / target
        with context.work.step(f"writing {target}"):
            if target == TWO_RATE:
                law = read_controller(context.results[DESIGN] / FILE_NAME) if DESIGN in context.results else None
                planned = REALTIME in context.results
                errors = HeldErrors.of_document(context.read_document(REALTIME, PLAN)) if planned else None
                written[target] = write_two_rate_package(
                    model,
                    folder,
                    update=part.update,
                    order=HoldOrder.FIRST if errors is None else errors.order,
                    law=law,
                    plan=errors,
                    precision=_precision(part, target),
                ).functions
            elif target == ROS2:
                written[target] = write_ros2_package(model, folder).functions
            else:
                written[target] = generate(model, folder, target=target, precision=_precision(part, target)).functions
    functions = {
        target: {name: dataclasses.asdict(count) for name, count in counts.items()}
        for target, counts in written.items()
    }
    document = {"targets": list(part.targets), "precision": part.precision.value, "functions": functions}
    context.write_document(DOCUMENT, "generate", document | {"files": context.names()})
    return f"{', '.join(part.targets)}: {sum(map(len, written.values()))} functions"


def _precision(part: GeneratePart, target: str) -> str:
    """What is chosen is for C; the others compute in double precision."""
    return part.precision.value if target in ("c", TWO_RATE) else "double"
