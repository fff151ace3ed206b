"""Inputs of the tracking error loop, by cause: torques, accelerations, and constant parameters with their signs.

Unknown constants, such as the payload and errors of bodies, are p parameters delta in a set. They act on the position
less than arbitrary disturbances of the same size, because they keep their values during a motion:

(1)  the acceleration a_p, due to one unit of parameter p along the reference, counts with its sign:
     |sum_p delta_p h_p|,  h_p = sum g_m a_p
(2)  in a disturbance S edd, linear in delta, S is approximated by S_l, which is linear in time between the middles of
     pieces. With the kernel k of a row, linear over every sampling interval, integration by parts gives
       |int k S edd dt| <= var(k) max |S_l ed| + int |k| (|S_l'| |ed| + |S - S_l| |edd|) dt
     Where k jumps at samples (measured speeds), its differences from sample to sample replace the variation, and half a
     period of |S_l edd| times the variation within the intervals is added
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import verified_bound
from torquec.proof.tracking.preconditioned import Ends, batched_product

_UP = 1.0 + 1e-12  # covers the rounding of sums of some hundred products that are not negative
_ROUNDED = 1e-11
"""Rounding of a sum that cancels, as a part of the sum of magnitudes."""

_ROUNDS = 40
"""Iterations of `verified_bound`, which converges slowly for the inertias of light wrists."""

_FIRST = slice(6, 9)  # first moments among the ten standard parameters of a payload; its mass is the last


@dataclass(frozen=True, eq=False)
class ParameterSet:
    """Sets of p constant parameters by cell: boxes with `centre` and `half` widths (C, p), or a unit `ball`.

    `ends` (C, 2, 2), for a payload: at either end of its mass range, the difference from the nominal mass, and the
    largest first moment of that difference.
    """

    centre: Array
    half: Array
    ends: Array | None = None
    ball: bool = False

    @classmethod
    def of_payload(cls, cells: Array, nominal: float, reach: float) -> ParameterSet:
        """The set of a payload's `cells` (C, 2, 10): centre within `reach` [m], `nominal` [kg] of it in the model."""
        centre, half = cells[:, 0], cells[:, 1]
        if not centre.shape[1] or math.isinf(reach):
            return cls(centre, half)
        mass = np.stack([centre[:, 9] - half[:, 9], centre[:, 9] + half[:, 9]], axis=1)
        largest = np.maximum(mass + nominal, 0.0) * reach * (1.0 + _ROUNDED)
        return cls(centre, half, np.stack([mass, largest], axis=2))

    @property
    def largest(self) -> Array:
        """The largest magnitudes (C, p)."""
        return np.abs(self.centre) + self.half

    def bound(self, h: Array) -> Array:
        """The largest |sum of parameters times `h`| (C, n, s), for responses `h` (C, p, n, s)."""
        if self.ball:
            return np.asarray(np.sqrt((h**2).sum(axis=1)))
        size = np.abs(h)

        def box(k: slice) -> Array:
            known = np.abs(np.einsum("cp,cpns->cns", self.centre[:, k], h[:, k]))
            loose = self.half + _ROUNDED * np.abs(self.centre)
            return np.asarray(known + np.einsum("cp,cpns->cns", loose[:, k], size[:, k]))

        found: Array = box(slice(None))
        if self.ends is None:
            return found
        moment = np.sqrt((h[:, _FIRST] ** 2).sum(axis=1))
        mass, reach = np.moveaxis(np.abs(self.ends), 2, 0)[..., None, None]
        either = (mass * size[:, None, -1] + reach * moment[:, None]).max(axis=1)
        return np.asarray(np.minimum(found, box(slice(0, 6)) + either))


@dataclass(frozen=True, eq=False)
class SignedErrors:
    """(1): ends `low` <= a_p <= `high` (C, p, S, n), and the set of the parameters."""

    low: Array
    high: Array
    parameters: ParameterSet


@dataclass(frozen=True, eq=False)
class ConstantErrors:
    """Inputs due to constant parameters (C, S, n). All outputs but the position have the `level`; the position has the
    `signed` errors (1) and, of (2), `momentum` |S_l ed|, `force` |S_l edd| and `change`, the level of the other terms.
    """

    level: Array
    momentum: Array
    force: Array
    change: Array
    signed: tuple[SignedErrors, ...] = ()


_BY_TIME = ("level", "momentum", "force", "change")
_BY_PIECE = ("level", "torque", "low", "high", "feedback")


