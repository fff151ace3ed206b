"""Friction parameters of a shaft: the record `Friction`, and all parameter names in robot files and in Python.

A name that ends in `_positive` or `_negative` applies to that direction of motion; without the ending it stands for
both directions. :mod:`torquec.dynamics.friction` defines the torque of each parameter.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from torquec.errors import ArgumentError


class FrictionSign(StrEnum):
    """Which values a friction parameter may have in a file."""

    ANY = "any"
    MAGNITUDE = "magnitude"
    """Zero or more; a fitted value may be negative, with a warning."""
    SCALE = "scale"
    """More than zero: it is a divisor."""


@dataclass(frozen=True)
class FrictionWord:
    """What a parameter means, its unit at a rotary joint, its valid values, and the parameter that it requires."""

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
    "turnover_speed": FrictionWord("dry friction changes sign as tanh(v/turnover_speed)", "rad/s", FrictionSign.SCALE),
    "turnover_distance": FrictionWord(
        "distance over which dry friction changes sign after a reversal; models without memory change it at once",
        "rad",
        FrictionSign.SCALE,
    ),
    **_both("stribeck", FrictionWord("excess over Coulomb friction at rest", "N m", needs="stribeck_speed")),
    "stribeck_speed": FrictionWord("speed scale of stribeck, exp(-(v/stribeck_speed)^2)", "rad/s", FrictionSign.SCALE),
    "concave": FrictionWord("friction that grows with the speed and levels off", "N m", needs="concave_speed"),
    "concave_speed": FrictionWord("speed scale of concave, 1 - exp(-|v|/concave_speed)", "rad/s", FrictionSign.SCALE),
    "load": FrictionWord("dry friction per rigid-body torque on the shaft", "-"),
    "curved": FrictionWord("friction per speed squared", "N m s^2/rad^2", FrictionSign.ANY),
    "cubic": FrictionWord("friction per speed cubed", "N m s^3/rad^3", FrictionSign.ANY),
}
"""Every friction parameter by its stored name, in the order in which files are written."""


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
    """Raise `ArgumentError` for unknown words, for invalid values, and for a word without the one that it needs."""
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


_FRICTION_FIELDS = ("viscous_positive", "viscous_negative", "coulomb_positive", "coulomb_negative", "offset")
"""Friction parameters with fields of their own; `Friction.further` has the others."""


@dataclass(frozen=True, repr=False)
class Friction:
    """Friction of a shaft by direction: for v > 0 `viscous_positive * v + coulomb_positive`, for v < 0
    `viscous_negative * v - coulomb_negative` (all four are magnitudes), at v = 0 zero; `offset` is always added.

    `further` holds the parameters of other terms by name, in alphabetical order: names of
    `FRICTION_WORDS`, such as ("stribeck_speed", 0.1). :mod:`torquec.dynamics.friction` defines their torques. Raises
    `ArgumentError` for an unknown word, and for a term that lacks a required word.

    >>> Friction.of({"viscous": 2.0, "stribeck": 0.5, "stribeck_speed": 0.1}).value("stribeck_negative")
    0.5
    """

    viscous_positive: float = 0.0
    viscous_negative: float = 0.0
    coulomb_positive: float = 0.0
    coulomb_negative: float = 0.0
    offset: float = 0.0
    further: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        if self.further:
            object.__setattr__(self, "further", tuple(sorted((str(k), float(v)) for k, v in self.further)))
            check_words(dict(self.further))
            if len(dict(self.further)) < len(self.further) or any(name in _FRICTION_FIELDS for name, _ in self.further):
                raise ArgumentError("a friction parameter is given twice", remedy="give each once")

    @staticmethod
    def of(values: Mapping[str, float]) -> Friction:
        """Friction from words; `viscous` stands for `viscous_positive` and `viscous_negative`; zeros are dropped."""
        found: dict[str, float] = {}
        for name, value in values.items():
            for word in stored_words(name):
                found[word] = found.get(word, 0.0) + float(value)
        further = tuple((name, value) for name, value in found.items() if name not in _FRICTION_FIELDS and value)
        return Friction(**{name: found.get(name, 0.0) for name in _FRICTION_FIELDS}, further=further)

    @property
    def values(self) -> dict[str, float]:
        """All parameters by word, further ones last."""
        return {**{name: getattr(self, name) for name in _FRICTION_FIELDS}, **dict(self.further)}

    def value(self, name: str) -> float:
        """The parameter of that name; zero where there is none."""
        return self.values.get(name, 0.0)

    def __repr__(self) -> str:
        return repr_without_empty(self, ("further",))

    @staticmethod
    def symmetric(viscous: float = 0.0, coulomb: float = 0.0, offset: float = 0.0) -> Friction:
        """The same friction in both directions."""
        return Friction(viscous, viscous, coulomb, coulomb, offset)


def repr_without_empty(value: Any, names: tuple[str, ...]) -> str:
    """The text of a dataclass, without those of the named fields that are empty.

    The robot's hash is the hash of this text. A field that is added later does not change the hash of a robot without
    it, so that results cached under the hash are still found.
    """
    shown = (f for f in dataclasses.fields(value) if f.name not in names or getattr(value, f.name))
    return f"{type(value).__name__}({', '.join(f'{f.name}={getattr(value, f.name)!r}' for f in shown)})"
