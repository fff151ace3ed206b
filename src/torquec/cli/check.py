"""`torquec check` proves claims again, `verify-package` runs C on all platforms, `selftest` tests this machine."""

from __future__ import annotations

import dataclasses
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, StochasticOptions, command
from torquec.cli.options import argument, option
from torquec.cli.output import progress, step_report

if TYPE_CHECKING:
    from torquec.project.self_test import SelfTestRow


@dataclass(frozen=True, kw_only=True)
class CheckOptions(CommandOptions):
    """The file or folder to check, and the robot that its claims must be about."""

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

    Exit status 1 if a claim is refused, or is about another robot than that of --robot.
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

    Shows the largest difference, branches reached, stack, code size and instruction counts. Tools that are not
    installed are named and skipped. Exit status 1 if a platform differs or fails. See docs/generated-c.md.
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


_ROBOTS = ("planar2r", "scara", "stanford", "puma560")
"""Chains of two to six revolute and prismatic joints."""


@dataclass(frozen=True, kw_only=True)
class SelftestOptions(StochasticOptions):
    """The robots to compute with."""

    robots: list[str] | None = argument(
        None, "Robots or models to compute with.  [default: four classics]", metavar="[ROBOT...]"
    )


@command("selftest", SelftestOptions, example="torquec selftest planar2r", without_model=True)
def selftest(options: SelftestOptions) -> Outcome:
    """Test native code, generated C and the algorithms on this machine; exit status 1 if anything is wrong.

    Native code is compared with the same programs in plain arithmetic, generated C is built and runs its own test where
    there is a compiler, and dynamics is compared with Pinocchio and MuJoCo where they are installed.
    """
    from torquec.foundation.work import Work
    from torquec.model.generate import generate
    from torquec.project.manifest import versions
    from torquec.project.peers import processor_name
    from torquec.project.self_test import processor_features, run_c_self_test, self_test

    work = Work(report=step_report())
    rows: dict[str, tuple[SelfTestRow, ...]] = {}
    for name in options.robots or _ROBOTS:
        model = options.source.read(name)
        with work.step(f"testing {name}"):
            found = self_test(model, seed=options.seed, work=work)
            with tempfile.TemporaryDirectory() as folder:
                generate(model, folder)
                rows[name] = (*found, run_c_self_test(Path(folder)))
    wrong = [(name, row) for name, each in rows.items() for row in each if not row.ok]
    document: dict[str, Any] = {
        "ok": not wrong,
        "processor": processor_name(),
        "features": list(processor_features()),
        "versions": versions(),
        "robots": {name: [{**dataclasses.asdict(row), "ok": row.ok} for row in each] for name, each in rows.items()},
    }
    failed = "" if not wrong else f"{wrong[0][0]}: {wrong[0][1].quantity} differs from {wrong[0][1].against}"
    return Outcome(document, _text(document, rows), failed=failed)


def _text(document: dict[str, Any], rows: dict[str, tuple[SelfTestRow, ...]]) -> str:
    from torquec.report.tables import table

    listed = []
    for name, each in rows.items():
        for row in each:
            answer = "not made" if row.reason else "agrees" if row.ok else "WRONG"
            figure = row.reason or f"{row.difference:.1e} of {row.allowed:.0e}"
            listed.append([name, row.quantity, row.against, figure, answer])
    header = ["robot", "what", "against", "largest difference", ""]
    units = ", ".join(document["features"]) or "not known"
    return "\n".join(
        [
            f"{document['processor']}; vector units: {units}",
            "",
            table(header, listed, left=5),
            "",
            "everything agrees" if document["ok"] else "a result is WRONG: please report it",
        ]
    )
