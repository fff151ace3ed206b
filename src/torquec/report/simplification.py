"""The simplified model: operations before and after, proven error against the allowed one, terms left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torquec.errors import ArgumentError
from torquec.expr import OperationCount
from torquec.report.blocks import (
    Axis,
    Bars,
    Block,
    Cell,
    CommandLine,
    DataTable,
    Fact,
    Facts,
    LimitLine,
    Plot,
    Series,
    Shown,
    Style,
    Subheading,
    Tone,
    fact,
    paragraph,
)
from torquec.report.equations import compared_equations
from torquec.report.found_documents import CERTIFICATE, FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, assumed, computed, measured, proved
from torquec.report.simplified_equations import change_text
from torquec.report.stored_values import StoredValue
from torquec.report.tables import PERCENT, number, table, upper_bound
from torquec.simplification.torque_coefficients import TermChange

_STOPPED = "the time limit ended the search: with more time the model may become smaller"
_SHOWN_OMISSIONS = 8
"""Number of omitted entries and terms named on the screen; the files name all."""
_SAME_SHARE = 5e-4
"""Difference of two shares of the tolerance below which a page shows the same three digits."""


@dataclass(frozen=True)
class SimplifiedFacts:
    """Facts beyond the document: operations before and after, and terms left out of the equations.

    `entries` became zero; `dropped` are omitted terms, those of the largest torques first. `served`: quantities that
    are computed from the simplified coefficients.
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
        lines += ["", *_dropped_lines(facts)]
    rows = [
        [joint, upper_bound(bound["torque"], 4), number(bound["found"], 4), bound["unit"]]
        for joint, bound in document["bounds"].items()
    ]
    if rows:
        lines += ["", table(["joint", "error at most", "largest found", "unit"], rows)]
    lines += search_sentences(document)
    if document["precision"] == "single":
        lines.append("The bounds hold for code in single precision: every rounding to floats is in them.")
    if document["coefficients"]:
        lines += ["", *_coefficient_lines(document["coefficients"], facts.served)]
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


def search_sentences(document: Mapping[str, Any]) -> list[str]:
    """How much of the allowed errors is used, and whether the time limit ended the search.

    >>> bounds = {"q1": {"torque": 0.49, "tolerance": 0.5}, "q2": {"torque": 0.1, "tolerance": 0.5}}
    >>> search_sentences({"bounds": bounds})
    ['used of the allowed errors: 98 % at q1, and least at q2, 20 %']
    """
    used = {name: row["torque"] / row["tolerance"] for name, row in document["bounds"].items() if row.get("tolerance")}
    sentences = []
    if used:
        most, least = max(used, key=lambda name: used[name]), min(used, key=lambda name: used[name])
        other = f", and least at {least}, {PERCENT * used[least]:.0f} %" if len(used) > 1 else ""
        sentences.append(f"used of the allowed errors: {PERCENT * used[most]:.0f} % at {most}{other}")
    if document.get("stopped_by_time"):
        sentences.append(_STOPPED)
    return sentences


def _dropped_lines(facts: SimplifiedFacts) -> list[str]:
    """Summary for a reader: entries that became zero, and the largest omitted terms."""
    if not facts.dropped:
        return ["no term was dropped"]
    lines = []
    if facts.entries:
        more = f" and {len(facts.entries) - _SHOWN_OMISSIONS} more" if len(facts.entries) > _SHOWN_OMISSIONS else ""
        lines.append(f"dropped entirely: {' '.join(facts.entries[:_SHOWN_OMISSIONS])}{more}")
    rows = [
        [facts.joints[change.index[0]], change_text(change), number(change.torque, 3)]
        for change in facts.dropped[:_SHOWN_OMISSIONS]
    ]
    lines.append(f"largest of {len(facts.dropped)} dropped terms (all: equations_changes.txt):")
    return [*lines, table(["joint", "term", "torque at most"], rows, left=2)]


def _coefficient_lines(proofs: Mapping[str, Mapping[str, Any]], served: Sequence[str]) -> list[str]:
    """Proven bounds of coefficients: how many there are, and those that use most of their tolerance."""

    def used(proof: Mapping[str, Any]) -> float:
        return float(proof["bound"] / proof["tolerance"] if proof["tolerance"] else proof["bound"])

    closest = sorted(proofs.items(), key=lambda item: -used(item[1]))[:_SHOWN_OMISSIONS]
    rows = [
        [name, upper_bound(proof["bound"], 4), number(proof["found"], 4), number(proof["tolerance"], 4), proof["kind"]]
        for name, proof in closest
    ]
    first = "closest to their tolerances" if closest[0][1]["tolerance"] else "the largest"
    head = ["coefficient", "error at most", "largest found", "allowed", "kind"]
    lines = [f"errors of {len(proofs)} coefficients are proven; {first}:", table(head, rows)]
    return [*lines, f"served by simplified coefficients: {', '.join(served)}"] if served else lines


