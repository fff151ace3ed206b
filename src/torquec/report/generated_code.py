"""Generated code: operations, self-tests, platforms of `torquec verify-package`; execution times of `torquec bench`."""

from __future__ import annotations

from typing import Any

from torquec.report.blocks import Axis, Bars, Block, Cell, DataTable, Facts, Shown, Tone, fact, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed, measured
from torquec.report.stored_values import StoredValue
from torquec.report.tables import NANO_TO_MICRO, PERCENT, number, table

_COUNTED = ("mul", "add", "div", "sincos", "other")
_PASSED = {True: "passes", False: "fails"}


def code_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec generate`."""
    values = document.values
    counted = computed("counted in the programs")
    rows: list[tuple[Cell, ...]] = []
    for name, function in values["functions"].items():
        # A run generates for several targets at once; a command for one.
        inner = [(name, function)] if function.get("mul") is not None else list(function.items())
        for quantity, count in inner:
            target = name if quantity != name else ""
            rows.append((target, quantity, *(count[key].shown(counted) for key in _COUNTED)))
    head = ("target", "function", "multiplications", "additions", "divisions", "sin, cos", "other")
    named = any(row[0] for row in rows)
    shown = tuple(row if named else row[1:] for row in rows)
    return Shown((DataTable(head if named else head[1:], shown, "Operations of every function"),) if rows else ())


def self_test_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of the step `selftest` of a run."""
    values = document.values
    here, most = measured(f"the machine that ran the self-test ({document.name})"), assumed("what the self-test allows")
    rows: list[tuple[Cell, ...]] = []
    for row in values["rows"]:
        difference, reason = row.get("difference"), row["reason"].text
        found: Cell = Statement(reason, here) if reason else None
        if difference is not None and not reason:
            found = difference.shown(here, digits=2)
        allowed = None if reason else row["allowed"].shown(most, digits=2)
        rows.append((row["quantity"].text, row["against"].text, found, allowed))
    ok = values["ok"].truth
    words = "The self-tests agree." if ok else "A self-test does not agree."
    blocks: tuple[Block, ...] = (paragraph(words, tone=Tone.GOOD if ok else Tone.BAD),)
    head = ("what", "against", "largest difference, of the largest value", "allowed")
    return Shown((*blocks, DataTable(head, tuple(rows), "Comparisons", folded=ok)))


def verification_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec verify-package`."""
    values = document.values
    on = measured(f"compilers and emulators of the machine that ran torquec verify-package ({document.name})")
    functions = values["functions"].texts
    ok = values["ok"].truth
    words = (
        "Every tested platform agrees with Python."
        if ok
        else "A platform differs from Python, or none could be tested."
    )
    count = Number(len(functions), on)
    blocks: list[Block] = [
        paragraph(f"{values['prefix'].text}: ", count, f" functions in {values['real'].text}."),
        paragraph(words, tone=Tone.GOOD if ok else Tone.BAD),
        _platforms(values, on),
    ]
    if missing := values["missing"].texts:
        blocks.append(paragraph(f"Not installed, and so not tested: {', '.join(missing)}.", tone=Tone.WARNING))
    blocks += [*_coverage(values, on), *_costs(values, functions, on)]
    tried = [row for row in values["platforms"] if row["status"].text != "missing"]
    agreeing = Number(sum(row["status"].text == "agrees" for row in tried), on)
    label = f"platforms on which {values['prefix'].text} agrees with Python"
    return Shown(tuple(blocks), (fact(label, agreeing, " of ", Number(len(tried), on)),))


def _platforms(values: StoredValue, on: Provenance) -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for row in values["platforms"]:
        difference, tested, why = row.get("difference"), row.get("selftest"), row["why"].text
        other, every = (row[key].shown(on) for key in ("different_numbers", "numbers"))
        note: Cell = Statement(why, on) if why else None
        if not why and every.value:
            same = "bit for bit" if not other.value else f"{other} of {every} differ, most in {row['worst'].text}"
            note = Statement(same, on)
        largest = None if difference is None else difference.shown(on, digits=2)
        passed = None if tested is None else _PASSED[tested.truth]
        rows.append((row["name"].text, row["status"].text, largest, passed, note))
    head = ("platform", "result", "largest difference, of the largest value", "self-test", "")
    return DataTable(head, tuple(rows), "The same states through Python and every platform")


def _coverage(values: StoredValue, on: Provenance) -> list[Block]:
    found = values.get("coverage")
    if found is None:
        return []
    reached = [
        fact(f"{what} reached", found[f"{what}_reached"].shown(on), " of ", found[what].shown(on))
        for what in ("branches", "lines")
    ]
    return [Facts(tuple(reached))]


def _costs(values: StoredValue, functions: tuple[str, ...], on: Provenance) -> list[Block]:
    stacks = dict(values["stack"].items())
    counts = values.get("instructions")
    emulated = next((row["instructions"] for row in values["platforms"] if row.get("instructions") is not None), None)
    head = ["function", *(f"stack, {name}" for name in stacks)]
    head += [] if counts is None else ["instructions of a call", "spread"]
    head += [] if emulated is None else ["on a Cortex-M7"]
    rows: list[tuple[Cell, ...]] = []
    for name in functions:
        row: list[Cell] = [name]
        for stack in stacks.values():
            used = stack.get(name)
            row.append(None if used is None else used.shown(on, "bytes"))
        if counts is not None:
            count = counts[name]
            spread = Number(PERCENT * count["spread"].number, on, "%", 2)
            row += [count["most"].shown(on), spread]
        if emulated is not None:
            cycles = emulated.get(name)
            row.append(None if cycles is None else cycles.shown(on))
        rows.append(tuple(row))
    sizes = [fact(f"code, {name}", size.shown(on, "bytes")) for name, size in values["size"].items()]
    blocks: list[Block] = [Facts(tuple(sizes))] if sizes else []
    if len(head) > 1:
        blocks.append(DataTable(tuple(head), tuple(rows), "Cost of a call"))
    return blocks


def verification_text(document: dict[str, Any]) -> str:
    """The text for a document of `torquec verify-package`."""
    rows = []
    for row in document["platforms"]:
        if row["status"] == "missing":
            rows.append([row["name"], "MISSING", "", "", row["why"]])
            continue
        test = {True: "passes", False: "FAILS", None: "-"}[row["selftest"]]
        shown = "-" if row["difference"] is None else number(row["difference"], 3)
        equal = "bit for bit" if row["numbers"] and not row["different_numbers"] else ""
        if row["different_numbers"]:
            equal = f"{row['different_numbers']} of {row['numbers']} differ, most in {row['worst']}"
        rows.append([row["name"], row["status"].upper() if row["status"] != "agrees" else "agrees", shown, test,
                     row["why"] or equal])  # fmt: skip
    text = table(["platform", "", "difference", "self-test", ""], rows, left=2)
    parts = [f"{document['prefix']}: {len(document['functions'])} functions in {document['real']}\n", text]
    coverage = document["coverage"]
    if coverage is not None:
        reached = f"{coverage['branches_reached']} of {coverage['branches']}"
        parts.append(f"\nbranches reached: {reached}; lines: {coverage['lines_reached']} of {coverage['lines']}")
        if coverage["not_reached"]:
            parts.append(f"  not taken in lines {', '.join(map(str, coverage['not_reached'][:20]))}")
    parts.append(_cost_lines(document))
    if document["missing"]:
        parts.append(f"\nMISSING, and so not tested: {', '.join(document['missing'])}")
    return "\n".join(part for part in parts if part)


def _cost_lines(document: dict[str, Any]) -> str:
    sizes = [f"{name}: {size} bytes of code" for name, size in document["size"].items()]
    counts = document["instructions"] or {}
    emulated = next((row["instructions"] for row in document["platforms"] if row["instructions"]), None) or {}
    header = ["function", *(f"stack, {name}" for name in document["stack"])]
    header += ["instructions", "spread"] if counts else []
    header += ["on a Cortex-M7"] if emulated else []
    rows = []
    for name in document["functions"]:
        row = [name, *(str(stack.get(name, "-")) for stack in document["stack"].values())]
        if counts:
            row += [str(counts[name]["most"]), f"{100.0 * counts[name]['spread']:.1f} %"]
        row += [str(emulated.get(name, "-"))] if emulated else []
        rows.append(row)
    text = f"\n{table(header, rows)}" if len(header) > 1 else ""
    return "\n".join(["\n" + "; ".join(sizes), text]) if sizes else text


_US = "\N{GREEK SMALL LETTER MU}s"


def bench_text(document: dict[str, Any]) -> str:
    """The document of `torquec bench` as a table."""
    lines = [
        f"{document['cpu']}; " + ", ".join(f"{name} {version}" for name, version in document["versions"].items()),
        "One call from Python, nanoseconds; ratio: its time over ours, fastest rounds.",
        "",
    ]
    rows, previous = [], ""
    for row in document["rows"]:
        shown = "" if row["function"] == previous else row["function"]
        previous = row["function"]
        rows.append([shown, row["contestant"], f"{row['ns']:.0f}", f"{row['median_ns']:.0f}", f"{row['ratio']:.1f}"])
    lines.append(table(["function", "contestant", "fastest", "median", "ratio"], rows, left=2))
    if "casadi" in document["versions"]:
        lines.append("\ncasadi is this model in CasADi's virtual machine, without a C compiler.")
    lines += [f"\n{name} was not timed: {reason}" for name, reason in document["absent"].items()]
    lines += [f"\n{function} is not timed: {reason}" for function, reason in document.get("refused", {}).items()]
    for item in document["disagreements"]:
        lines.append(
            f"\nCHECK FAILED: {item['contestant']} differs in {item['function']} by {number(item['difference'], 2)}"
        )
    if document["snap_effect"]:
        lines.append(
            f"\nSnapped angles change torques by up to {number(document['snap_effect'], 2)} of the largest one."
        )
    return "\n".join(lines)


def execution_times_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec bench`."""
    values = document.values
    versions = ", ".join(f"{name} {version.text}" for name, version in values["versions"].items())
    on = measured(f"{values['cpu'].text}; {versions}")
    rows: list[tuple[Cell, ...]] = []
    own: list[tuple[str, Number]] = []
    for row in values["rows"]:
        name, contestant = row["function"].text, row["contestant"].text
        time = Number(NANO_TO_MICRO * row["ns"].number, on, _US, 3)
        median = row.get("median_ns")
        middle = None if median is None else Number(NANO_TO_MICRO * median.number, on, _US, 3)
        rows.append((name, contestant, time, middle, row["ratio"].shown(on, digits=3)))
        if contestant == "torquec":
            own.append((name, time))
    head = ("function", "who", "best", "median", "times ours")
    blocks: list[Block] = []
    if own:
        names = tuple(name.replace("_", " ") for name, _ in own)
        times = tuple(time for _, time in own)
        axis = Axis("time of a call from Python", _US)
        blocks.append(Bars("One call, best of all rounds", axis, names, (("torquec", times),)))
    blocks.append(DataTable(head, tuple(rows), "Times of a call"))
    for name, reason in values["absent"].items():
        blocks.append(paragraph(f"{name} was not timed: ", Statement(reason.text, on)))
    for row in values["disagreements"]:
        words = f"{row['contestant'].text} disagrees in {row['function'].text} by "
        blocks.append(paragraph(words, row["difference"].shown(on, digits=3), tone=Tone.BAD))
    if not own:
        return Shown(tuple(blocks))
    return Shown(tuple(blocks), (fact(f"one call of {own[0][0].replace('_', ' ')}", own[0][1]),))
