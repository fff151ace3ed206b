"""The step `selftest`: native code against plain arithmetic and other libraries, generated C by its own test."""

from __future__ import annotations

import dataclasses

from torquec.project.self_test import run_c_self_test, self_test
from torquec.project.step import StepContext, StepResult

DOCUMENT = "selftest.json"


def selftest_step(context: StepContext) -> str | StepResult:
    """Compare; fails, with all rows in its document, where something on this machine computes wrongly."""
    rows = list(self_test(context.best_model(), seed=context.project.seed, work=context.work))
    package = context.results["generate"] / "c" if "generate" in context.results else None
    if package is not None and package.is_dir():
        with context.work.step("building and running the self-test of the C code"):
            rows.append(run_c_self_test(package))
    wrong = [row for row in rows if not row.ok]
    document = {"ok": not wrong, "rows": [{**dataclasses.asdict(row), "ok": row.ok} for row in rows]}
    context.write_document(DOCUMENT, "selftest", document)
    if wrong:
        row = wrong[0]
        found = f"{row.quantity} differs from {row.against} by {row.difference:.2g} of its largest value"
        remedy = "run torquec selftest, and report what it says with the output of torquec version"
        return StepResult("", failed=f"{found}; {remedy}")
    compared = [row for row in rows if not row.reason]
    return f"{len(compared)} comparisons agree, {len(rows) - len(compared)} could not be made"
