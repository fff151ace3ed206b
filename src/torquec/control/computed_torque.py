"""Computed torque control (inverse dynamics control): full model, or diagonal inertia.

(1)  v = qdd_ref + p e + s ed,      e = q_ref - q,   ed = qd_ref - qd
(2)  full model (Clover's CT2):             tau = M v + c + g + friction                                  Clover III (2)
(3)  diagonal inertia (Clover's CT3):       tau = diag(M) v + g + friction

p and s come from the poles of every joint (:mod:`torquec.control.poles`). The model is evaluated at the measured
state, or at the reference (`evaluation="reference"`), as Clover does.
"""

from __future__ import annotations

from typing import Any

from torquec.closedform.fourier import Rule
from torquec.control.controller import Controller, designed_controller
from torquec.control.law_options import ControllerOptions, LawDesign, LawKind, resolved_poles
from torquec.control.model_terms import (
    Evaluation,
    FrictionAt,
    FrictionCompensation,
    added,
    errors_of,
    friction_compensation,
    rigid_torque,
    state_of,
)
from torquec.control.poles import ErrorFeedback, PoleArgument, error_feedback, joint_poles
from torquec.foundation.choice import chosen
from torquec.linearization.abbreviated_linear_model import AbbreviatedModel, AbbreviatedPart, torque_row
from torquec.linearization.linearized_torque import check_abbreviation
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.spatial import Scalar

_FRICTION = FrictionCompensation()


def computed_torque(
    source: Robot | Model,
    poles: PoleArgument,
    *,
    period: float | None = None,
    sampled: bool = False,
    evaluation: Evaluation | str = Evaluation.MEASURED,
    friction: FrictionCompensation | FrictionAt | str = _FRICTION,
    rule: Rule | None = None,
) -> Controller:
    """Computed torque with the full model (2), or with the model abbreviated by a `rule`.

    `poles`: one for all joints or one per joint (conjugates are added), or pairs. `period` [s]: the sampling interval,
    for which the poles are checked; with `sampled` the gains are designed for it. Raises `ArgumentError` for poles that
    are unstable or too fast, for unknown option values and for a rule on a model without equations to abbreviate.
    """
    model = as_model(source)
    evaluated, loss = chosen(Evaluation, evaluation, "evaluation"), friction_compensation(friction)
    wanted = joint_poles(model.robot.joint_names, poles)
    feedback = error_feedback(wanted, period=period, sampled=sampled)
    abbreviated = None
    if rule is not None:
        check_abbreviation(model)
        abbreviated = AbbreviatedModel(model.robot, rule, parts=(AbbreviatedPart.TORQUE,))

    def law(**signals: Any) -> dict[str, Any]:
        v = demanded_acceleration(feedback, signals)
        q, qd = state_of(signals, evaluated)
        if abbreviated is None:
            rigid = rigid_torque(model, q, qd, v)
        else:
            here = abbreviated.at(q, qd, v)
            rigid = [torque_row(row, v, b) for row, b in zip(here.M, here.rigid_bias, strict=True)]
        return {"tau": added(rigid, loss.torque(model, signals))}

    options = ControllerOptions(resolved_poles(wanted), period, sampled, evaluated, loss, rule)
    return designed_controller(model, LawDesign(LawKind.COMPUTED_TORQUE, options), law)


def diagonal_computed_torque(
    source: Robot | Model,
    poles: PoleArgument,
    *,
    period: float | None = None,
    sampled: bool = False,
    evaluation: Evaluation | str = Evaluation.MEASURED,
    friction: FrictionCompensation | FrictionAt | str = _FRICTION,
) -> Controller:
    """Computed torque with the diagonal of the inertia, gravity, springs and friction only (3)."""
    model = as_model(source)
    evaluated, loss = chosen(Evaluation, evaluation, "evaluation"), friction_compensation(friction)
    wanted = joint_poles(model.robot.joint_names, poles)
    feedback = error_feedback(wanted, period=period, sampled=sampled)

    def law(**signals: Any) -> dict[str, Any]:
        v = demanded_acceleration(feedback, signals)
        q, _ = state_of(signals, evaluated)
        inertia = model.at("mass_matrix", q)
        rigid = [inertia[k][k] * v[k] + g for k, g in enumerate(model.at("gravity_torque", q))]
        held = added(model.at("spring_torque", q), loss.torque(model, signals))
        return {"tau": added(rigid, held)}

    options = ControllerOptions(resolved_poles(wanted), period, sampled, evaluated, loss)
    return designed_controller(model, LawDesign(LawKind.DIAGONAL, options), law, name="diagonal_computed_torque")


def demanded_acceleration(feedback: ErrorFeedback, signals: dict[str, Any]) -> list[Scalar]:
    """The commanded acceleration v (n,), (1)."""
    e, ed = errors_of(signals)
    parts = zip(signals["qdd_ref"], feedback.stiffness, e, feedback.damping, ed, strict=True)
    return [qdd + (p * position + s * speed) for qdd, p, position, s, speed in parts]
