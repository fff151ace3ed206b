"""Text of `torquec identify`: parameters, errors, and the tables of Izaguirre et al. (Tables 1 to 3).

(1)  statistics: number (with an asterisk for a significant parameter), representation, average, standard deviation,
     maximum and minimum over the trajectories
(2)  comparison: number, representation, the value found elsewhere, the value found here
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torquec.papers.elimination import Elimination, TrajectoryFits
from torquec.report.tables import number, table
from torquec_check.claim import rounded_up

if TYPE_CHECKING:
    from torquec.identification.file_fits import FileFits
    from torquec.identification.payload import Payload
    from torquec.identification.result.comparison import Comparison
    from torquec.identification.result.estimate import Estimate, LogError
    from torquec.model.residual_bound import ResidualBound
    from torquec.papers.elimination import Elimination
    from torquec.papers.inward_basis import InwardBasis

_SHOWN_PAIRS = 12
"""Pairs of correlated parameters in the text; the document has all."""
_STATISTICS = ("Parameter", "Representation", "Average", "Standard Deviation", "Maximum", "Minimum")


@dataclass(frozen=True, eq=False)
class Findings:
    """An estimate with the other requested results; `files`: the estimate as fitted to the written formats."""

    estimate: Estimate
    elimination: tuple[Elimination, InwardBasis] | None = None
    payload: Payload | None = None
    comparison: Comparison | None = None
    files: FileFits | None = None

    @property
    def delivered(self) -> Estimate:
        """Parameters as delivered in programs and models, which differ from the fitted ones."""
        return self.estimate if self.files is None else self.files.program


def identification_text(findings: Findings, *, details: bool = False) -> str:
    """The tables; `details` adds statistics of the residuals and correlated pairs."""

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
        parts.append(_published_text(findings.comparison))
    if findings.files is not None:
        parts.append(_files(findings.files, estimate.model.robot.joint_names))
    return "\n\n".join([*parts, _expected(findings.delivered), _summary(findings)])


def _files(files: FileFits, joints: Sequence[str]) -> str:
    rows = [
        [
            what,
            files.readers.get(what, ""),
            f"{error:.2%}",
            *(f"{files.joint_errors[what][joint]:.1%}" for joint in joints),
        ]
        for what, error in files.errors.items()
    ]
    return table(
        ["file, fitted with the terms it supports", "read by", "|e|/|tau|", *joints],
        rows,
        left=2,
    )


def _expected(estimate: Estimate) -> str:
    """Expected error on another motion by joint, and the bound of the residual."""
    bounds = {bound.joint: bound for bound in estimate.residual}
    rows = [
        [joint, number(one.rms, 3), f"{one.relative:.1%}", *_bound(bounds.get(joint))]
        for joint, one in estimate.promise.joints.items()
    ]
    head = ["expected of another motion", "rms [Nm]", "of its variation", "99 % below [Nm]", "all fitted within [Nm]"]
    few = next((bound for bound in bounds.values() if not bound.is_sure), None)
    note = "" if few is None else f"\nbounds from {few.blocks} blocks of motion are from too few blocks: record more"
    return table(head, rows) + note


def _bound(bound: ResidualBound | None) -> list[str]:
    if bound is None:
        return ["", ""]
    ends = (rounded_up(value, 3) for value in (min(bound.bounds), bound.largest))
    return [" to ".join(ends), rounded_up(bound.enclosing, 3)]


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
    rows = [[first, second, f"{value:+.3f}"] for first, second, value in pairs[:_SHOWN_PAIRS]]
    rest = f"\n  and {len(pairs) - _SHOWN_PAIRS} more" if len(pairs) > _SHOWN_PAIRS else ""
    return "strongly correlated\n" + table(["parameter", "and", "correlation"], rows, left=2) + rest


def _frictions(estimate: Estimate, found: Elimination, basis: InwardBasis) -> list[str]:
    """Table 3: friction in the robot's file beside the estimated friction; empty for a file without friction."""

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


def _published_text(found: Comparison) -> str:
    columns = (found.published, found.published_std, found.found, found.found_std)
    rows = [
        [_cut(name), *(number(float(column[k]), 4) for column in columns), f"{found.differences[k]:+.1f}"]
        for k, name in enumerate(found.expressions)
    ]
    head = ["published combination", "value", "std", "here", "std", "difference in std"]
    within = ", ".join(f"{found.within(d)} within {d:g}" for d in (1.0, 2.0, 3.0))
    return table(head, rows) + f"\nof {len(rows)} combinations, {within} standard deviations of each other"


