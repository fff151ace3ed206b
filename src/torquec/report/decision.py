"""First screen of a report: whether the result is ready to run on the robot.

(1)  the claim: the bound of the tracking error, and the conditions under which it holds
(2)  the torque reserve of the drives, bounded or simulated
(3)  the execution time of the law: measured on a machine, or its operations counted
(4)  what to measure on the real robot first: everything that the claim assumes
(5)  what failed: steps of the run, experiments that leave the claimed bounds or the limits of the joints

The answer follows from (1) and (5). A folder without a verdict and without a design has no first screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torquec.errors import TorquecError
from torquec.report.blocks import Decision, Fact, Paragraph, Picture, Tone, fact
from torquec.report.found_documents import FoundFolder
from torquec.report.provenance import Number, Statement, assumed, computed, measured
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MICRO, MILLI, PERCENT
from torquec.report.verdict import claim_basis, exceeded_without_disturbance, warnings_of

_BOUND = ": the tracking error is at most "
_ASSUMED = (
    ("without friction", "friction of every joint: the claim does not include it"),
    ("exact sensors", "encoder resolution and noise: the claim assumes exact positions and speeds"),
    ("no delay", "delay from measurement to torque: the claim assumes none"),
    ("drives that give the torque", "torque of the drives: the claim assumes ideal torque sources"),
    ("no payload", "tool and payload: the claim assumes those of the model only"),
)
"""Words in a guarantee's conditions, and the measurement that each requires."""

_COVERED = {"no payload": "unknown payload"}
"""Words of a condition, and the words that cancel it: a set of unknown payloads replaces 'no payload'."""


def _assumptions(sentence: str) -> list[str]:
    """The measurements that the conditions of a claim require."""
    return [needed for words, needed in _ASSUMED if words in sentence and _COVERED.get(words, "\0") not in sentence]


def decision(folder: FoundFolder) -> Decision | None:
    """The first screen of a folder; None where it has neither a verdict nor a design."""
    if not folder.of_kind("verdict") and not folder.of_kind("design"):
        return None
    sentence, is_bounded = _claim(folder)
    warnings = [block for block in warnings_of(folder) if isinstance(block, Paragraph) and block.tone is not Tone.PLAIN]
    is_bad = any(warning.tone is Tone.BAD for warning in warnings)
    if is_bad:
        answer, tone = "No. Something failed", Tone.BAD
    elif not is_bounded:
        answer, tone = "Not yet. No tracking error is bounded", Tone.WARNING
    elif exceeded_without_disturbance(folder):
        answer, tone = "Not yet. A simulation exceeds the claimed error", Tone.WARNING
    elif _assumptions(sentence) or _drives(folder, "assumed") or _drives(folder, "missing"):
        answer, tone = "Not yet. Measure first what the bound assumes", Tone.WARNING
    else:
        answer, tone = "Yes, where its conditions hold", Tone.GOOD
    rows = [row for make in (_error, _margin, _time) for row in _kept(make, folder)]
    conditions = sentence.partition(_BOUND)[0].partition(" for ")[2] if is_bounded else sentence
    stated = Statement(
        f"{conditions}.", claim_basis(sentence) if is_bounded else computed("the attempt to bound the tracking error")
    )
    rows.insert(1 if rows and is_bounded else 0, fact("conditions" if is_bounded else "why", stated))
    if reason := _computed_reason(folder):
        rows.insert(1, fact("proof", Statement(f"{reason}.", claim_basis(sentence))))
    return Decision(answer, tone, tuple(rows), tuple(_to_measure(folder, sentence)), tuple(warnings), _picture(folder))


