"""Pole placement about the reference (Clover's CT1): feedback cancels the linearized coupling, damping, stiffness.

With M, C, K the linear model at the reference (:mod:`torquec.linearization.linearize`) and p, s from the poles of
every joint (:mod:`torquec.control.poles`; Clover III, continuous (16), sampled (23)):

(1)  tau = tau_ref + G1 e + G2 ed,     G1 = M diag(p) - K,     G2 = M diag(s) - C
(2)  the error then obeys  edd + s ed + p e = 0  in every joint alone, at every point of the motion
(3)  M (p e + s ed) - K e - C ed is one pass of the linearized recursion in the direction (-e, -ed, p e + s ed): the
     gains are never formed, and the step costs about two and a half times as much as inverse dynamics
     (a model that follows a program: one pass of its derivative, :mod:`linearized_torque`)
(4)  abbreviated models have explicit M, C and K, which are cheaper still
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torquec.closedform.fourier import Rule
from torquec.control.controller import Controller, designed_controller
from torquec.control.law_options import ControllerOptions, LawDesign, LawKind, resolved_poles
from torquec.control.model_terms import (
    FrictionAt,
    FrictionCompensation,
    added,
    errors_of,
    friction_compensation,
    rigid_torque,
)
from torquec.control.poles import ErrorFeedback, PoleArgument, error_feedback, joint_poles
from torquec.dynamics.spring_torque import spring_stiffness
from torquec.errors import ArgumentError
from torquec.expr import Function, trace
from torquec.linearization.abbreviated_linear_model import AbbreviatedModel, AbbreviatedPart, torque_row
from torquec.linearization.linearize import matrices_at
from torquec.linearization.linearized_torque import check_abbreviation, friction_damping, linearized_torque
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, product, total

_FRICTION = FrictionCompensation()


def pole_placement(
    source: Robot | Model,
    poles: PoleArgument,
    *,
    period: float | None = None,
    sampled: bool = False,
    friction: FrictionCompensation | FrictionAt | str = _FRICTION,
    rule: Rule | None = None,
) -> Controller:
    """The controller (1), feedforward and feedback in one call; with a `rule` from abbreviated models (4).

    `poles`, `period` and `sampled` as in `computed_torque`. Friction is compensated at the reference speed, or not at
    all; where it is, its slope is part of C. Raises `ArgumentError` for poles that are unstable or too fast.
    """
    model, loss = as_model(source), friction_compensation(friction)
    if loss.at is FrictionAt.MEASURED:
        raise ArgumentError(
            "pole placement linearizes about the reference, friction included",
            remedy="compensate friction at the reference, or not at all",
        )
    wanted = joint_poles(model.robot.joint_names, poles)
    feedback = error_feedback(wanted, period=period, sampled=sampled)
    law = _exact_law(model, feedback, loss) if rule is None else _abbreviated_law(model, feedback, loss, rule)
    options = ControllerOptions(resolved_poles(wanted), period, sampled, friction=loss, rule=rule)
    return designed_controller(model, LawDesign(LawKind.POLE_PLACEMENT, options), law)


def pole_placement_gains(
    source: Robot | Model, poles: PoleArgument | None = None, *, period: float | None = None, rule: Rule | None = None
) -> Function:
    """The program (q, qd, qdd) -> G1, G2 (n, n) of (1), for controllers that compute gains and torques at two rates.

    Without `poles` the program has the further inputs `stiffness` p and `damping` s (n,). With a `period` [s] the gains
    are designed for that sampling interval.
    """
    arm = as_model(source)
    robot, feedback = arm.robot, None
    if poles is not None:
        feedback = error_feedback(joint_poles(robot.joint_names, poles), period=period, sampled=period is not None)
    abbreviated = None
    if rule is not None:
        check_abbreviation(arm)
        abbreviated = AbbreviatedModel(robot, rule)

    def algorithm(q: Any, qd: Any, qdd: Any, stiffness: Any = None, damping: Any = None) -> dict[str, Any]:
        p, s = (stiffness, damping) if feedback is None else (feedback.stiffness, feedback.damping)
        here = matrices_at(arm, q, qd, qdd) if abbreviated is None else abbreviated.at(q, qd, qdd)
        M = here.M
        return {"G1": _gain(M, p, here.K), "G2": _gain(M, s, here.C)}

    ports = dict.fromkeys(("q", "qd", "qdd", *(("stiffness", "damping") if feedback is None else ())), (robot.n,))
    return trace("pole_placement_gains", algorithm, ports)


def _gain(M: Sequence[Sequence[Scalar]], factors: Sequence[Scalar], own: Sequence[Sequence[Scalar]]) -> Any:
    """M diag(factors) - own."""
    rows = zip(M, own, strict=True)
    return [[m * f - x for m, f, x in zip(row, factors, other, strict=True)] for row, other in rows]


def _exact_law(model: Model, feedback: ErrorFeedback, friction: FrictionCompensation) -> Any:
    """(3)."""

    def law(**signals: Any) -> dict[str, Any]:
        q, qd, qdd = signals["q_ref"], signals["qd_ref"], signals["qdd_ref"]
        e, ed = errors_of(signals)
        demand = _demand(feedback, e, ed)
        back, slower = [-x for x in e], [-x for x in ed]
        tau = added(rigid_torque(model, q, qd, qdd), friction.torque(model, signals))
        tau = added(tau, linearized_torque(model, (q, qd, qdd), (back, slower, demand)))
        tau = [t - product(k, x) for t, k, x in zip(tau, spring_stiffness(model.robot, q), e, strict=True)]
        return {"tau": _without_slopes(model.robot, friction, tau, qd, ed)}

    return law


def _abbreviated_law(model: Model, feedback: ErrorFeedback, friction: FrictionCompensation, rule: Rule) -> Any:
    """(4)."""
    check_abbreviation(model)
    abbreviated = AbbreviatedModel(model.robot, rule, parts=tuple(AbbreviatedPart))

    def law(**signals: Any) -> dict[str, Any]:
        q, qd, qdd = signals["q_ref"], signals["qd_ref"], signals["qdd_ref"]
        e, ed = errors_of(signals)
        here = abbreviated.at(q, qd, qdd)
        v = [a + b for a, b in zip(qdd, _demand(feedback, e, ed), strict=True)]
        tau = [torque_row(row, v, b) for row, b in zip(here.M, here.rigid_bias, strict=True)]
        tau = _minus(_minus(tau, here.K, e), here.rigid_damping, ed)
        return {"tau": _without_slopes(model.robot, friction, added(tau, friction.torque(model, signals)), qd, ed)}

    return law


def _demand(feedback: ErrorFeedback, e: Sequence[Scalar], ed: Sequence[Scalar]) -> list[Scalar]:
    parts = zip(feedback.stiffness, e, feedback.damping, ed, strict=True)
    return [p * position + s * speed for p, position, s, speed in parts]


def _minus(tau: Sequence[Scalar], matrix: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> list[Scalar]:
    found = []
    for start, row in zip(tau, matrix, strict=True):
        value: Scalar = 0.0
        for entry, part in zip(row, x, strict=True):
            value = total(value, product(entry, part))
        found.append(start - value)
    return found


def _without_slopes(
    robot: Robot, friction: FrictionCompensation, tau: list[Scalar], qd: Sequence[Scalar], ed: Sequence[Scalar]
) -> list[Scalar]:
    """Subtract the friction part of C ed, where friction is compensated."""
    return tau if friction.at is FrictionAt.NOTHING else _minus(tau, friction_damping(robot, qd), ed)
