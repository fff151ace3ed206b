"""Lists in help texts, generated from the tables of the library.

A help text holds the name of a list in braces, as in "{robot files}". It is filled in when a command's help is shown,
not before: the tables live in modules that `torquec --help` need not import.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Mapping
from enum import EnumType
from types import MappingProxyType
from typing import Any

from typer.core import TyperCommand

from torquec.codegen.precision import Precision
from torquec.realtime.targets import OPTIONS, TARGETS, targets_in, targets_with


def _targets_with(option: str) -> str:
    return ", ".join(targets_with(option))


def _of(module: str, name: str) -> Callable[[], str]:
    """The text that a function of a module gives; the module is imported when the text is asked for."""
    return lambda: str(getattr(importlib.import_module(f"torquec.{module}"), name)())


def _words_of(module: str, name: str) -> Callable[[], str]:
    """The words of a module's enum, or of a function's result, separated by commas."""

    def text() -> str:
        found: Any = getattr(importlib.import_module(f"torquec.{module}"), name)
        return ", ".join(map(str, list(found) if isinstance(found, EnumType) else found()))

    return text


def _methods() -> str:
    from torquec.identification.estimators.method import Method

    drawn, others = ([method for method in Method if method.needs_prior is kind] for kind in (True, False))
    return f"{', '.join(drawn)} (with a prior); {', '.join(others)} (without)"


def _arm_families() -> str:
    from torquec.kinematics.arm_geometry import ArmFamily

    *first, last = (family.value for family in ArmFamily if family is not ArmFamily.NONE)
    return f"{', '.join(first)} or {last}"


def _laws() -> str:
    from torquec.control.laws import LAWS

    return ", ".join(f"{kind} ({entry.summary})" for kind, entry in LAWS.items())


def _usual_poles() -> str:
    from torquec.control.laws import USUAL_POLES

    return f"{USUAL_POLES:g}"


def _usual_law() -> str:
    from torquec.control.laws import USUAL_LAW

    return USUAL_LAW.value


def _tolerable_errors() -> str:
    from torquec.control.laws import TOLERABLE

    return ",".join(f"{value:g}" for value in TOLERABLE)


def _paper_comparisons() -> str:
    from torquec.papers.comparisons import paper_comparisons

    return ", ".join(found.name for found in paper_comparisons())


LISTS: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "robot files": _of("robot.load", "robot_files"),
        "log files": _of("trajectory.log_formats", "log_files"),
        "classics": _words_of("robot.classics", "names"),
        "targets": _of("codegen.target", "target_titles"),
        "target titles": lambda: "; ".join(f"{n}: {row.title}" for n, row in TARGETS.items() if n != row.title),
        "single targets": lambda: ", ".join(targets_in(Precision.SINGLE)),
        "checked targets": lambda: ", ".join(TARGETS),
        **{f"targets of {option}": functools.partial(_targets_with, option) for option in OPTIONS},
        "arm families": _arm_families,
        "laws": _laws,
        "law options": _words_of("control.law_options", "word_options"),
        "usual poles": _usual_poles,
        "usual law": _usual_law,
        "tolerable errors": _tolerable_errors,
        "friction models": _words_of("identification.torque.friction_law", "FrictionModel"),
        "methods": _methods,
        "friction to excite": _words_of("identification.excitation.regressor_information", "excitable_models"),
        "paper comparisons": _paper_comparisons,
    }
)
"""Values of the names in braces."""

_PLACE = re.compile("{(" + "|".join(LISTS) + ")}")


def filled(text: str) -> str:
    """A help text with its lists filled in.

    >>> filled("a file {robot files}").startswith("a file .urdf (URDF), ")
    True
    """
    return _PLACE.sub(lambda place: LISTS[place.group(1)](), text)


class FilledCommand(TyperCommand):
    """A command that fills in the lists of its help."""

    def get_short_help_str(self, limit: int = 45) -> str:
        """The line in the list of commands."""
        return filled(super().get_short_help_str(limit))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help with its lists filled in."""
        self.help = filled(self.help or "")
        for parameter in self.get_params(ctx):
            shown: Any = parameter
            if getattr(shown, "help", None):
                shown.help = filled(shown.help)
        super().format_help(ctx, formatter)
