"""`torquec verify-package DIR`: a generated package through Python, compilers and emulated processors."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.output import step_report


@dataclass(frozen=True, kw_only=True)
class VerifyPackageOptions(CommandOptions):
    """Which package, and what is demanded."""

    path: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that `torquec generate` wrote.")]
    everything: Annotated[
        bool, typer.Option("--all", help="Exit with 1 where a tool is missing, too: for a build that must try all.")
    ] = False


@command("verify-package", VerifyPackageOptions, example="torquec verify-package puma560_c", without_model=True)
def verify_package(options: VerifyPackageOptions) -> Outcome:
    """Run the same states through Python, gcc, clang and emulated processors (Cortex-M7, aarch64).

    Shows the largest difference, branches reached, stack, code size and instruction counts. What is not installed is
    named and skipped. Exit status 1 where a platform differs or fails. docs/generated-c.md says more.
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
        failed = "nothing could be tried: no compiler or emulator for this package is installed"
    if not failed and options.everything and found.missing:
        failed = f"not installed: {', '.join(found.missing)}"
    return Outcome(document, verification_text(document), failed=failed)
