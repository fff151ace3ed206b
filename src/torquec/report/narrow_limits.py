"""Stability limits that are so near to a perfect model that a small error of it makes the loop unstable, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MEANING = {"alpha": "stiffness", "beta": "damping", "gamma": "inertia"}
"""What the factors of model errors multiply."""

_NARROW = 0.1
"""A model that is wrong by a tenth is a usual one."""
_PERCENT = 100.0  # parts to percent


def narrow_limits(robustness: Mapping[str, Sequence[float | None]]) -> list[str]:
    """A sentence for each limit, below or above, that is less than a tenth from one.

    >>> narrow_limits({"beta": (-1.05, 1.012), "gamma": (0.001, None)})
    ['the loop is unstable once the model believes in 1.2 % more damping than there is']
    """
    said = []
    for factor, (low, high) in robustness.items():
        what = MEANING.get(factor, factor)
        for limit, word in ((low, "less"), (high, "more")):
            if limit is not None and abs(limit - 1.0) < _NARROW:
                part = _PERCENT * abs(limit - 1.0)
                said.append(f"the loop is unstable once the model believes in {part:.2g} % {word} {what} than there is")
    return said
