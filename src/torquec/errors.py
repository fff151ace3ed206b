"""Exceptions and warnings of Torquec.

An error says what was found, where (file:line when there is one) and what to do about it. Code below the command
line raises; only :mod:`torquec.cli` turns an error into a message and an exit status.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial


class TorquecError(Exception):
    """Base of every deliberate error: what was found, where, and the remedy."""

    def __init__(self, found: str, *, where: str = "", remedy: str = "") -> None:
        self.found = found
        self.where = where
        self.remedy = remedy
        super().__init__(found, where, remedy)

    def __reduce__(self) -> tuple[Callable[..., TorquecError], tuple[str, ...]]:
        # Errors cross process boundaries: a worker's message must arrive whole.
        return partial(type(self), where=self.where, remedy=self.remedy), (self.found,)

    def __str__(self) -> str:
        text = f"{self.where}: {self.found}" if self.where else self.found
        return f"{text}\n  remedy: {self.remedy}" if self.remedy else text


def refusal(check: Callable[[], object]) -> str | None:
    """Message of the `TorquecError` that a check raises, without place and remedy; None where it raises none.

    >>> refusal(lambda: None) is None
    True
    """
    try:
        check()
    except TorquecError as error:
        return error.found
    return None


class RobotFileError(TorquecError):
    """A robot, drive or DH file that cannot be read as a robot."""


class RobotError(TorquecError):
    """A loaded robot for which the request is impossible (no inertias, no such joint, singular)."""


class RefusedQuantityError(RobotError):
    """A quantity that this kind of model does not have; the remedy names a model that has it."""


class ArgumentError(TorquecError, ValueError):
    """A call with the wrong shape, type, name or value."""


class ExpressionError(TorquecError):
    """An ill-formed expression graph, or an unknown operation."""


class CompileError(TorquecError):
    """Native code could not be produced or loaded."""


class CheckError(TorquecError):
    """A result that its independent check rejects, or two computations of one result that disagree."""


class DivergenceError(CheckError):
    """A simulation that diverged: values that are not finite, or a step size that went to zero."""


class SpecificationError(TorquecError):
    """A specification that is incomplete, or that no model can meet; the remedy names values that can be met."""


class TimeLimitError(TorquecError):
    """The time limit ended a search before its first result; a search with a result returns that instead."""


class ModelFileError(TorquecError):
    """A saved model that cannot be read back."""


class MissingExtraError(TorquecError, ImportError):
    """An optional package is needed; the remedy names the extra that brings it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed", remedy=f"pip install 'torquec[{extra}]'"
        )
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[Callable[..., TorquecError], tuple[str, ...]]:
        return type(self), (self.package, self.extra, self.found.split(" needs the package ")[0])


class UnitWarning(UserWarning):
    """A number that looks like degrees where radians are expected; it is used unchanged."""


class SnapWarning(UserWarning):
    """Angles of a robot file were snapped to right angles: programs use the right angles, claims refer to the file."""


class FixedBaseWarning(UserWarning):
    """A robot that seems to stand on legs: its base is treated as fixed."""
