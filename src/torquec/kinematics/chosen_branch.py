"""One branch instead of all: where a closed form branches, the side nearer to the reference is taken.

(1)  of two angles, the one with the larger cosine to the reference's
(2)  every other branch differs from the one taken in one of the angles that were not taken, and is at least
     chord^2 = 2 - 2 cos away from the reference, whole turns or not
(3)  so where the squared distance of the branch taken is less than every chord^2, no other branch is nearer

Programs are traced while `one_branch` lasts; what was chosen, and (2), stand in the `Choices` that it gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from torquec.expr.math import select
from torquec.kinematics.angle import JointAngle, TwoAngles, select_angle, smaller
from torquec.spatial import Scalar


@dataclass
class Choices:
    """What a traced program chose: of each fork whether the second side, and the nearest that others can be (2)."""

    second: dict[str, Scalar] = field(default_factory=dict)
    others: Scalar = 4.0

    def number(self, forks: Sequence[str]) -> Scalar:
        """The place of the branch among all of them, the first fork counting most."""
        total: Scalar = 0.0
        for fork in forks:
            total = 2.0 * total + self.second[fork]
        return total

    def note(self, fork: str, second: Scalar, cosine: Scalar) -> None:
        """A choice, and the cosine of what was not taken."""
        self.second[fork] = second
        self.others = smaller(self.others, 2.0 - 2.0 * cosine)


_CHOICES: ContextVar[Choices | None] = ContextVar("choices", default=None)


@contextmanager
def one_branch() -> Iterator[Choices]:
    """While it lasts, closed forms give one branch: what they chose is noted in the result."""
    choices = Choices()
    before = _CHOICES.set(choices)
    try:
        yield choices
    finally:
        _CHOICES.reset(before)


def current_choices() -> Choices | None:
    """Where choices are noted, or None while all branches are wanted."""
    return _CHOICES.get()


def sides(fork: str, both: TwoAngles, near: JointAngle) -> tuple[JointAngle, ...]:
    """Both angles, or while `one_branch` lasts the one that is nearer to `near` (1)."""
    choices = _CHOICES.get()
    if choices is None:
        return both.first, both.second
    one, other = (angle.c * near.c + angle.s * near.s for angle in (both.first, both.second))
    first_is_nearer = one - other
    choices.note(fork, select(first_is_nearer, 0.0, 1.0), select(first_is_nearer, other, one))
    return (select_angle(first_is_nearer, both.first, both.second),)
