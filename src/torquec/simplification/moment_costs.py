"""Operation counts of the recursion for many subsets of its mass moments at once, without tracing each.

The recursion is traced once with the moments as unknowns; moments outside a subset are zero in that program:

(1)  zero:    a product with a factor that is zero, a sum of terms that are all zero
(2)  number:  steps that depend on moments and constants alone are computed beforehand
(3)  needed:  by a torque, or by a needed step that is not zero; a sum with a zero term costs no addition

A program traced for the subset itself may be a few operations shorter, by constant folding over several steps. Counts
still rank the subsets, in a thousandth of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism
from torquec.dynamics.motion import motions
from torquec.expr import Function, Op, trace
from torquec.foundation.arrays import Indices, Mask
from torquec.spatial import Scalar

_MOMENTS = "moments"
Place = tuple[int, str]
"""A mass moment: its link, and its name among the fields of `MassMoments`."""


def torque_program(m: Mechanism, unknown: Sequence[Place] = ()) -> Function:
    """Inverse dynamics of a mechanism as a program: q, qd, qdd (n,) -> tau (n,).

    Moments that are `unknown` are another input of the program, in this order.
    """

    def algorithm(
        q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], moments: Sequence[Scalar] = ()
    ) -> dict[str, list[Scalar]]:
        known = _with_moments(m, unknown, moments)
        placed = placed_links(known, q, carried=True)  # with few moments left, the fewest operations
        return {"tau": joint_torques(known, placed, motions(placed, m.coordinates, m.gravity, qd, qdd), qdd)}

    inputs = dict.fromkeys(("q", "qd", "qdd"), (m.n,))
    return trace("inverse_dynamics", algorithm, inputs | ({_MOMENTS: (len(unknown),)} if unknown else {}))


def _with_moments(m: Mechanism, places: Sequence[Place], values: Sequence[Scalar]) -> Mechanism:
    """The mechanism with these moments and no others; unchanged where none is given."""
    if not places:
        return m
    known: list[dict[str, Scalar]] = [{} for _ in m.moments]
    for (link, name), value in zip(places, values, strict=True):
        known[link][name] = value
    return replace(m, moments=tuple(MassMoments(**moments) for moments in known))


class MomentCosts:
    """Multiplications and additions of the recursion for choices of its mass moments."""

    def __init__(self, m: Mechanism, places: Sequence[Place]) -> None:
        assert {name for _, name in places} <= {field.name for field in fields(MassMoments)}
        self._places = tuple(places)
        self._program = torque_program(m, self._places)
        numbers = self._numbers()
        self._counted = [k for k in range(len(self._program.operations)) if k not in numbers]

    def of(self, choices: Sequence[Sequence[int]]) -> Indices:
        """The operation count (choices,) of each choice, given by the indices of its kept moments."""
        kept = np.zeros((len(self._places), len(choices)), bool)
        for column, choice in enumerate(choices):
            kept[list(choice), column] = True
        zero = self._zeros(kept)
        steps = self._program.operations
        needed = np.zeros_like(zero)
        needed[list(self._program.results[0])] = True
        costs = np.zeros(len(choices), np.int64)
        for k in reversed(self._counted):  # (3)
            step = steps[k]
            if step.op is Op.INPUT:
                continue
            here = needed[k] & ~zero[k]
            for argument in step.args:
                needed[argument] |= here
            if step.op is Op.MUL:
                costs += here
            elif step.op in (Op.ADD, Op.SUB):
                costs += here & ~zero[step.args[0]] & ~zero[step.args[1]]
        return costs

    def _zeros(self, kept: Mask) -> Mask:
        """Which steps are zero (1) where these moments (moments, choices) are kept, (steps, choices)."""
        steps = self._program.operations
        zero = np.zeros((len(steps), kept.shape[1]), bool)
        for k, step in enumerate(steps):
            if step.op is Op.INPUT:
                zero[k] = ~kept[step.element] if step.port == _MOMENTS else False
            elif step.op is Op.CONST:
                zero[k] = step.value == 0.0
            elif step.op is Op.MUL:
                zero[k] = zero[step.args[0]] | zero[step.args[1]]
            elif step.op in (Op.ADD, Op.SUB):
                zero[k] = zero[step.args[0]] & zero[step.args[1]]
            elif step.op is Op.NEG:
                zero[k] = zero[step.args[0]]
        return zero

    def _numbers(self) -> set[int]:
        """The steps that depend on no motion (2)."""
        found: set[int] = set()
        for k, step in enumerate(self._program.operations):
            known = step.port == _MOMENTS if step.op is Op.INPUT else all(a in found for a in step.args)
            if known:
                found.add(k)
        return found
