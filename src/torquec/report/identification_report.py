"""The report of an identification: one HTML file that needs nothing else.

Verdict, errors of every log, measured and predicted torques, parameters with their intervals, and how they were found.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from torquec.identification.elimination.elimination import Elimination
from torquec.identification.payload import Payload
from torquec.identification.result.comparison import Comparison
from torquec.identification.result.estimate import Estimate, LogError
from torquec.identification.result.identified_model import not_in_code
from torquec.identification.result.prediction import Prediction
from torquec.report.prediction_plots import prediction_png
from torquec.spatial import PARAMETER_NAMES

_ROUNDING = 1e-9  # no parameter of a robot in SI units is as small: shown as zero
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .85rem; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #e3e3e3; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid #888; font-weight: 600; }
th:first-child, td:first-child { text-align: left; white-space: normal; max-width: 26rem; }
.verdict { padding: .7rem 1rem; border-left: 4px solid #888; background: #f5f5f5; }
.trusted { border-color: #2a8a3e; } .doubtful { border-color: #c77700; }
.faint td { color: #888; } img { max-width: 100%; } .wide { overflow-x: auto; }
.facts td { text-align: left; white-space: normal; } .facts td:first-child { min-width: 15rem; }
"""


def identification_report(
    estimate: Estimate,
    predictions: Sequence[Prediction],
    *,
    elimination: Elimination | None = None,
    payload: Payload | None = None,
    comparison: Comparison | None = None,
    file_errors: Mapping[str, float] | None = None,
) -> str:
    """The page as text; pictures are inside it. Raises `MissingExtraError` without matplotlib."""
    name = estimate.model.robot.name
    trusted = "trusted" if estimate.verdict.is_trusted else "doubtful"
    parts = [
        f"<h1>Identification of {escape(name)}</h1>",
        f'<p class="verdict {trusted}">{escape(str(estimate.verdict))}</p>',
        _summary(estimate),
        "<h2>How well the torques are predicted</h2>",
        _errors(estimate),
        *(_picture(prediction) for prediction in predictions),
        *_file_errors(file_errors or {}),
        "<h2>Parameters</h2>",
        _parameters(estimate),
        _correlated(estimate),
    ]
    if elimination is not None:
        parts.append(_elimination(elimination))
    if payload is not None:
        parts.append(_payload(payload))
    if comparison is not None:
        parts.append(_comparison(comparison))
    if estimate.notes:
        parts.append("<h2>Notes</h2><ul>" + "".join(f"<li>{escape(note)}</li>" for note in estimate.notes) + "</ul>")
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Identification of {escape(name)}</title><style>{_STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def _file_errors(errors: Mapping[str, float]) -> list[str]:
    if not errors:
        return []
    rows = "".join(f"<tr><td>{escape(what)}</td><td>{error:.2%}</td></tr>" for what, error in errors.items())
    words = "Each holds the estimate in the words that it has, fitted to them on the same logs."
    head = "<tr><th>file</th><th>|tau - predicted|/|tau|</th></tr>"
    return ["<h2>What the files are worth</h2>", f"<p>{words}</p>", f"<table>{head}{rows}</table>"]


def _summary(estimate: Estimate) -> str:
    rows = [
        ("error of what was fitted, |tau - predicted|/|tau|", f"{estimate.relative_error:.2%}"),
        ("error in cross-validation", f"{estimate.validation_error:.2%}"),
        ("condition number (columns as they are)", _number(estimate.condition)),
        ("condition number (unit columns)", _number(estimate.unit_condition)),
        ("method", f"{estimate.estimator}, friction {estimate.model.friction}"),
        ("cut-off of the low pass", f"{_number(estimate.cutoff)} Hz"),
        ("a robot with these parameters", "could be built" if estimate.is_buildable else "could NOT be built"),
    ]
    if estimate.unbound:
        rows.append(("in no robot file", ", ".join(estimate.unbound)))
    if not_in_code(estimate):
        rows.append(("not in generated code", ", ".join(not_in_code(estimate))))
    return f'<div class="facts">{_table((), rows)}</div>'


def _errors(estimate: Estimate) -> str:
    joints = estimate.model.robot.joint_names
    groups: tuple[tuple[str, tuple[LogError, ...]], ...] = (
        ("fitted", estimate.training),
        ("only predicted", estimate.validation),
    )
    rows = []
    for kind, errors in groups:
        for error in errors:
            first = f"{Path(error.file).name} ({kind})"
            for joint in joints:
                rms = error.rmse[joint]
                values = (error.average[joint], error.std[joint], error.largest[joint], error.smallest[joint])
                rounded = [0.0 if abs(value) < _ROUNDING * rms else value for value in values]
                rows.append((first, joint, *(_number(value, 3) for value in (rms, *rounded))))
                first = ""
            rows.append(("", "all", f"{error.relative_error:.2%}", "", "", "", ""))
    return _table(("log", "joint", "rms [Nm]", "average", "std", "max", "min"), rows)


def _picture(prediction: Prediction) -> str:
    data = base64.b64encode(prediction_png(prediction)).decode("ascii")
    words = f"Measured and predicted torques of {Path(prediction.source).name}"
    return f'<p><img alt="{escape(words)}" src="data:image/png;base64,{data}"></p>'


def _parameters(estimate: Estimate) -> str:
    lines = []
    for parameter, (low, high) in zip(estimate.parameters, estimate.confidence, strict=True):
        cells = [
            escape(parameter.name),
            _number(parameter.value),
            _number(parameter.std, 2),
            f"{_number(low, 4)} .. {_number(high, 4)}",
            "yes" if parameter.significant else "no",
        ]
        faint = "" if parameter.significant else ' class="faint"'
        lines.append(f"<tr{faint}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th>{word}</th>" for word in ("parameter", "value", "std", "95 % interval", "significant"))
    formulas = [
        (name, expression)
        for name, expression in zip(estimate.model.base.names, estimate.model.base.expressions, strict=True)
        if name.endswith("+")
    ]
    meaning = _table(("base parameter", "stands for"), formulas) if formulas else ""
    details = (
        f"<details><summary>What the parameters with a + stand for</summary>{meaning}</details>" if meaning else ""
    )
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(lines)}</table></div>{details}'