@dataclass(frozen=True, eq=False)
class ErrorInputs:
    """Inputs of the error loop, by cell and slot or piece of time (C, S, n): accelerations `level` W, torques `torque`
    b, and ends of a known acceleration `low` <= a <= `high`. Where there is a `constant`, the position has its known
    acceleration from there. `feedback`: the largest |u|, which is a disturbance where G belongs to another epoch.
    """

    level: Array
    torque: Array
    low: Array
    high: Array
    feedback: Array
    constant: ConstantErrors | None = None

    @property
    def most(self) -> Array:
        """The level, including that of constant parameters."""
        return self.level if self.constant is None else self.level + self.constant.level

    def mapped(self, largest: Callable[[Array], Array], least: Callable[[Array], Array]) -> ErrorInputs:
        """The inputs over other parts of time, as `largest` gives them; lower ends as `least` gives them."""
        held = self.constant
        if held is not None:
            signed = tuple(replace(each, low=least(each.low), high=largest(each.high)) for each in held.signed)
            held = ConstantErrors(**{name: largest(getattr(held, name)) for name in _BY_TIME}, signed=signed)
        ends = least(self.low), largest(self.high)
        return ErrorInputs(largest(self.level), largest(self.torque), *ends, largest(self.feedback), held)


def joined_inputs(parts: Sequence[ErrorInputs], *, axis: int = -2) -> ErrorInputs:
    """Inputs of consecutive pieces of time as one; along a new `axis` 0, those of several cells."""
    join = np.stack if axis == 0 else partial(np.concatenate, axis=axis)
    constant, held = [each.constant for each in parts if each.constant is not None], None
    if constant:
        signed = tuple(
            SignedErrors(join([e.low for e in one]), join([e.high for e in one]), one[0].parameters)
            for one in zip(*(each.signed for each in constant), strict=True)
        )
        held = ConstantErrors(**{name: join([getattr(c, name) for c in constant]) for name in _BY_TIME}, signed=signed)
    own = {name: join([getattr(each, name) for each in parts]) for name in _BY_PIECE}
    return ErrorInputs(**own, constant=held)


def summed(parts: Iterable[ErrorInputs]) -> ErrorInputs:
    """Sum of the inputs of several causes; feedback is the same for all of them."""
    every = list(parts)
    constant, held = [each.constant for each in every if each.constant is not None], None
    if constant:
        totals = {name: np.sum([getattr(c, name) for c in constant], axis=0) for name in _BY_TIME}
        held = ConstantErrors(**totals, signed=tuple(each for c in constant for each in c.signed))
    sums = {name: np.sum([getattr(each, name) for each in every], axis=0) for name in _BY_PIECE[:-1]}
    return ErrorInputs(**sums, feedback=np.max([each.feedback for each in every], axis=0), constant=held)


@dataclass(frozen=True, eq=False)
class ActingErrors:
    """Inputs of a plant, by cell (C, N, n): `friction` errors [N m or N], the `feedback` |u|, and `other`, the
    difference of A from the reference acceleration without the feedback; errors of the `motion` by cell; `damped`
    torques B ed [N m or N] act through the loop's M_t^-1, and count where the true one differs.
    """

    friction: Array
    feedback: Array
    other: Array
    motion: Sequence[ErrorMotion]
    damped: Array


@dataclass(frozen=True, eq=False)
class ErrorMotion:
    """Bounds on errors of `speed` and `acceleration` (N, n) over pieces of time of some `lengths` (N,) [s]; `moving`:
    the speed has an error when the motion starts.
    """

    speed: Array
    acceleration: Array
    lengths: Array
    moving: bool


def reaction(wrong: Array, columns: Ends, size: Callable[[Array, Array], Array], motion: ErrorMotion) -> ConstantErrors:
    """(2) without a level: `momentum`, `force` and `change` (N, n).

    `columns`: middles and radii of the columns of S (N, n, p, n), before the solution with `wrong` by (8) of
    :mod:`torquec.proof.tracking.plant_uncertainty`; `size` bounds their sum over the set.
    """
    middle, radius = columns
    zero = np.zeros_like(middle)
    S, off = size(middle, zero), size(zero, radius)
    steps = np.zeros((len(S) + 1, *S.shape[1:]))
    steps[1:-1] = size(np.diff(middle, axis=0), zero[1:])
    if motion.moving:  # S_l rises from zero
        steps[0] = 2.0 * S[0]
    ended = motion.lengths[np.isfinite(motion.lengths)]
    # A last piece has no end: there S_l is constant after half of the time of the piece before, or half a second.
    lengths = np.where(np.isfinite(motion.lengths), motion.lengths, ended[-1] if len(ended) else 1.0)[:, None, None]
    around = np.concatenate([lengths[:1], lengths, lengths[-1:]])
    slopes = steps / (0.5 * (around[:-1] + around[1:]))
    rate = np.maximum(slopes[:-1], slopes[1:])  # the steeper half of a piece: a kernel may have its weight there
    apart = 0.5 * lengths * rate
    forced = batched_product(S + off, motion.acceleration) * _UP
    change = batched_product(rate, motion.speed) + batched_product(off + apart, motion.acceleration)
    change = change + verified_bound(wrong, forced, rounds=_ROUNDS) - forced / _UP
    momentum, force = (batched_product(S + apart, each) * _UP for each in (motion.speed, motion.acceleration))
    return ConstantErrors(np.zeros_like(change), momentum, force, change * _UP)
