"""The words for friction: every parameter that a shaft's friction can have, by its name in robot files and in Python.

A word that ends in `_positive` or `_negative` counts in that direction of motion; without the ending it
stands for both. What a parameter does to the torque is said by the terms of :mod:`torquec.dynamics.friction`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from torquec.errors import ArgumentError


class FrictionSign(StrEnum):
    """Which values a friction parameter may have in a file."""

    ANY = "any"
    MAGNITUDE = "magnitude"
    """Zero or more; a fitted one may be negative, which is warned about."""
    SCALE = "scale"
    """More than zero: something is divided by it."""


@dataclass(frozen=True)
class FrictionWord:
    """What a parameter means, its unit at a rotary joint, which values it may have, and the word that it needs."""

    meaning: str
    unit: str
    sign: FrictionSign = FrictionSign.MAGNITUDE
    needs: str = ""


def _both(name: str, word: FrictionWord) -> dict[str, FrictionWord]:
    return {f"{name}_positive": word, f"{name}_negative": word}


FRICTION_WORDS: dict[str, FrictionWord] = {
    **_both("viscous", FrictionWord("friction per speed", "N m s/rad")),
    **_both("coulomb", FrictionWord("dry friction", "N m")),
    "offset": FrictionWord("a constant torque, such as a sensor's zero", "N m", FrictionSign.ANY),
    "turnover_speed": FrictionWord("dry friction turns over as tanh(v/turnover_speed)", "rad/s", FrictionSign.SCALE),
    "turnover_distance": FrictionWord(
        "way over which dry friction turns over after a reversal; programs without memory turn at once",
        "rad",
        FrictionSign.SCALE,
    ),
    **_both("stribeck", FrictionWord("what dry friction has more at rest", "N m", needs="stribeck_speed")),
    "stribeck_speed": FrictionWord("the excess falls as exp(-(v/stribeck_speed)^2)", "rad/s", FrictionSign.SCALE),
    "load": FrictionWord("dry friction per rigid-body torque on the shaft", "-"),
    "curved": FrictionWord("friction per speed squared", "N m s^2/rad^2", FrictionSign.ANY),
    "cubic": FrictionWord("friction per speed cubed", "N m s^3/rad^3", FrictionSign.ANY),
}
"""Every stored word, in the order in which files are written."""


@cache
def stored_words(name: str) -> tuple[str, ...]:
    """The words that a name stands for: itself, or one for each direction.

    >>> stored_words("coulomb"), stored_words("load")
    (('coulomb_positive', 'coulomb_negative'), ('load',))
    """
    sides = (f"{name}_positive", f"{name}_negative")
    return sides if all(side in FRICTION_WORDS for side in sides) else (name,)


def spoken_word(stored: str) -> str:
    """The name that stands for a stored word, whatever its direction.

    >>> spoken_word("coulomb_negative"), spoken_word("load")
    ('coulomb', 'load')
    """
    return stored.removesuffix("_positive").removesuffix("_negative")


def check_words(values: Mapping[str, float]) -> None:
    """Raise `ArgumentError` for unknown words, values that are not finite, and a word without the one it needs."""
    for name, value in values.items():
        word = FRICTION_WORDS.get(name)
        if word is None:
            raise ArgumentError(f"friction has no '{name}'", remedy=f"its words are {', '.join(FRICTION_WORDS)}")
        if not math.isfinite(value) or (word.sign is FrictionSign.SCALE and not value > 0.0):
            raise ArgumentError(
                f"the friction parameter {name} is {value:g}",
                remedy="give a number above zero" if word.sign is FrictionSign.SCALE else "give a finite number",
            )
        if value and word.needs and word.needs not in values:
            raise ArgumentError(f"friction with '{name}' but without '{word.needs}'", remedy=f"give {word.needs}")
