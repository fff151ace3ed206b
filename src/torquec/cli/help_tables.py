"""Lists in help texts that come from the tables of the library: what a table gains, the help says.

A help text holds the name of a list in braces, as in "{robot files}". It is filled in when a command's help is shown,
not before: the tables live in modules that `torquec --help` has no need to import.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from typer.core import TyperCommand

from torquec.codegen.precision import Precision
from torquec.realtime.targets import OPTIONS, TARGETS, targets_in, targets_with


def _robot_files() -> str:
    from torquec.robot.load import robot_files

    return robot_files()


def _log_files() -> str:
    from torquec.trajectory.log_formats import log_files

    return log_files()


def _classics() -> str:
    from torquec.robot import classics

    return ", ".join(classics.names())


def _targets() -> str:
    from torquec.codegen.target import target_titles

    return target_titles()


def _target_titles() -> str:
    return "; ".join(f"{name}: {row.title}" for name, row in TARGETS.items() if name != row.title)


def _targets_with(option: str) -> str:
    return ", ".join(targets_with(option))


def _single_targets() -> str:
    return ", ".join(targets_in(Precision.SINGLE))


def _checked_targets() -> str:
    return ", ".join(name for name in TARGETS)


def _friction_models() -> str:
    from torquec.identification.torque.friction_law import FrictionModel

    return ", ".join(FrictionModel)


def _methods() -> str:
    from torquec.identification.estimators.method import Method

    drawn, others = ([method for method in Method if method.needs_prior is kind] for kind in (True, False))
    return f"{', '.join(drawn)} (with a prior); {', '.join(others)} (without)"


def _friction_to_excite() -> str:
    from torquec.identification.excitation.regressor_information import excitable_models

    return ", ".join(excitable_models())


def _arm_families() -> str:
    from torquec.kinematics.arm_geometry import ArmFamily

    *first, last = (family.value for family in ArmFamily if family is not ArmFamily.NONE)
    return f"{', '.join(first)} or {last}"


def _laws() -> str:
    from torquec.control.laws import LAWS

    return ", ".join(f"{kind} ({entry.summary})" for kind, entry in LAWS.items())


def _law_options() -> str:
    from torquec.control.law_options import word_options

    return ", ".join(word_options())


def _usual_poles() -> str:
    from torquec.control.laws import USUAL_POLES

    return f"{USUAL_POLES.real:g}{USUAL_POLES.imag:+g}j"


def _tolerable_errors() -> str:
    from torquec.control.laws import TOLERABLE

    return ",".join(f"{value:g}" for value in TOLERABLE)


def _paper_comparisons() -> str:
    from torquec.papers.comparisons import paper_comparisons

    return ", ".join(found.name for found in paper_comparisons())


LISTS: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "robot files": _robot_files,
        "log files": _log_files,
        "classics": _classics,
        "targets": _targets,
        "target titles": _target_titles,
        "single targets": _single_targets,
        "checked targets": _checked_targets,
        **{f"targets of {option}": functools.partial(_targets_with, option) for option in OPTIONS},
        "arm families": _arm_families,
        "laws": _laws,
        "law options": _law_options,
        "usual poles": _usual_poles,
        "tolerable errors": _tolerable_errors,
        "friction models": _friction_models,
        "methods": _methods,
        "friction to excite": _friction_to_excite,
        "paper comparisons": _paper_comparisons,
    }
)
"""What the names in braces stand for."""

_PLACE = re.compile("{(" + "|".join(LISTS) + ")}")


def filled(text: str) -> str:
    """A help text with its lists.

    >>> filled("a file {robot files}").startswith("a file .urdf (URDF), ")
    True
    """
    return _PLACE.sub(lambda place: LISTS[place.group(1)](), text)


class FilledCommand(TyperCommand):
    """A command whose help has its lists."""

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
