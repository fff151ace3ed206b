"""`torquec check FILE|DIR` proves again what files claim; `torquec verify-package DIR` runs a package everywhere."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.options import argument, option
from torquec.cli.output import progress, step_report


@dataclass(frozen=True, kw_only=True)
class CheckOptions(CommandOptions):
    """What to check, and the robot that the claims must be about."""

    path: Path = argument(
        ...,
        "A certificate, a model (.tq.json), or the folder of a certified model's package ({checked targets}).",
        metavar="FILE|DIR",
    )
    of_robot: str | None = option(
        None,
        "The robot (or model) of the claims; it must equal the robot in the files.",
        "--robot",
        metavar="ROBOT",
    )


@command("check", CheckOptions, example="torquec check puma560_small", without_model=True)
def check(options: CheckOptions) -> Outcome:
    """Check a certificate, a model or a package of generated code with the independent checker.

    Exit status 1 where a claim is refused, and where it is about another robot than that of --robot.
    """
    from torquec.foundation.work import Work
    from torquec.realtime.check_file import check_file
    from torquec.report.proof import check_text
    from torquec.report.result_document import ROBOT_AS_USED, as_used

    robot = None if options.of_robot is None else options.source.read(options.of_robot).robot
    found = check_file(options.path, robot=robot, work=Work(report=step_report(progress)))
    document: dict[str, Any] = {
        "ok": found.ok,
        "kind": found.kind.value,
        "claims": [dataclasses.asdict(claim) for claim in found.claims],
        "box": None if found.box is None else dataclasses.asdict(found.box),
        "specification": found.specification,
        "precision": found.precision.value,
        "slacks": dict(found.slacks),
        "seconds": round(found.seconds, 3),
        "refused": list(found.refused),
        "claim": None if found.claim is None or not found.ok else found.claim.to_document(),
        "held": None if found.held is None or not found.ok else found.held.to_document(),
        "assumptions": list(found.assumptions),
        ROBOT_AS_USED: None if found.robot is None else as_used(found.robot),
    }
    failed = "" if found.ok else f"refused: {found.refused[0]}"
    return Outcome(document, check_text(document, str(options.path), found.claim, found.held), failed=failed)


@dataclass(frozen=True, kw_only=True)
class VerifyPackageOptions(CommandOptions):
    """The package, and whether missing tools are failures."""

    path: Path = argument(..., "The folder that `torquec generate` wrote.", metavar="DIR")
    everything: bool = option(False, "Exit status 1 also if a tool is missing.", "--all")


@command("verify-package", VerifyPackageOptions, example="torquec verify-package puma560_c", without_model=True)
def verify_package(options: VerifyPackageOptions) -> Outcome:
    """Run the same states through Python, gcc, clang and emulated processors (Cortex-M7, aarch64).

    Shows the largest difference, branches reached, stack, code size and instruction counts. What is not installed is
    named and skipped. Exit status 1 where a platform differs or fails. See docs/generated-c.md.
    """
    from torquec.codegen.verify.package import verify_package as verify
    from torquec.foundation.work import Work
    from torquec.report.generated_code import verification_text

    found = verify(options.path, work=Work(report=step_report()))
    document: dict[str, Any] = {
        "ok": found.ok,
        "directory": str(found.directory),
        "prefix": found.prefix,
        "real": found.real,
        "functions": list(found.functions),
        "platforms": [{**dataclasses.asdict(row), "status": row.status.value} for row in found.platforms],
        "coverage": None if found.coverage is None else dataclasses.asdict(found.coverage),
        "stack": {name: dict(stack) for name, stack in found.stack.items()},
        "size": dict(found.size),
        "instructions": None
        if found.instructions is None
        else {
            name: {"fewest": count.fewest, "most": count.most, "spread": count.spread}
            for name, count in found.instructions.items()
        },
        "missing": list(found.missing),
    }
    wrong = [row for row in found.platforms if row.status.value in ("differs", "failed")]
    failed = f"{wrong[0].name}: {wrong[0].why or wrong[0].status.value}" if wrong else ""
    if not failed and not found.ok:
        failed = "nothing was verified: no compiler or emulator for this package is installed"
    if not failed and options.everything and found.missing:
        failed = f"not installed: {', '.join(found.missing)}"
    return Outcome(document, verification_text(document), failed=failed)
