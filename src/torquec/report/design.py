"""The controller of `torquec design`: poles, gains, eigenvalues, robustness, guarantee; as text and as a section."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from torquec.control.tracking_claim import computed_reason, guarantee_sentence, tracking_claim
from torquec.report.blocks import (
    Axis,
    Bars,
    Block,
    Cell,
    DataTable,
    Fact,
    Facts,
    Gallery,
    Plot,
    Series,
    Shown,
    Style,
    Tone,
    fact,
    paragraph,
)
from torquec.report.claim_text import conditions_text
from torquec.report.figure import write_picture
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.guarantee_design import compared_laws, for_guarantee_text
from torquec.report.provenance import Number, Provenance, Statement, assumed, computed
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MILLI, PERCENT, lower_bound, number, table, upper_bound
from torquec.report.verdict import claim_basis
from torquec_check.claim import Standing

if TYPE_CHECKING:
    from torquec.control.stability_interval import StabilityInterval

_OPERATIONS = ("mul", "add", "div", "sincos", "other")
_SHOWN_BOUNDS = ("value", "speed", "acceleration", "torque")
_REFERENCE_LIMITS = ("upper", "velocity", "acceleration", "jerk")
MEANING = {"alpha": "stiffness", "beta": "damping", "gamma": "inertia"}
"""The quantity that each factor of a model error multiplies."""
_NARROW_LIMIT = 0.1
"""Common relative model error: a stability limit that differs from one by less is reported as narrow."""
_SYMBOLS = {
    "alpha": "\N{GREEK SMALL LETTER ALPHA}",
    "beta": "\N{GREEK SMALL LETTER BETA}",
    "gamma": "\N{GREEK SMALL LETTER GAMMA}",
}
_UNLIMITED_FACTOR = 1e5  # largest factor of a locus without a limit: its branches are straight long before
_COLOUR_LEGEND = "Colours go from the smallest factor to the largest; hover over a dot to see its value."
_LOCUS_RANGE = 4.0  # shown range of a root locus, in largest eigenvalues at factor one
_UNSTABLE_SHARE = 0.3  # part of that range that is shown on the unstable side
_ROUNDING = 1e-9  # relative to the largest eigenvalue; smaller parts count as zero
_NOMINAL_CAUSES = {"model", "sampling", "start"}  # causes that a guarantee of the nominal robot has, too


def design_text(name: str, document: dict[str, Any]) -> str:
    """The document of `torquec design` as a page."""
    count = ", ".join(f"{document['operations'][key]} {key}" for key in _OPERATIONS if document["operations"].get(key))
    evaluated = f"; the model is evaluated at the {document['evaluation']} state" if document["evaluation"] else ""
    lines = [f"{document['controller']} for {name}, called every {document['period']:g} s: {count}{evaluated}", ""]
    if document["poles"]:
        gains: dict[str, float] = next(iter(document["gains"].values()), {})
        rows = [
            [joint, f"{_pole(*first)}, {_pole(*second)}", *map(number, document["gains"][joint].values())]
            for joint, (first, second) in zip(document["joints"], document["poles"], strict=True)
        ]
        lines.append(table(["joint", "poles [1/s]", *gains], rows, left=2))
    if "weights" in document:
        rows = [
            [joint, *(number(w[k]) for w in document["weights"].values())] for k, joint in enumerate(document["joints"])
        ]
        lines.append(table(["weights", *document["weights"]], rows))
        lines.append("gains change with time: one matrix for every sample of the trajectory, in controller.json")
    if document["robustness"]:
        lines += ["", *_robustness_lines(document)]
    if "for_guarantee" in document:
        lines += ["", for_guarantee_text(document["for_guarantee"])]
    statistics = statistics_text(document["payload"], document["covariance"])
    lines += ["", *([statistics, ""] if statistics else []), guarantee_text(document["guarantee"])]
    lines += [f"All of this rests on {text}." for text in document.get("assumed", ())]
    return "\n".join(lines)


def _pole(re: float, im: float) -> str:
    return f"{complex(re, im):g}" if im else f"{re:g}"


def _robustness_lines(document: dict[str, Any]) -> list[str]:
    when = document.get("robustness_times")
    rows = []
    for name, (lower, upper) in document["robustness"].items():
        times = [f"{t:.3g} s" for t in when[name]] if when else []
        rows.append([name, number(lower), number(upper), *times])
    header = ["factor", "above", "below", *(("reached at", "and at") if when else ())]
    legend = "alpha: stiffness, beta: damping, gamma: inertia (of the controller's model over true); -: no limit"
    return ["Stable while the model's error stays", table(header, rows), "", legend]


def guarantee_text(guarantee: Mapping[str, Any]) -> str:
    """The document of a `TrackingGuarantee` as a page.

    >>> print(guarantee_text({"valid": False, "reason": "there is no certificate", "bounds": {}}))
    No guarantee: there is no certificate
    """
    if not guarantee["valid"]:
        return f"No guarantee: {guarantee['reason']}"
    rows = []
    for joint, bound in guarantee["bounds"].items():
        value, *others = (upper_bound(bound[key], 4) for key in _SHOWN_BOUNDS)
        rows.append([joint, value, bound["unit"], *others, lower_bound(bound["torque_margin"], 4)])
    header = ["joint", "position", "", "speed", "acceleration", "torque", "torque margin"]
    claim, reason = tracking_claim(guarantee), computed_reason(guarantee)
    basis = "position and speed proven, the others computed" if claim.standing is Standing.PROVEN else "computed"
    lines = [f"Errors at every instant, under the conditions below, at most ({basis})", table(header, rows)]
    if guarantee["references"]:
        limits = [
            [joint, upper_bound(allowed["lower"], 4), *(lower_bound(allowed[key], 4) for key in _REFERENCE_LIMITS)]
            for joint, allowed in guarantee["references"].items()
        ]
        header = ["joint", "above", "below", "speed", "acceleration", "jerk"]
        lines += ["for every reference that keeps", table(header, limits)]
    lines += [*_budget_lines(guarantee), conditions_text(claim), *([f"{_sentence(reason)}."] if reason else [])]
    return "\n".join(lines)


def _budget_lines(guarantee: Mapping[str, Any]) -> list[str]:
    """The part of the position bound due to each uncertainty set; nothing for a guarantee of the nominal robot."""
    budget: Mapping[str, Mapping[str, float]] = guarantee.get("budget", {})
    causes = list(dict.fromkeys(cause for parts in budget.values() for cause in parts))
    if not set(causes) - _NOMINAL_CAUSES:
        return []
    rows = [[joint, *(upper_bound(parts.get(cause, 0.0), 2) for cause in causes)] for joint, parts in budget.items()]
    return ["contributions by cause", table(["joint", *causes], rows)]


def statistics_text(payload: Mapping[str, Any], covariance: Mapping[str, Any]) -> str:
    """Robustness statistics of a loop: from linear models, not proven; empty where there are none."""
    lines = []
    if "upper" in payload:
        limit = "any payload" if payload["upper"] is None else f"up to {lower_bound(payload['upper'], 4)} kg"
        where = f"at '{payload['frame']}' that the model does not know"
        lines.append(f"Statistics: linear stability, which is not accuracy, with {limit} {where}")
    elif payload:
        lines.append(f"Statistics: no payload interval, {payload['reason']}")
    if "level" in covariance:
        share, scale = f"{100.0 * covariance['level']:g} %", covariance["scale"]
        verdict = "stable" if covariance["stable"] else "NOT stable"
        grown = "" if scale is None else f"; the limit is {number(scale, 3)} times their deviations"
        lines.append(f"Statistics: {verdict} for the parameters that {share} of identifications give{grown}")
    elif covariance:
        lines.append(f"Statistics: no margin for the parameters, {covariance['reason']}")
    return "\n".join(lines)


def narrow_limits(robustness: Mapping[str, Sequence[float | None]]) -> list[str]:
    """A sentence for each lower or upper limit that differs from one by less than a tenth.

    >>> narrow_limits({"beta": (-1.05, 1.012), "gamma": (0.001, None)})
    ['the loop is unstable once the model has 1.2 % more damping than the robot']
    """
    sentences = []
    for factor, (low, high) in robustness.items():
        what = MEANING.get(factor, factor)
        for limit, word in ((low, "less"), (high, "more")):
            if limit is not None and abs(limit - 1.0) < _NARROW_LIMIT:
                part = PERCENT * abs(limit - 1.0)
                sentences.append(f"the loop is unstable once the model has {part:.2g} % {word} {what} than the robot")
    return sentences


def control_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec design`."""
    values = document.values
    kind = values["controller"].text
    chosen = assumed(f"the design of {document.name}: poles, period and law were chosen")
    counted = computed("counted in the program of the controller")
    period = values["period"].number
    operations = values["operations"]
    rate = (Number(MILLI * period, chosen, "ms"), " (", Number(1.0 / period, chosen, "Hz"), ")")
    facts = [
        fact("law", kind),
        fact("called every", *rate),
        fact("operations per call", Number(operations["mul"].number + operations["add"].number, counted)),
    ]
    if values["evaluation"].text:
        facts.append(fact("the model is evaluated at", f"the {values['evaluation'].text} state"))
    blocks: list[Block] = [Facts(tuple(facts)), *_gains(values, chosen)]
    blocks += _eigenvalues(values, kind)
    blocks += _loci(values, kind)
    blocks += _robustness(values)
    blocks += _statistics(values)
    blocks += compared_laws(values)
    promised, highlights = _guarantee(values)
    blocks += promised
    return Shown(tuple(blocks), (fact(f"{kind}, called every", Number(MILLI * period, chosen, "ms")), *highlights))