def simplification_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The result of `torquec simplify`; its bounds must be those of its certificate, where that lies beside it."""
    values = document.values
    unused = _unused(values)
    if values.get("operations") is None:  # of a run that found nothing to show
        return Shown(tuple(unused))
    _check_bounds(document, folder)
    command = f"torquec check {folder.location(document.folder)}"
    claim = proved(f"the certificate {_name(values)}; {command} proves it again")
    counted = computed("counted in the programs of inverse dynamics")
    before, after = (values["operations"][key] for key in ("before", "after"))
    old, new = (_total(side, counted) for side in (before, after))
    saved = Number(PERCENT * (1.0 - new.value / max(old.value, 1.0)), counted, "%", 2)
    facts = [fact("multiplications and additions", old, " exact, ", new, " simplified: ", saved, " less")]
    terms = values.get("terms")
    if terms is not None:
        pair = [terms[key]["total"].shown(computed("counted in the equations")) for key in ("before", "after")]
        facts.append(fact("terms of the equations of motion", pair[0], " exact, ", pair[1], " simplified"))
    again = "proven again with independent code" if values["certified"].truth else "not yet proven again"
    facts.append(fact("the proof", again))
    if (stopped := values.get("stopped_by_time")) is not None and stopped.truth:
        facts.append(fact("search", _STOPPED))
    blocks: list[Block] = [*unused, Facts(tuple(facts)), CommandLine(command, "Prove the bounds again:")]
    looked = computed("the largest error that a search over the motions of the specification found")
    blocks += _bounds(values, claim, looked)
    blocks += _trade_off(values, claim, counted)
    blocks += _coefficients(values, claim)
    blocks += _left_out(values)
    equations = values.get("equations")
    if equations is not None:
        blocks += [Subheading("Equations before and after"), *compared_equations(equations)]
    blocks += _seconds(values)
    highlights = [fact("operations of inverse dynamics", old, " \N{RIGHTWARDS ARROW} ", new)]
    worst = _worst(values, claim, looked)
    return Shown(tuple(blocks), (*highlights, *worst))


def _unused(values: StoredValue) -> list[Block]:
    """Why the run continued without the simplified model, if it did."""
    why = values.get("unused")
    text = "" if why is None else f"Everything else on this page is about the exact model: {why.text}."
    return [paragraph(text, tone=Tone.WARNING)] if text else []


def _name(values: StoredValue) -> str:
    return values["certificate"].text.replace("\\", "/").rpartition("/")[2]


def _total(side: StoredValue, counted: Provenance) -> Number:
    return Number(side["mul"].number + side["add"].number, counted)


def _check_bounds(document: FoundDocument, folder: FoundFolder) -> None:
    """Raise `ArgumentError` where a certificate beside the document proves other bounds than it states."""
    from torquec.proof.torque.certificate import load_certificate

    name = _name(document.values)
    for other in folder.of_kind(CERTIFICATE):
        if other.folder == document.folder and other.path.name == name:
            proofs = load_certificate(other.path).joints
            stated = {joint: bound["torque"].number for joint, bound in document.values["bounds"].items()}
            if stated != {joint: proof.bound for joint, proof in proofs.items()}:
                raise ArgumentError(f"states other bounds than {name} proves", where=document.name)
            return
    raise ArgumentError(
        f"its certificate {name} does not lie beside it, so nothing is proved here", where=document.name
    )


def _bounds(values: StoredValue, claim: Provenance, looked: Provenance) -> list[Block]:
    tolerated = assumed("the specification")
    rows: list[tuple[Cell, ...]] = []
    names, shares, found_shares = [], [], []
    for joint, bound in values["bounds"].items():
        unit, allowed = bound["unit"].text, bound.get("tolerance")
        torque, found = bound["torque"].number, bound["found"].number
        limit: Cell = None if allowed is None else allowed.shown(tolerated, unit)
        share: Cell = None
        if allowed is not None and allowed.number > 0.0:
            share = Number(PERCENT * torque / allowed.number, claim, "%", 3)
            names.append(joint)
            shares.append(share)
            found_shares.append(Number(PERCENT * found / allowed.number, looked, "%", 3))
        rows.append((joint, Number(torque, claim, unit), Number(found, looked, unit), limit, share))
    if not rows:
        return []
    head = ("joint", "torque error at most", "largest found", "allowed", "part of the tolerance")
    blocks: list[Block] = [DataTable(head, tuple(rows), "The torques of the simplified model against the exact ones")]
    if names:
        bars = (("proven", tuple(shares)), ("largest found", tuple(found_shares)))
        limit_rule = LimitLine("allowed", Number(PERCENT, tolerated, "%"))
        axis = Axis("part of the allowed torque error", "%")
        blocks.append(Bars("Proven torque error of every joint", axis, tuple(names), bars, limit_rule))
    return blocks


def _worst(values: StoredValue, claim: Provenance, looked: Provenance) -> list[Fact]:
    """The largest proven share of the tolerance, and the largest found; names the joint if only one has it."""
    shares = [
        (bound["torque"].number / allowed.number, bound["found"].number / allowed.number, joint)
        for joint, bound in values["bounds"].items()
        if (allowed := bound.get("tolerance")) is not None and allowed.number > 0.0
    ]
    if not shares:
        return []
    most, found = max(share for share, _, _ in shares), max(share for _, share, _ in shares)
    alike = [joint for share, _, joint in shares if share >= most - _SAME_SHARE]
    whose = f"of {alike[0]}, the worst" if len(alike) == 1 else f"of {len(alike)} of {len(shares)} joints, the worst"
    parts = (Number(PERCENT * most, claim, "%", 3), " at most, ", Number(PERCENT * found, looked, "%", 3), " found")
    return [fact(f"torque error {whose}, of the tolerance", *parts)]


def _trade_off(values: StoredValue, claim: Provenance, counted: Provenance) -> list[Block]:
    curve = values.get("trade_off")
    if curve is None:
        return []
    points = sorted(
        (point["level"].number, point["mul"].number + point["add"].number, _label(point)) for point in curve["points"]
    )
    best: list[tuple[float, float]] = []
    for level, cost, _ in points:
        if not best or cost < best[-1][1]:
            best.append((level, cost))
    best.append((max(1.0, points[-1][0]) * 1.1, best[-1][1]))
    both = proved(f"errors: {claim.source}; operations are counted")
    series = (
        Series("cheapest", tuple(x for x, _ in best), tuple(y for _, y in best), counted, Style.STEPS),
        Series(
            "models",
            tuple(level for level, _, _ in points),
            tuple(float(cost) for _, cost, _ in points),
            both,
            Style.POINTS,
            labels=tuple(label for _, _, label in points),
        ),
    )
    stated = LimitLine("specification", Number(1.0, assumed("the specification")), vertical=True)
    x, y = Axis("proven error, as a part of the tolerance"), Axis("multiplications and additions", low=0.0)
    return [Plot("Operations for smaller errors", x, y, series, (stated,))]


def _label(point: StoredValue) -> str:
    factor = point["factor"].number
    exact = "exact" if factor == 0.0 else "tolerance times " + str(factor)
    return f"{exact}: {point['mul'].number} mul, {point['add'].number} add"


def _coefficients(values: StoredValue, claim: Provenance) -> list[Block]:
    looked, tolerated = computed("a search over the motions of the specification"), assumed("the specification")
    rows: list[tuple[Cell, ...]] = []
    for name, proof in values["coefficients"].items():
        allowed = proof.get("tolerance")
        limit = None if allowed is None else allowed.shown(tolerated)
        bound, found = proof["bound"].shown(claim), proof["found"].shown(looked)
        rows.append((name, bound, found, limit, proof["kind"].text))
    if not rows:
        return []
    head = ("coefficient", "error at most", "largest found", "allowed", "kind")
    return [DataTable(head, tuple(rows), "Errors of coefficients", folded=True)]


def _left_out(values: StoredValue) -> list[Block]:
    dropped = values.get("dropped")
    if dropped is None or dropped.is_empty:
        return []
    by = computed("the largest value of the term over the motions of the specification")
    rows = tuple(
        (term["joint"].text, term["term"].text, term["torque"].shown(by, term["unit"].text, 3)) for term in dropped
    )
    blocks: list[Block] = [Subheading("Dropped terms")]
    entries = values.get("left_out")
    if entries is not None and not entries.is_empty:
        blocks.append(paragraph("Gone altogether: ", ", ".join(entries.texts), "."))
    return [
        *blocks,
        DataTable(("joint", "term", "torque at most"), rows, "Dropped terms, largest first", folded=True),
    ]


def _seconds(values: StoredValue) -> list[Block]:
    times = values.get("seconds")
    if times is None:  # files of results hold none: they are the same from run to run
        return []
    on = measured("the machine that ran torquec simplify")
    rows = tuple((step, seconds.shown(on, "s", 3)) for step, seconds in times.items())
    return [DataTable(("step", "time"), rows, "How long the simplification took", folded=True)] if rows else []
