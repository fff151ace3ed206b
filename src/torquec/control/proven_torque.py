"""Proven torque error of a model: by its certificate, or of an exact model by what snapped angles change."""

from __future__ import annotations

from torquec.model.kinds import ModelKind
from torquec.model.model import Model
from torquec.proof.tracking.torque_error_bound import ProvenTorque, certified_torque_error, exact_torque_error


def proven_torque(model: Model) -> ProvenTorque | str:
    """What is proven of the model's inverse dynamics, or the reason why nothing is."""
    program = model.function("inverse_dynamics")
    if model.record is not None:
        return certified_torque_error(program, model.robot, model.record)
    if model.kind is not ModelKind.EXACT:
        return f"nothing is proven of the torques of a model of the kind '{model.kind}': it has no certificate"
    return exact_torque_error(program, model.robot)