def _gains(values: StoredValue, chosen: Provenance) -> list[Block]:
    follows = computed("the poles that were chosen")
    rows: list[tuple[Cell, ...]] = []
    head: tuple[str, ...] = ()
    gains = {joint: list(row.items()) for joint, row in values["gains"].items()}
    poles = list(values["poles"])
    for joint, pair in zip(values["joints"].texts, poles, strict=False):
        own = gains.get(joint, [])
        head = ("joint", "real part [1/s]", "imaginary part [1/s]", *(name for name, _ in own))
        real, imaginary = next(iter(pair)).numbers
        cells = [Number(abs(imaginary), chosen), *(gain.shown(follows) for _, gain in own)]
        rows.append((joint, Number(real, chosen), *cells))
    return (
        [DataTable(head, tuple(rows), "Poles and gains")] if rows and all(len(row) == len(head) for row in rows) else []
    )


def _points(values: StoredValue) -> tuple[tuple[float, ...], tuple[float, ...]]:
    pairs = np.array([pair.numbers for pair in values], dtype=np.float64)
    pairs[np.abs(pairs) < _ROUNDING * np.abs(pairs).max()] = 0.0
    return tuple(pairs[:, 0].tolist()), tuple(pairs[:, 1].tolist())


def _eigenvalues(values: StoredValue, kind: str) -> list[Plot]:
    if values["eigenvalues"].is_empty:
        return []
    at = "the linear model at the analysed point"
    series = []
    opened = values.get("open_loop")
    if opened is not None and not opened.is_empty:
        series.append(Series("open loop", *_points(opened), computed(at), Style.CROSSES))
    closed = computed(f"{at}, with {kind}")
    series.append(Series("closed loop", *_points(values["eigenvalues"]), closed, Style.POINTS))
    x, y = Axis("real part", "1/s"), Axis("imaginary part", "1/s")
    return [Plot("Eigenvalues", x, y, tuple(series))]