def _correlated(estimate: Estimate) -> str:
    pairs = estimate.strong_correlations()[:20]
    if not pairs:
        return "<p>No two parameters are correlated by more than 0.9.</p>"
    rows = [(first, second, f"{value:+.3f}") for first, second, value in pairs]
    return "<h2>Parameters that are hard to tell apart</h2>" + _table(("", "", "correlation"), rows)


def _elimination(found: Elimination) -> str:
    rows = [
        (found.after.names[k], *(_number(float(column[k])) for column in columns))
        for columns in ((found.after.average, found.after.std, found.after.maximum, found.after.minimum),)
        for k in range(len(found.kept))
    ]
    text = (
        f"<p>{len(found.kept)} of {len(found.names)} parameters contribute 1 % of the largest torque or more. The "
        f"condition number of one trajectory falls from {found.before.condition:.0f} to "
        f"{found.after.condition:.0f}; the error is {found.error_after:.2%} with them and "
        f"{found.error_before:.2%} with all.</p>"
    )
    head = ("parameter", "average", "std", "max", "min")
    return "<h2>Significant parameters, over trajectories</h2>" + text + _table(head, rows)


def _payload(payload: Payload) -> str:
    rows = [
        (name, "open" if name in payload.open else _number(value), _number(deviation, 2))
        for name, value, deviation in zip(PARAMETER_NAMES, payload.parameters, payload.std, strict=True)
    ]
    text = (
        f"<p>On frame {escape(payload.frame)}: {payload.mass:.4g} kg. Error of the loaded runs "
        f"{payload.error:.2%}, {payload.error_without:.2%} without the payload.</p>"
    )
    return "<h2>Payload</h2>" + text + _table(("parameter", "value", "std"), rows)


def _comparison(found: Comparison) -> str:
    columns = (found.published, found.published_std, found.found, found.found_std)
    rows = [
        (name, *(_number(float(column[k]), 4) for column in columns), f"{found.differences[k]:+.1f}")
        for k, name in enumerate(found.expressions)
    ]
    head = ("combination", "published", "std", "here", "std", "difference in std")
    text = f"<p>{found.within(2.0)} of {len(rows)} agree within two standard deviations.</p>"
    return "<h2>Compared with published parameters</h2>" + text + _table(head, rows)


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    words = "".join(f"<th>{escape(word)}</th>" for word in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table>{f"<tr>{words}</tr>" if words else ""}{lines}</table></div>'


def _number(value: float, digits: int = 5) -> str:
    return f"{value:.{digits}g}" if math.isfinite(value) else "-"
