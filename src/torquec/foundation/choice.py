"""Enum-valued options: a member of the enum, or its name as a string, and nothing else."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from torquec.errors import ArgumentError

E = TypeVar("E", bound=Enum)


def chosen(choices: type[E], value: E | str, option: str) -> E:
    """The member of `choices` that an option was given as: itself, its value, or its name in any case.

    Raises `ArgumentError`, with the choices, for anything else: an option that is not understood is never guessed.

    >>> Side = Enum("Side", {"LEFT": "left", "RIGHT": "right"})
    >>> chosen(Side, "left", "side")
    <Side.LEFT: 'left'>
    """
    if isinstance(value, choices):
        return value
    for member in choices:
        if value == member.value or (isinstance(value, str) and value.upper() == member.name):
            return member
    offered = ", ".join(str(member.value) if isinstance(member.value, str) else member.name for member in choices)
    raise ArgumentError(f"there is no {option} {value!r}", remedy=f"choose one of {offered}")