def _loci(values: StoredValue, kind: str) -> list[Block]:
    if values.get("root_loci") is None or not (plots := _locus_plots(values, kind)):
        return []
    return [
        Gallery(plots, "Root loci: effect of model errors on the loop", folded=True),
        paragraph(_COLOUR_LEGEND),
    ]


def _locus_plots(values: StoredValue, kind: str) -> tuple[Plot, ...]:
    plots = []
    for locus in values["root_loci"]:
        factor = locus["factor"].text
        when = locus.get("time")
        where = "" if when is None else f" at t = {when.shown(computed('the worst point'), 's', 3)}"
        by = computed(f"the linear model{where} with {kind}, its {MEANING.get(factor, factor)} wrong by the factor")
        levels, real, imaginary = (locus[key].numbers for key in ("values", "real", "imaginary"))
        now = [k for k, level in enumerate(levels) if level == 1.0]
        reach = _LOCUS_RANGE * max((abs(v) for k in now for v in (real[k], imaginary[k])), default=1.0)
        symbol = _SYMBOLS.get(factor, factor)
        series = (
            Series("branches", real, imaginary, by, Style.POINTS, levels=levels, level_name=symbol),
            Series(f"{symbol} = 1", tuple(real[k] for k in now), tuple(imaginary[k] for k in now), by, Style.CROSSES),
        )
        x = Axis("real part", "1/s", low=max(min(real), -reach), high=min(max(real), _UNSTABLE_SHARE * reach))
        top = min(max(map(abs, imaginary), default=1.0), reach)  # conjugate pairs of eigenvalues: the plot is symmetric
        y = Axis("imaginary part", "1/s", low=-top, high=top)
        plots.append(Plot(f"{symbol}, the factor of {MEANING.get(factor, factor)}{where}", x, y, series))
    return tuple(plots)


