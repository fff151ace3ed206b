"""Robust computed torque: integral sliding mode with a boundary layer, and its ultimate tracking error bound.

With e = q_ref - q, real poles -l and -k of every joint, and per joint an amplitude r [rad/s^2] and a layer f [rad/s]:

(1)  s = ed + 2 l e + l^2 I,      I the integral of e, frozen while |s| > f
(2)  v = qdd_ref + 2 l ed + l^2 e + k s + r sat(s/f),      sat(x) = x clamped to [-1, 1]
(3)  tau = M v + c + g + friction

The robust term is continuous, at most r in magnitude and with slope r/f in s, so that it does not chatter as a sign
function does. With an acceleration error w, M^-1 times the torque error (model, payload, friction, drives),

(4)  s' = -k s - r sat(s/f) - w,   so that  |w| <= W <= r + k f  keeps |s| <= W/(k + r/f) <= f:  the layer is not left
(5)  e follows s through  z/(z + l)^2, whose L1 norm is 2/(2.718 l):  |e| <= 0.74 W/(l (k + r/f)); a constant w leaves
     no error. Computed torque with the same poles has W/(l k)
(6)  sampled every T, torques acting D samples late: within the layer the loop is linear, x+ = A x + the effect of w
     over the interval; |e| <= W sum_j of integral |C A^j B(z)| dz, and the same of s, which must stay below f

`ultimate_bounds` computes (6) at the sampling instants; it needs a bound W of |w|.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

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
from torquec.control.poles import ErrorFeedback, JointPoles, PoleArgument, joint_poles
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError
from torquec.expr.math import absolute, maximum, minimum, select
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot

_FRICTION = FrictionCompensation()

AMPLITUDE = 10.0
"""Default amplitude of the robust term [rad/s^2 or m/s^2]: a third of what typical drives can give."""

_LAYER_GAIN = 2.0  # default of r/f over k: within the layer errors are a third of those without the term

_SETTLED, _MOST_STEPS = 1e-12, 200_000
"""Limit for (6): relative size of the last term of the sum; a loop that needs more steps counts as unstable."""

_ONCE = 1.0  # T (2 l + k + r/f) above which a sampled speed error changes its sign from sample to sample


def robust_computed_torque(
    source: Robot | Model,
    poles: PoleArgument,
    *,
    period: float,
    amplitude: npt.ArrayLike | None = None,
    layer: npt.ArrayLike | None = None,
    evaluation: Evaluation | str = Evaluation.MEASURED,
    friction: FrictionCompensation | FrictionAt | str = _FRICTION,
) -> Controller:
    """The law (1)-(3), sampled every `period` [s].

    `poles` [1/s]: real, one for all joints, one per joint (taken twice) or pairs; the slower is -l. `amplitude` r
    [rad/s^2] and `layer` f [rad/s]: one number or one per joint; the defaults are r = 10 rad/s^2, f = r/(2 k): then
    k + r/f = 3 k. Raises `ArgumentError` for poles that are complex or too fast for the period, and for numbers that
    are not positive.
    """
    model = as_model(source)
    names, n = model.robot.joint_names, model.robot.n
    if not (math.isfinite(period) and period > 0.0):
        raise ArgumentError(f"a period of {period}", remedy="give a positive number of seconds")
    evaluated, loss = chosen(Evaluation, evaluation, "evaluation"), friction_compensation(friction)
    wanted = joint_poles(names, poles)
    slow, fast = pole_rates(wanted)
    term = RobustTerm.usual(wanted, amplitude, layer)
    size, width = np.array(term.amplitude), np.array(term.layer)
    for name, rate, gain in zip(names, 2.0 * slow + fast, size / width, strict=True):
        if period * (rate + gain) > _ONCE:
            raise ArgumentError(
                f"joint '{name}' would chatter: poles and robust term have {rate + gain:.4g} 1/s, samples are "
                f"{period:g} s apart",
                remedy=f"give a wider layer or slower poles: below {_ONCE / period:.4g} 1/s together, or sample faster",
            )

    def law(state: Any, **signals: Any) -> dict[str, Any]:
        e, ed = errors_of(signals)
        rows = zip(e, ed, state, slow.tolist(), fast.tolist(), size.tolist(), width.tolist(), strict=True)
        v, later = [], []
        for (x, xd, integral, l, k, r, f), qdd in zip(rows, signals["qdd_ref"], strict=True):  # noqa: E741 - as in (1)
            s = xd + ((2.0 * l) * x + (l * l) * integral)
            robust = r * minimum(maximum((1.0 / f) * s, -1.0), 1.0)
            v.append(qdd + ((2.0 * l) * xd + (l * l) * x + (k * s + robust)))
            later.append(select(f - absolute(s), integral + period * x, integral))
        q, qd = state_of(signals, evaluated)
        return {"tau": added(rigid_torque(model, q, qd, v), loss.torque(model, signals)), "next_state": later}

    options = ControllerOptions(
        resolved_poles(wanted),
        period,
        evaluation=evaluated,
        friction=loss,
        amplitude=tuple(size.tolist()),
        layer=tuple(width.tolist()),
    )
    slots = (StateSlot("integral", (0.0,) * n),)
    return designed_controller(model, LawDesign(LawKind.ROBUST, options), law, slots=slots)


@dataclass(frozen=True)
class RobustTerm:
    """`amplitude` r [rad/s^2] and `layer` f [rad/s] of the robust term (2), one number or one per joint."""

    amplitude: float | tuple[float, ...]
    layer: float | tuple[float, ...]

    @staticmethod
    def usual(
        poles: JointPoles, amplitude: npt.ArrayLike | None = None, layer: npt.ArrayLike | None = None
    ) -> RobustTerm:
        """The term with its defaults: r = 10 rad/s^2, and the layer f = r/(2 k)."""
        n, (_, fast) = len(poles.joints), pole_rates(poles)
        size = _per_joint("amplitude", AMPLITUDE if amplitude is None else amplitude, n)
        width = _per_joint("layer", size / (_LAYER_GAIN * fast) if layer is None else layer, n)
        return RobustTerm(tuple(size.tolist()), tuple(width.tolist()))

    def feedback(self, poles: JointPoles) -> ErrorFeedback:
        """The linear feedback within the layer: v - qdd_ref = (l^2 + 2 l K) e + (2 l + K) ed + K l^2 I, K = k + r/f."""
        slow, fast = pole_rates(poles)
        n = len(slow)
        total = fast + _per_joint("amplitude", self.amplitude, n) / self.layers(n)
        gains = slow**2 + 2.0 * slow * total, 2.0 * slow + total, total * slow**2
        return ErrorFeedback(*(tuple(each.tolist()) for each in gains))

    def layers(self, n: int) -> Array:
        """The layer of every joint (n,)."""
        return _per_joint("layer", self.layer, n)

    def leaves_layer(self, joints: Sequence[str], sliding: Array) -> str:
        """The joint whose |s| may exceed its layer, so that the term saturates, in words; "" if there is none."""
        for name, reached, layer in zip(joints, sliding.tolist(), self.layers(len(joints)).tolist(), strict=True):
            if reached > layer:
                return (
                    f"joint '{name}' may leave the layer of its robust term, {layer:.4g} rad/s (m/s): s may reach "
                    f"{reached:.4g}; widen layer and amplitude by the same factor, {1.01 * reached / layer:.3g} or more"
                )
        return ""

    def sliding(self, poles: JointPoles, position: Array, speed: Array, feedback: Array) -> Array:
        """Bound (n,) of |s| from bounds of measured errors and of the feedback v - qdd_ref = 2 l ed + l^2 e + K s."""
        slow, fast = pole_rates(poles)
        total = fast + _per_joint("amplitude", self.amplitude, len(slow)) / self.layers(len(slow))
        return np.asarray((feedback + 2.0 * slow * speed + slow**2 * position) / total * (1.0 + 1e-12))


@dataclass(frozen=True)
class UltimateBound:
    """Ultimate bounds (6) of a joint: `position` error [rad or m], `sliding` variable s [rad/s or m/s].

    `inside` is whether s stays in the layer; if not, the bounds do not hold. `plain` is the bound of the position error
    of computed torque with the same poles and sampling interval.
    """

    joint: str
    position: float
    sliding: float
    inside: bool
    plain: float


def ultimate_bounds(law: Controller, disturbance: npt.ArrayLike, *, delay: int = 0) -> tuple[UltimateBound, ...]:
    """(6) of a `robust_computed_torque` law for acceleration errors of at most `disturbance` (n,) [rad/s^2].

    `delay`: that of the torques, in samples. Raises `ArgumentError` for another law, for bad numbers and for a
    loop that the delay makes unstable.
    """
    design = law.design
    if design is None or design.law is not LawKind.ROBUST or law.period is None:
        raise ArgumentError(f"'{law.name}' is another law", remedy="make it with robust_computed_torque")
    W = np.asarray(disturbance, dtype=np.float64)
    W = np.full(law.n, float(W)) if W.shape == () else W
    if W.shape != (law.n,) or not (np.isfinite(W).all() and np.all(W >= 0.0)):
        raise ArgumentError(f"a disturbance of {W.tolist()}", remedy=f"give {law.n} numbers that are not negative")
    options = design.options
    assert options.poles is not None
    assert options.amplitude is not None
    assert options.layer is not None
    slow, fast = pole_rates(joint_poles(law.joints, options.poles))
    found = []
    for name, w, l, k, r, f in zip(  # noqa: E741 - as in (1)
        law.joints, W.tolist(), slow.tolist(), fast.tolist(), options.amplitude, options.layer, strict=True
    ):
        total = k + r / f
        gains = (l * l + 2.0 * l * total, 2.0 * l + total, l * l * total)
        sliding = np.array([2.0 * l, 1.0, l * l])
        position, inner = _disturbance_gains(name, gains, sliding, law.period, delay)
        plain, _ = _disturbance_gains(name, (l * k, l + k, 0.0), sliding, law.period, delay)
        found.append(UltimateBound(name, position * w, inner * w, bool(inner * w <= f), plain * w))
    return tuple(found)


def _disturbance_gains(
    joint: str, gains: tuple[float, float, float], sliding: Array, h: float, delay: int
) -> tuple[float, float]:
    """(6): L1 norms from the acceleration error to e and to s, for the feedback gains of e, ed and I."""
    size = 3 + delay
    A = np.zeros((size, size))
    A[:3, :3] = [[1.0, h, 0.0], [0.0, 1.0, 0.0], [h, 0.0, 1.0]]
    feedback = np.zeros(size)
    feedback[:3] = gains
    acts = np.array([-0.5 * h * h, -h, 0.0])  # effect on e and ed of an acceleration -u held for h
    if delay == 0:
        A[:3, :3] += np.outer(acts, feedback[:3])
    else:
        A[:3, 3] = acts
        A[np.arange(3, size - 1), np.arange(4, size)] = 1.0
        A[size - 1] = feedback
    used = size if gains[2] else [k for k in range(size) if k != 2]
    kept = np.arange(size) if isinstance(used, int) else np.array(used)
    rows = np.zeros((2, size))
    rows[0, 0], rows[1, :3] = 1.0, sliding
    A, rows = A[np.ix_(kept, kept)], rows[:, kept]
    if np.abs(np.linalg.eigvals(A)).max() >= 1.0 - 1e-9:
        raise ArgumentError(
            f"the loop of joint '{joint}' is unstable with torques {delay} samples late",
            remedy="choose slower poles or a wider layer, or sample faster",
        )
    sums = np.zeros(2)
    for _ in range(_MOST_STEPS):
        # A unit acceleration error z before the end of the interval adds z to e and 1 to ed there.
        terms = np.array([_mean_size(row[0], row[1], h) for row in rows])
        sums += terms
        if np.all(terms <= _SETTLED * sums) and np.abs(rows).max() < _SETTLED:
            break
        rows = rows @ A
    return float(sums[0]) * (1.0 + 1e-9), float(sums[1]) * (1.0 + 1e-9)


def _mean_size(a: float, b: float, h: float) -> float:
    """The integral of |a z + b| over 0 .. h.

    >>> _mean_size(1.0, 0.0, 2.0), _mean_size(1.0, -1.0, 2.0)
    (2.0, 1.0)
    """
    ends = b, a * h + b
    if ends[0] * ends[1] >= 0.0:
        return 0.5 * h * (abs(ends[0]) + abs(ends[1]))
    return 0.5 * h * (ends[0] ** 2 + ends[1] ** 2) / (abs(ends[0]) + abs(ends[1]))


def pole_rates(poles: JointPoles) -> tuple[Array, Array]:
    """l and k (n,): the slower and the faster of each pair."""
    for name, pair in zip(poles.joints, poles.pairs, strict=True):
        if pair.first.imag or pair.second.imag:
            raise ArgumentError(
                f"the poles of joint '{name}' are {pair}", remedy="give real poles for a robust law: -20, or -10/-30"
            )
    rates = np.sort([[-pair.first.real, -pair.second.real] for pair in poles.pairs], axis=1)
    return rates[:, 0], rates[:, 1]


def _per_joint(name: str, values: npt.ArrayLike, n: int) -> Array:
    array = np.asarray(values, dtype=np.float64)
    array = np.full(n, array.reshape(-1)[0]) if array.size == 1 else array
    if array.shape != (n,) or not (np.isfinite(array).all() and np.all(array > 0.0)):
        raise ArgumentError(f"'{name}' is {array.tolist()}", remedy=f"give one positive number, or one per joint ({n})")
    return array