def _summary(findings: Findings) -> str:
    estimate = findings.estimate
    prior = "" if estimate.strength is None else f", prior worth {number(estimate.strength)} samples"
    consistent = "physically consistent" if estimate.is_buildable else "not physically consistent"
    cutoff = f"cut-off {number(estimate.cutoff, 3)} Hz"
    how = f"method {estimate.estimator}, friction {estimate.model.friction}, {cutoff}{prior}"
    worth = (
        f"expected of another motion {findings.delivered.promise.error:.2%}, fitted {estimate.relative_error:.2%}, "
        f"cross-validated {estimate.validation_error:.2%}; condition "
        f"{number(estimate.condition, 4)} ({number(estimate.unit_condition, 4)} with unit columns); {consistent}"
    )
    return "\n".join([*estimate.notes, how, worth, str(findings.delivered.verdict)])


def _cut(words: str, most: int = 44) -> str:
    return words if len(words) <= most else words[: most - 3] + "..."


def statistics_table(fits: TrajectoryFits, letters: Sequence[str], significant: Collection[int]) -> str:
    """The table (1) of fits, one row per parameter; `letters` are the representations.

    >>> import numpy as np
    >>> fits = TrajectoryFits(("Ixx_link4",), np.array([[0.25], [0.75]]), np.ones((2, 2)))
    >>> print(statistics_table(fits, ["a4"], [0]))
    Parameter  Representation   Average  Standard Deviation   Maximum   Minimum
    1 *        a4              0.500000            0.353553  0.750000  0.250000
    """
    columns = (fits.average, fits.std, fits.maximum, fits.minimum)
    rows = [
        [f"{k + 1} *" if k in significant else f"{k + 1}", letter, *(_fixed(float(column[k])) for column in columns)]
        for k, letter in enumerate(letters)
    ]
    return _aligned(_STATISTICS, rows)


def comparison_table(
    letters: Sequence[str], elsewhere: Sequence[float], here: Sequence[float], *, source: str = "the Robot's File"
) -> str:
    """The table (2).

    >>> print(comparison_table(["fs1"], [0.76], [0.787033], source="J. Lloyd"))
    Parameter Number  Representation  Value Found in J. Lloyd  Value Found by Our Method
    1 *               fs1                              0.7600                     0.7870
    """
    rows = [
        [f"{k + 1} *", letter, _fixed(other, 4), _fixed(own, 4)]
        for k, (letter, other, own) in enumerate(zip(letters, elsewhere, here, strict=True))
    ]
    header = ("Parameter Number", "Representation", f"Value Found in {source}", "Value Found by Our Method")
    return _aligned(header, rows)


def elimination_text(found: Elimination, letters: Sequence[str], *, standard: int) -> str:
    """Both tables (1) of an elimination, and its effect on the condition number; `standard`: number of parameters."""
    kept = [letters[k] for k in found.kept]
    before, after = found.before, found.after
    condition = _condition_text(found)
    errors = (
        f"|tau - predicted|/|tau|: {found.error_before:.2%} with {len(letters)} parameters, {found.error_after:.2%} "
        f"with {len(kept)}"
    )
    lines = [
        f"{standard} parameters, {len(letters)} of them independent, {len(kept)} significant",
        "",
        "Table 1. Statistics for the Parameters Obtained Experimentally",
        "",
        statistics_table(before, letters, found.kept),
        "",
        "Table 2. Statistics for the Significant Parameters",
        "",
        statistics_table(after, kept, range(len(kept))),
        "",
        condition,
        errors,
    ]
    return "\n".join(lines)


def _condition_text(found: Elimination) -> str:
    """Condition number before and after elimination; undefined if one trajectory does not determine all parameters."""
    before, after = found.before, found.after
    start = f"condition number of one trajectory (median of {len(before.values)})"
    if not math.isfinite(after.condition):
        return f"no single trajectory tells the {len(found.kept)} significant parameters apart: they need all of them"
    if not math.isfinite(before.condition):
        return (
            f"{start}: {after.condition:.0f} with {len(found.kept)} parameters; none tells all {len(found.names)} apart"
        )
    return (
        f"{start}: {before.condition:.0f} with {len(found.names)} parameters, {after.condition:.0f} with "
        f"{len(found.kept)}: {found.improvement:.0f} times better"
    )


def _fixed(value: float, digits: int = 6) -> str:
    return f"{value + 0.0:.{digits}f}" if math.isfinite(value) else "-"


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
