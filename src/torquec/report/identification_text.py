"""What `torquec identify` prints as text: parameters, errors, and what else was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.identification.payload import Payload
    from torquec.identification.result.comparison import Comparison
    from torquec.identification.result.estimate import Estimate, LogError
    from torquec.papers.izaguirre.elimination import Elimination
    from torquec.papers.izaguirre.inward_basis import InwardBasis

_SHOWN = 12
"""Pairs of correlated parameters in the text; the document has all."""


@dataclass(frozen=True, eq=False)
class Findings:
    """An estimate, and what else was asked for; `file_errors` by what is written, the report first."""

    estimate: Estimate
    elimination: tuple[Elimination, InwardBasis] | None = None
    payload: Payload | None = None
    comparison: Comparison | None = None
    file_errors: dict[str, float] | None = None


def identification_text(findings: Findings, *, details: bool = False) -> str:
    """The tables; `details` adds statistics of the residuals and correlated pairs."""
    from torquec.report.parameter_tables import elimination_text

    estimate = findings.estimate
    parts = [_parameters(estimate), _errors(estimate)]
    if details:
        parts += [_residuals(estimate), _correlated(estimate)]
    if findings.elimination is not None:
        found, basis = findings.elimination
        joints = ", ".join(f"{k + 1} {name}" for k, name in enumerate(estimate.model.robot.joint_names))
        legend = (
            "m mass; x, y, z first moments; a, b, c, d, e, f: Ixx, Iyy, Izz, Ixy, Iyz, Ixz; ia rotor inertia;\n"
            f"fs Coulomb and ds viscous friction, fo offset; numbers: {joints}"
        )
        parts.append(elimination_text(found, basis.letters, standard=basis.standard))
        parts += _frictions(estimate, found, basis)
        parts.append(legend)
    if findings.payload is not None:
        parts.append(_payload_text(findings.payload))
    if findings.comparison is not None:
        parts.append(_comparison_text(findings.comparison))
    if findings.file_errors:
        rows = [[what, f"{error:.2%}"] for what, error in findings.file_errors.items()]
        parts.append(table(["what is written, each fitted to its own words", "|e|/|tau|"], rows))
    return "\n\n".join([*parts, _summary(estimate)])


def _parameters(estimate: Estimate) -> str:
    rows = [
        [p.name, number(p.value), number(p.std, 2), number(low, 4), number(high, 4), "yes" if p.significant else "no"]
        for p, (low, high) in zip(estimate.parameters, estimate.confidence, strict=True)
    ]
    return table(["parameter", "value", "std", "95 % from", "to", "significant"], rows)


def _errors(estimate: Estimate) -> str:
    rows = [
        [error.file, kind, f"{error.relative_error:.2%}", *(number(value, 3) for value in error.rmse.values())]
        for kind, group in (("fitted", estimate.training), ("predicted", estimate.validation))
        for error in group
    ]
    joints = [f"{joint} [Nm]" for joint in estimate.model.robot.joint_names]
    return table(["log", "", "|e|/|tau|", *joints], rows, left=2)


def _residuals(estimate: Estimate) -> str:
    rows = [
        [error.file, joint, *(number(column[joint], 3) for column in _columns(error))]
        for error in (*estimate.training, *estimate.validation)
        for joint in estimate.model.robot.joint_names
    ]
    return "measured - predicted [Nm]\n" + table(["log", "joint", "average", "std", "max", "min"], rows, left=2)


def _columns(error: LogError) -> tuple[dict[str, float], ...]:
    return error.average, error.std, error.largest, error.smallest


def _correlated(estimate: Estimate) -> str:
    pairs = estimate.strong_correlations()
    if not pairs:
        return "no two parameters are correlated by more than 0.9"
    rows = [[first, second, f"{value:+.3f}"] for first, second, value in pairs[:_SHOWN]]
    rest = f"\n  and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
    return "hard to tell apart\n" + table(["parameter", "and", "correlation"], rows, left=2) + rest


def _frictions(estimate: Estimate, found: Elimination, basis: InwardBasis) -> list[str]:
    """Table 3: friction in the robot's file beside what was found; nothing for a file without friction."""
    from torquec.report.parameter_tables import comparison_table

    stated: dict[str, float] = {}
    for joint in estimate.model.robot.joints:
        f = joint.friction
        stated[f"coulomb_{joint.name}"] = 0.5 * (f.coulomb_positive + f.coulomb_negative)
        stated[f"viscous_{joint.name}"] = 0.5 * (f.viscous_positive + f.viscous_negative)
    rows = [
        (basis.letters[k], stated[found.names[k]], float(average))
        for k, average in zip(found.kept, found.after.average, strict=True)
        if found.names[k] in stated
    ]
    if not rows or not any(stated.values()):
        return []
    letters, elsewhere, here = zip(*rows, strict=True)
    title = "Table 3. Comparison of the Results Obtained for the Frictions"
    return [f"{title}\n\n{comparison_table(letters, elsewhere, here)}"]


def _payload_text(payload: Payload) -> str:
    from torquec.spatial import PARAMETER_NAMES

    rows = [
        [name, "open" if name in payload.open else number(value), number(deviation, 2)]
        for name, value, deviation in zip(PARAMETER_NAMES, payload.parameters, payload.std, strict=True)
    ]
    center = ", ".join(number(value, 4) for value in payload.center)
    return (
        f"payload on frame '{payload.frame}', about its origin\n"
        + table(["parameter", "value", "std"], rows)
        + f"\n{number(payload.mass)} kg at ({center}) m; error of the loaded runs {payload.error:.2%}, "
        f"{payload.error_without:.2%} without the payload"
    )


def _comparison_text(found: Comparison) -> str:
    columns = (found.published, found.published_std, found.found, found.found_std)
    rows = [
        [_cut(name), *(number(float(column[k]), 4) for column in columns), f"{found.differences[k]:+.1f}"]
        for k, name in enumerate(found.expressions)
    ]
    head = ["published combination", "value", "std", "here", "std", "difference in std"]
    within = ", ".join(f"{found.within(d)} within {d:g}" for d in (1.0, 2.0, 3.0))
    return table(head, rows) + f"\nof {len(rows)} combinations, {within} standard deviations of each other"


def _summary(estimate: Estimate) -> str:
    prior = "" if estimate.strength is None else f", prior worth {number(estimate.strength)} samples"
    consistent = "physically consistent" if estimate.is_buildable else "not physically consistent"
    cutoff = f"cut-off {number(estimate.cutoff, 3)} Hz"
    how = f"method {estimate.estimator}, friction {estimate.model.friction}, {cutoff}{prior}"
    worth = (
        f"relative error {estimate.relative_error:.2%}, cross-validated {estimate.validation_error:.2%}; condition "
        f"{number(estimate.condition, 4)} ({number(estimate.unit_condition, 4)} with unit columns); {consistent}"
    )
    return "\n".join([*estimate.notes, how, worth, str(estimate.verdict)])


def _cut(words: str, most: int = 44) -> str:
    return words if len(words) <= most else words[: most - 3] + "..."
