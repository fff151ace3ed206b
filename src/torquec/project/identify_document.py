"""JSON document of `torquec identify`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torquec.identification.payload import Payload
    from torquec.identification.result.comparison import Comparison
    from torquec.identification.result.estimate import LogError
    from torquec.model.residual_bound import ResidualBound
    from torquec.papers.elimination import Elimination
    from torquec.papers.inward_basis import InwardBasis
    from torquec.report.identification_text import Findings


def describe(findings: Findings) -> dict[str, Any]:
    """The JSON document."""
    from torquec.identification.result.estimate import not_in_code

    estimate, delivered = findings.estimate, findings.delivered
    document: dict[str, Any] = {
        "robot": estimate.model.robot.name,
        "parameters": [
            {"name": p.name, "value": p.value, "std": p.std, "significant": p.significant} for p in estimate.parameters
        ],
        "confidence": {
            name: [float(low), float(high)]
            for name, (low, high) in zip(estimate.names, estimate.confidence, strict=True)
        },
        "correlations": [
            {"parameters": [first, second], "correlation": value}
            for first, second, value in estimate.strong_correlations()
        ],
        "rmse": estimate.rmse,
        "relative_error": estimate.relative_error,
        "cross_validation_error": estimate.validation_error,
        "condition": estimate.condition,
        "unit_condition": estimate.unit_condition,
        "physically_consistent": estimate.is_buildable,
        "method": estimate.estimator,
        "friction": str(estimate.model.friction),
        "rotors": bool(estimate.model.robot.drives.motors),
        "strength": estimate.strength,
        "cutoff": estimate.cutoff,
        "gravity": list(estimate.model.robot.gravity),
        "status": str(estimate.status),
        "verdict": str(delivered.verdict),
        "trusted": delivered.verdict.is_trusted,
        "expected_error": delivered.promise.error,
        "expected": {
            joint: {"rms": one.rms, "relative": one.relative} for joint, one in delivered.promise.joints.items()
        },
        "not_predicted": list(delivered.promise.not_predicted),
        "residual": {bound.joint: _residual(bound) for bound in delivered.residual},
        "formulas": {
            name: expression
            for name, expression in zip(estimate.model.base.names, estimate.model.base.expressions, strict=True)
            if name.endswith("+")
        },
        "not_in_urdf": list(estimate.unbound),
        "not_in_code": list(not_in_code(estimate)),
        "notes": list(estimate.notes),
        "training": [_error(error) for error in estimate.training],
        "validation": [_error(error) for error in estimate.validation],
    }
    if findings.files is not None:
        document["file_errors"] = dict(findings.files.errors)
        document["delivered"] = findings.files.joint_errors
        document["readers"] = findings.files.readers
    if findings.elimination is not None:
        document["elimination"] = _elimination(*findings.elimination)
    if findings.payload is not None:
        document["payload"] = _payload(findings.payload)
    if findings.comparison is not None:
        document["comparison"] = _comparison(findings.comparison)
    return document


def _residual(bound: ResidualBound) -> dict[str, Any]:
    return {
        "level": bound.level,
        "blocks": bound.blocks,
        "confidence": bound.confidence,
        "enough_blocks": bound.is_sure,
        "seconds": bound.seconds,
        "speeds": list(bound.speeds),
        "bounds": list(bound.bounds),
        "all": list(bound.all),
    }


def _error(error: LogError) -> dict[str, Any]:
    return {
        "file": error.file,
        "rmse": error.rmse,
        "relative_error": error.relative_error,
        "average": error.average,
        "std": error.std,
        "max": error.largest,
        "min": error.smallest,
    }


def _elimination(found: Elimination, basis: InwardBasis) -> dict[str, Any]:
    def statistics(fits: Any, letters: list[str]) -> list[dict[str, Any]]:
        columns = {"average": fits.average, "std": fits.std, "max": fits.maximum, "min": fits.minimum}
        return [
            {"name": name, "letter": letter} | {key: float(column[k]) for key, column in columns.items()}
            for k, (name, letter) in enumerate(zip(fits.names, letters, strict=True))
        ]

    return {
        "standard": basis.standard,
        "independent": len(found.names),
        "significant": len(found.kept),
        "all": statistics(found.before, list(basis.letters)),
        "kept": statistics(found.after, [basis.letters[k] for k in found.kept]),
        "dropped": list(found.dropped),
        "condition": {"before": _finite(found.before.condition), "after": _finite(found.after.condition)},
        "improvement": _finite(found.improvement),
        "relative_error": {"before": found.error_before, "after": found.error_after},
    }


def _finite(value: float) -> float | None:
    """The number; None for a condition number that is not finite."""
    return value if math.isfinite(value) else None


def _payload(payload: Payload) -> dict[str, Any]:
    from torquec.spatial import PARAMETER_NAMES

    return {
        "frame": payload.frame,
        "mass": payload.mass,
        "center": list(payload.center),
        "parameters": [
            {"name": name, "value": float(value), "std": float(std), "identified": name not in payload.open}
            for name, value, std in zip(PARAMETER_NAMES, payload.parameters, payload.std, strict=True)
        ],
        "relative_error": payload.error,
        "relative_error_without": payload.error_without,
        "physically_consistent": payload.physically_consistent,
        "solid": dict(zip(PARAMETER_NAMES, map(float, payload.solid), strict=True)),
    }


def _comparison(found: Comparison) -> dict[str, Any]:
    return {
        "rows": [
            {
                "expression": name,
                "published": {"value": float(found.published[k]), "std": float(found.published_std[k])},
                "found": {"value": float(found.found[k]), "std": float(found.found_std[k])},
                "difference_in_std": float(found.differences[k]),
            }
            for k, name in enumerate(found.expressions)
        ],
        "within": {str(d): found.within(d) for d in (1, 2, 3)},
    }