def _robustness(values: StoredValue) -> list[Block]:
    times = values.get("robustness_times")
    where = "the linear models along the motion" if times is not None else "the linear model at one point"
    by = computed(f"{where}: exact limits of the factor between which the sampled loop is stable")
    rows: list[tuple[Cell, ...]] = []
    for factor, ends in values["robustness"].items():
        limits = [end.number_or_none for end in ends]
        cells: list[Cell] = ["no limit" if limit is None else Number(limit, by) for limit in limits]
        rows.append((_SYMBOLS.get(factor, factor), MEANING.get(factor, ""), *cells))
    if not rows:
        return []
    caption = "Stable while the ratio of the controller's model to the true value stays"
    ends_of = {factor: [end.number_or_none for end in ends] for factor, ends in values["robustness"].items()}
    narrow = [paragraph(Statement(f"{text}.", by), tone=Tone.BAD) for text in map(_sentence, narrow_limits(ends_of))]
    return [DataTable(("factor", "of", "above", "below"), tuple(rows), caption), *narrow]


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _statistics(values: StoredValue) -> list[Block]:
    blocks: list[Block] = []
    by = computed("linear models at points of the motion; no proof")
    payload, covariance = values.get("payload"), values.get("covariance")
    if payload is not None and payload.get("frame") is not None:
        upper = payload.get("upper")
        limit = "any payload" if upper is None else upper.shown(by, "kg", at_least=True)
        where = f" at {payload['frame'].text} that the model does not know"
        blocks.append(paragraph("Linear stability, which is not accuracy: stable with ", limit, where, "."))
    if covariance is not None and covariance.get("level") is not None:
        share, stable = Number(PERCENT * covariance["level"].number, by, "%"), covariance["stable"].truth
        words = "Stable" if stable else "NOT stable"
        tone = Tone.GOOD if stable else Tone.BAD
        blocks.append(paragraph(f"{words} for the parameters that ", share, " of identifications give.", tone=tone))
    return blocks


def _guarantee(values: StoredValue) -> tuple[list[Block], list[Fact]]:
    guarantee = values["guarantee"]
    if not guarantee["valid"].truth:
        reason = Statement(guarantee["reason"].text, computed("the attempt to prove a tube around the reference"))
        return [paragraph("No tracking error is guaranteed: ", reason)], []
    try:
        sentence = guarantee_sentence(guarantee.value)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        guarantee.refuse("is not a guarantee written by torquec")
    claim = claim_basis(sentence)
    rows: list[tuple[Cell, ...]] = []
    worst: list[tuple[float, str, Number]] = []
    for joint, bound in guarantee["bounds"].items():
        position = Number(MILLI * bound["value"].number, claim, f"m{bound['unit'].text}", at_most=True)
        way = bound["unit"].text
        units = {"speed": f"{way}/s", "acceleration": f"{way}/s^2", "torque": "N" if way == "m" else "N m"}
        others = [bound[key].shown(claim, unit, at_most=True) for key, unit in units.items()]
        rows.append((joint, position, *others))
        worst.append((position.value, joint, position))
    head = ("joint", "position error at most", "error of the speed", "of the acceleration", "torque at most")
    stated = Statement(f"{_sentence(sentence)}.", claim)
    caption = "Errors at every instant under these conditions"
    unproven = computed_reason(guarantee.value)
    why = [paragraph(Statement(f"{_sentence(unproven)}.", claim), tone=Tone.WARNING)] if unproven else []
    blocks: list[Block] = [paragraph(stated), *why, DataTable(head, tuple(rows), caption)]
    _, joint, most = max(worst)
    blocks += _budget_bars(guarantee, claim)
    assumed_away = "" if len(blocks) > 2 + len(why) else "without friction, "
    return blocks, [fact(f"tracking error of {joint}, the worst, {assumed_away}at most", most)]


