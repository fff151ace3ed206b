"""The table of friction terms."""

from __future__ import annotations

from torquec.dynamics.friction.coulomb import Coulomb
from torquec.dynamics.friction.cubic import Cubic
from torquec.dynamics.friction.curved import Curved
from torquec.dynamics.friction.load import LoadDependent
from torquec.dynamics.friction.offset import Offset
from torquec.dynamics.friction.stribeck import Stribeck
from torquec.dynamics.friction.term import Column, FrictionTerm
from torquec.dynamics.friction.viscous import Viscous
from torquec.errors import ArgumentError
from torquec.robot.robot import Friction

TERMS: dict[str, FrictionTerm] = {
    "viscous": Viscous(),
    "coulomb": Coulomb(),
    "offset": Offset(),
    "load": LoadDependent(),
    "stribeck": Stribeck(),
    "curved": Curved(),
    "cubic": Cubic(),
}
"""Every term by name; a law is the sum of those whose parameters a shaft has. Fits try the last ones in this order."""

PLAIN_TERMS = ("viscous", "coulomb", "offset")
"""What nearly every drive has; the others refine it."""


def refinements() -> tuple[str, ...]:
    """The terms that a law can have besides the plain ones; each is also the name of its column.

    >>> "load" in refinements()
    True
    """
    return tuple(name for name in TERMS if name not in PLAIN_TERMS)


def reads_load(friction: Friction) -> bool:
    """Whether some term of a shaft with this friction depends on the torque that it carries."""
    return any(term.reads_load for term in terms_of(friction))


def terms_of(friction: Friction) -> list[FrictionTerm]:
    """The terms that a shaft with this friction has."""
    return [term for term in TERMS.values() if term.is_in(friction)]


def column_function(parameter: str) -> Column:
    """The column of a linear friction parameter; raises `ArgumentError` where no term has one of that name."""
    for term in TERMS.values():
        if parameter in term.columns:
            return term.columns[parameter]
    known = [name for term in TERMS.values() for name in term.columns]
    raise ArgumentError(f"there is no friction parameter '{parameter}'", remedy=f"they are {', '.join(known)}")