def _claim(folder: FoundFolder) -> tuple[str, bool]:
    """The sentence of the verdict, else that of the design's guarantee; and whether it bounds the error."""
    from torquec.control.tracking_claim import guarantee_sentence

    for document in folder.of_kind("verdict"):
        try:
            return next(iter(document.values["statements"].texts), ""), document.values.get("claim") is not None
        except TorquecError:
            continue  # the section that shows the document names the problem
    for document in folder.of_kind("design"):
        try:
            guarantee = document.values["guarantee"]
            return guarantee_sentence(guarantee.value), guarantee["valid"].truth
        except (TorquecError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            continue
    return "", False


def _computed_reason(folder: FoundFolder) -> str:
    """Why the bound of a design is computed and not proven; empty for a proven one, and without a bound."""
    from torquec.control.tracking_claim import computed_reason

    for document in folder.of_kind("design"):
        try:
            return computed_reason(document.values["guarantee"].value)
        except (TorquecError, AttributeError, LookupError, TypeError, ValueError):
            continue  # the section that shows the document names the problem
    return ""


def _drives(folder: FoundFolder, key: str) -> tuple[str, ...]:
    """The `assumed` or the `missing` numbers of the drives, in sentences: of the verdict, else of the design."""
    for kind in ("verdict", "design"):
        for document in folder.of_kind(kind):
            try:
                if (stated := document.values.get(key)) is not None:
                    return tuple(stated.texts)
            except TorquecError:
                continue  # the section that shows the document names the problem
    return ()


def _kept(make: Callable[[FoundFolder], Iterator[Fact]], folder: FoundFolder) -> Iterator[Fact]:
    """The facts from documents; a document that cannot be read is reported by the section that shows it."""
    try:
        yield from make(folder)
    except TorquecError:
        return


def _bounds(folder: FoundFolder) -> list[tuple[str, StoredValue]]:
    """The claimed bounds by joint; none without a guarantee."""
    for document in folder.of_kind("design"):
        guarantee = document.values["guarantee"]
        if guarantee["valid"].truth:
            return list(guarantee["bounds"].items())
    return []


def _error(folder: FoundFolder) -> Iterator[Fact]:
    """(1): the largest bound among joints of one unit."""
    found: dict[str, tuple[float, str]] = {}
    for joint, bound in _bounds(folder):
        unit = bound["unit"].text
        found[unit] = max(found.get(unit, (0.0, "")), (bound["value"].number, joint))
    by = claim_basis(_claim(folder)[0])
    for unit, (value, joint) in found.items():
        yield fact("tracking error at most", Number(MILLI * value, by, f"m{unit}", at_most=True), f" ({joint})")


def _margin(folder: FoundFolder) -> Iterator[Fact]:
    """(2)."""
    shares = [
        (margin.number / (margin.number + bound["torque"].number), joint)
        for joint, bound in _bounds(folder)
        if (margin := bound.get("torque_margin")) is not None and margin.number + bound["torque"].number > 0.0
    ]
    if shares:
        least, joint = min(shares)
        by = claim_basis(_claim(folder)[0])
        yield fact("torque margin at least", Number(PERCENT * least, by, "%", 3, at_least=True), f" ({joint})")
        return
    used = []
    for document in folder.of_kind("simulate"):
        samples = document.values.get("samples")
        for joint, curve in () if samples is None else samples["joints"].items():
            if (limit := curve.get("limit")) is not None and (torque := curve.get("torque")) is not None:
                used.append((max(map(abs, torque.numbers), default=0.0) / limit.number, joint))
    if used:
        most, joint = max(used)
        by = computed("the largest torque of the simulations")
        yield fact("torque margin in simulation", Number(PERCENT * (1.0 - most), by, "%", 3), f" ({joint})")
    else:
        yield fact("torque left", "unknown: the robot file states no torque limits, or nothing was simulated")


def _time(folder: FoundFolder) -> Iterator[Fact]:
    """(3)."""
    for document in folder.of_kind("realtime run"):
        on = measured(f"the machine that ran torquec realtime run ({document.name})")
        longest = Number(MICRO * document.values["compute"]["max"].number, on, "\N{GREEK SMALL LETTER MU}s", 3)
        yield fact("execution time of the law at most", longest)
        return
    for document in folder.of_kind("design"):
        period = Number(MILLI * document.values["period"].number, assumed(f"the design {document.name}"), "ms")
        counts = document.values["operations"]
        count = Number(counts["mul"].number + counts["add"].number, computed("counted in the program of the law"))
        yield fact("execution time of the law", "not measured: ", count, " operations every ", period)
        return


def _to_measure(folder: FoundFolder, sentence: str) -> list[str]:
    """(4)."""
    found = []
    if not folder.of_kind("identify"):
        found.append("inertial parameters: they come from the robot file, not from a log")
    found += [f"drives, on whose numbers the result rests: {text}" for text in _drives(folder, "assumed")]
    named = "without friction" in sentence
    found += [text for text in _drives(folder, "missing") if not (named and text.startswith("friction"))]
    found += _assumptions(sentence)
    if not folder.of_kind("realtime run"):
        found.append("execution time of the law on the target: torquec realtime run, or the target's own timer")
    return found


def _picture(folder: FoundFolder) -> Picture | None:
    from torquec.report.robot_view import arm_picture

    return None if folder.robot is None else arm_picture(folder.robot)
