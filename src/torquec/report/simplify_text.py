"""What `torquec simplify` shows on the screen: operations and terms before and after, what is proven, what is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torquec.expr import OperationCount
from torquec.report.simplification_text import change_text
from torquec.report.tables import number, table, upper_bound
from torquec.simplification.torque_coefficients import TermChange

_SHOWN = 8
"""Entries, and terms, that were left out: so many are named on the screen; the files name all."""


@dataclass(frozen=True)
class SimplifiedFacts:
    """What the document does not hold: operations before and after, and what was left out of the equations.

    `entries` are gone altogether, `dropped` are terms, those of the largest torques first. `served` names the
    quantities that simplified coefficients serve.
    """

    joints: tuple[str, ...]
    operations: tuple[OperationCount, OperationCount]
    entries: Sequence[str] = ()
    dropped: Sequence[TermChange] = ()
    served: Sequence[str] = ()


def simplify_text(document: Mapping[str, Any], facts: SimplifiedFacts) -> str:
    """The document of `torquec simplify` as a page."""
    before, after = facts.operations
    lines = [f"operations: {before}  ->  {after}"]
    if after.cost >= before.cost:
        lines.append("nothing simpler than the exact model was found and proven: this is the exact one")
    if document["terms"] is not None:
        old, new = document["terms"]["before"], document["terms"]["after"]
        by_matrix = ", ".join(f"{name} {old[name]} -> {new[name]}" for name in old if name != "total")
        lines.append(f"terms:      {old['total']}  ->  {new['total']}  ({by_matrix})")
        lines += ["", *_left_out(facts)]
    rows = [
        [joint, upper_bound(bound["torque"], 4), number(bound["found"], 4), bound["unit"]]
        for joint, bound in document["bounds"].items()
    ]
    if rows:
        lines += ["", table(["joint", "error at most", "largest found", "unit"], rows)]
    if document["precision"] == "single":
        lines.append("The bounds hold for code in single precision: every rounding to floats is in them.")
    if document["coefficients"]:
        lines += ["", *_coefficients(document["coefficients"], facts.served)]
    if "trade_off" in document:
        rows = [
            [
                "exact" if p["factor"] == 0.0 else f"{p['factor']:g} x",
                str(p["mul"]),
                str(p["add"]),
                upper_bound(p["level"], 3),
            ]
            for p in document["trade_off"]["points"]
        ]
        lines += ["", table(["error", "mul", "add", "proven, of the stated"], rows)]
        lines += [f"  {factor} x: {reason}" for factor, reason in document["trade_off"]["missed"].items()]
    steps = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in document["seconds"].items())
    lines += ["", f"time:       {steps}", f"written to  {Path(document['certificate']).parent}"]
    proof = "proven, and proven again with independent code" if document["certified"] else "proven, not checked again"
    lines.append(f"the bounds are {proof}: {document['certificate']}")
    return "\n".join(lines)


def _left_out(facts: SimplifiedFacts) -> list[str]:
    """What a reader wants to know first: which entries are gone, and the largest terms among all that are."""
    if not facts.dropped:
        return ["no term was left out"]
    lines = []
    if facts.entries:
        more = f" and {len(facts.entries) - _SHOWN} more" if len(facts.entries) > _SHOWN else ""
        lines.append(f"left out entirely: {' '.join(facts.entries[:_SHOWN])}{more}")
    rows = [
        [facts.joints[change.index[0]], change_text(change), number(change.torque, 3)]
        for change in facts.dropped[:_SHOWN]
    ]
    lines.append(f"largest of {len(facts.dropped)} terms left out (all: equations_changes.txt):")
    return [*lines, table(["joint", "term", "torque at most"], rows, left=2)]


def _coefficients(proofs: Mapping[str, Mapping[str, Any]], served: Sequence[str]) -> list[str]:
    """Proven bounds of coefficients: how many there are, and those that use most of their tolerance."""

    def used(proof: Mapping[str, Any]) -> float:
        return float(proof["bound"] / proof["tolerance"] if proof["tolerance"] else proof["bound"])

    closest = sorted(proofs.items(), key=lambda item: -used(item[1]))[:_SHOWN]
    rows = [
        [name, upper_bound(proof["bound"], 4), number(proof["found"], 4), number(proof["tolerance"], 4), proof["kind"]]
        for name, proof in closest
    ]
    first = "closest to what is allowed" if closest[0][1]["tolerance"] else "the largest"
    head = ["coefficient", "error at most", "largest found", "allowed", "kind"]
    lines = [f"errors of {len(proofs)} coefficients are proven; {first}:", table(head, rows)]
    return [*lines, f"served by simplified coefficients: {', '.join(served)}"] if served else lines