def _budget_bars(guarantee: StoredValue, claim: Provenance) -> list[Block]:
    """A bar per joint: the part of the position bound due to each cause; none for a guarantee of the nominal robot."""
    budget = guarantee.get("budget")
    parts = {} if budget is None else {joint: dict(row.items()) for joint, row in budget.items()}
    causes = list(dict.fromkeys(cause for row in parts.values() for cause in row))
    if not set(causes) - _NOMINAL_CAUSES:
        return []
    series = []
    for cause in causes:
        costs = [MILLI * row[cause].number if cause in row else 0.0 for row in parts.values()]
        if max(costs) > 0.0:
            series.append((cause, tuple(Number(cost, claim, "mrad, mm", at_most=True) for cost in costs)))
    axis = Axis("position error", "mrad, mm")
    return [Bars("Contributions to the bounds", axis, tuple(parts), tuple(series), stacked=True)]


def plot_design(
    document: Mapping[str, Any], limits: Mapping[str, tuple[float, float]], folder: Path, *, robot: str
) -> list[Path]:
    """Draw eigenvalues and root loci from a design's document with its curves; `limits`: stability limits by factor.

    Raises as `write_picture` does.
    """
    values = StoredValue(dict(document), "the design")
    kind, period = values["controller"].text, values["period"].number
    how = f"{kind}, {'sampled' if values['sampled'].truth else 'continuous'} design, {1.0 / period:g} Hz"
    folder.mkdir(parents=True, exist_ok=True)
    title = f"{robot}: eigenvalues ({how})"
    files = [write_picture(_eigenvalues(values, kind), folder / "eigenvalues.png", title=title)]
    for (factor, (lower, upper)), plot in zip(limits.items(), _locus_plots(values, kind), strict=True):
        low = number(lower, 4) if math.isfinite(lower) else "-\N{INFINITY}"
        high = number(upper, 4) if math.isfinite(upper) else "\N{INFINITY}"
        stable = f"stable for {low} < {_SYMBOLS[factor]} < {high}"
        titled = replace(plot, title=f"{plot.title}; {stable}")
        title = f"{robot}: root locus ({how})"
        files.append(write_picture([titled], folder / f"root_locus_{factor}.png", title=title))
    return files


def locus_values(interval: StabilityInterval, count: int = 401) -> Sequence[float]:
    """Values of a factor for its root locus: around one, up to 20 % beyond each stability limit.

    The values are dense around 1, which is one of them, and sparser towards the limits.
    """
    below = (
        min(1.0 - interval.lower, _UNLIMITED_FACTOR)
        if np.isfinite(interval.lower)
        else min(2.0 * interval.upper, _UNLIMITED_FACTOR)
    )
    above = min(interval.upper - 1.0, _UNLIMITED_FACTOR) if np.isfinite(interval.upper) else max(7.0, 2.0 * below)
    if not np.isfinite(below):
        below = above
    spread = np.linspace(0.0, 1.0, count // 2 + 1) ** 3
    found = np.unique(np.concatenate([1.0 - 1.2 * below * spread, 1.0 + 1.2 * above * spread]))
    if interval.factor.value == "gamma":
        found = np.unique(np.maximum(found, 0.0))
    return [float(value) for value in found]
