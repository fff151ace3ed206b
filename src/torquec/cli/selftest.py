"""`torquec selftest`: test of native code, generated C and algorithms on this machine."""

from __future__ import annotations

import dataclasses
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import Outcome, StochasticOptions, command
from torquec.cli.options import argument
from torquec.cli.output import step_report

if TYPE_CHECKING:
    from torquec.project.self_test import SelfTestRow

_ROBOTS = ("planar2r", "scara", "stanford", "puma560")
"""Turning and sliding joints, chains of two to six."""


@dataclass(frozen=True, kw_only=True)
class SelftestOptions(StochasticOptions):
    """Which robots to compute with."""

    robots: list[str] | None = argument(
        None, "Robots or models to compute with.  [default: four classics]", metavar="[ROBOT...]"
    )


@command("selftest", SelftestOptions, example="torquec selftest planar2r", without_model=True)
def selftest(options: SelftestOptions) -> Outcome:
    """Test native code, generated C and the algorithms on this machine; exit status 1 where anything is wrong.

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
