"""Slotine-Li control: passivity-based tracking with a reference velocity, without parameter adaptation.

(1)  v_r = qd_ref + l e,     a_r = qdd_ref + l ed,     s = v_r - qd,     e = q_ref - q
(2)  tau = M(q) a_r + C(q, qd) v_r + g + friction + K s
(3)  with the robot's own M, C and g, and M' - 2 C skew:  d/dt (s' M s / 2) = -s' K s,  so that s and e decay

The law does not invert the inertia: M s' + (C + K) s = torque error. A joint with the poles -l and -k gets l and
K = k J, where J is the diagonal of M at one configuration. Decoupled, the joint has these poles, as with a PD law.
Slotine & Li, On the adaptive control of robot manipulators, Int. J. Robotics Research 6 (1987).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torquec.control.controller import Controller, designed_controller
from torquec.control.law_options import ControllerOptions, LawDesign, LawKind, resolved_poles
from torquec.control.model_terms import FrictionAt, FrictionCompensation, added, errors_of, friction_compensation
from torquec.control.poles import PoleArgument, joint_poles
from torquec.control.robust_computed_torque import pole_rates
from torquec.errors import ArgumentError
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot

_FRICTION = FrictionCompensation()


def slotine_li(
    source: Robot | Model,
    poles: PoleArgument,
    *,
    period: float | None = None,
    posture: Sequence[float] | None = None,
    friction: FrictionCompensation | FrictionAt | str = _FRICTION,
) -> Controller:
    """The Slotine-Li law (1), (2), its model evaluated at the measured state.

    `poles` [1/s]: real; `posture` (n,): the configuration of J, zero unless given. Raises `ArgumentError` for complex
    poles, a posture of another size, and a model without a Coriolis matrix.
    """
    model, loss = as_model(source), friction_compensation(friction)
    robot = model.robot
    n, wanted = robot.n, joint_poles(robot.joint_names, poles)
    place = (0.0,) * n if posture is None else tuple(float(x) for x in posture)
    if len(place) != n:
        raise ArgumentError(f"a configuration of {len(place)} numbers", remedy=f"give {n}")
    slow, fast = pole_rates(wanted)
    gains = (fast * np.diagonal(model.mass_matrix(np.array(place)))).tolist()
    rates = slow.tolist()

    def law(**signals: Any) -> dict[str, Any]:
        e, ed = errors_of(signals)
        q, qd = signals["q"], signals["qd"]
        velocity = [v + rate * x for v, rate, x in zip(signals["qd_ref"], rates, e, strict=True)]
        acceleration = [a + rate * x for a, rate, x in zip(signals["qdd_ref"], rates, ed, strict=True)]
        still = [0.0] * n
        held = added(model.at("inverse_dynamics", q, still, acceleration), model.at("spring_torque", q))
        C = model.at("coriolis_matrix", q, qd)
        turned = [sum((c * v for c, v in zip(row, velocity, strict=True)), 0.0) for row in C]
        damped = [k * (v - w) for k, v, w in zip(gains, velocity, qd, strict=True)]
        tau = added(added(held, turned), damped)
        return {"tau": added(tau, loss.torque(model, signals))}

    options = ControllerOptions(resolved_poles(wanted), period, friction=loss, posture=place)
    return designed_controller(model, LawDesign(LawKind.SLOTINE_LI, options), law)
