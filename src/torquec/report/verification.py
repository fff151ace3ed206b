"""The closed-loop verification of a control specification as a document and as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.report.tables import number, table
from torquec.simulation.verify_specification import VerificationResult

DOCUMENT = "verification.json"


def verification_document(result: VerificationResult, units: Mapping[str, str]) -> dict[str, Any]:
    """As JSON values: {met, postures, errors {joint: {signal: ..}}, damping {joint: ..}}; `units` of joints by name."""
    errors: dict[str, dict[str, Any]] = {joint: {"unit": unit} for joint, unit in units.items()}
    for row in result.errors:
        errors[row.joint][row.signal.value] = {"error": row.error, "allowed": row.allowed, "met": row.met}
    damping = {
        row.joint: {"lowest": row.lowest, "highest": row.highest, "allowed_error": row.allowed_error, "met": row.met}
        for row in result.damping
    }
    return {"met": result.met, "postures": result.postures, "errors": errors, "damping": damping}


def closed_loop_text(name: str, document: Mapping[str, Any]) -> str:
    """The document in words: errors of each signal and damping, against the allowed ones."""
    met = "met" if document["met"] else "NOT met"
    rows = []
    for joint, errors in document["errors"].items():
        damping = document["damping"][joint]
        cells = [
            f"{number(found['error'], 3)} of {number(found['allowed'], 3)}{'' if found['met'] else ' !'}"
            for signal, found in errors.items()
            if signal != "unit"
        ]
        spread = f"{damping['lowest']:.4g} to {damping['highest']:.4g}{'' if damping['met'] else ' !'}"
        rows.append([joint, *cells, spread, f"1 -+ {damping['allowed_error']:g}", errors["unit"]])
    head = ["joint", "step", "ramp", "parabolic", "damping", "allowed", "unit"]
    return (
        f"{name}: the control specification is {met} in simulation from {document['postures']} postures "
        f"(Chang & Lee's PD scheme on the full robot)\n\n{table(head, rows)}"
    )
