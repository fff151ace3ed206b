"""Parsing of command-line values: robots, lists of numbers, states; shared options."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import typer

from torquec.cli.files import Reads, Writes
from torquec.errors import ArgumentError, SnapWarning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torquec.robot.robot import Robot

_NOTE = "command line"  # key of a field's metadata with its command-line description


def option(
    default: Any,
    help_text: str,
    *names: str,
    metavar: str | None = None,
    least: int | None = None,
    show_default: bool = True,
    writes: Writes | None = None,
    reads: Reads | None = None,
    endings: tuple[str, ...] = (),
) -> Any:
    """A field of a command's options that is an option of its command line; a default of ... makes it required.

    The files that it `writes` or `reads` are checked before the work; `least` is the smallest value. `endings`: those
    that the name of a written file may have; a name without one is accepted, too.
    """
    note = typer.Option(*names, metavar=metavar, help=help_text, min=least, show_default=show_default)
    return _field(default, CommandLineNote(note, writes, reads, endings))


def argument(default: Any, help_text: str, *, metavar: str, reads: Reads | None = None) -> Any:
    """A field of a command's options that is an argument; a default of ... makes it required."""
    return _field(default, CommandLineNote(typer.Argument(metavar=metavar, help=help_text), None, reads))


@dataclass(frozen=True)
class CommandLineNote:
    """How typer reads a field of a command's options, and which files the field names."""

    parameter: Any
    writes: Writes | None = None
    reads: Reads | None = None
    endings: tuple[str, ...] = ()


def command_line_notes(options: type[Any]) -> dict[str, CommandLineNote]:
    """The fields of an options class that the command line offers, by name."""
    return {item.name: item.metadata[_NOTE] for item in fields(options) if _NOTE in item.metadata}


def _field(default: Any, note: CommandLineNote) -> Any:
    return field(metadata={_NOTE: note}) if default is ... else field(default=default, metadata={_NOTE: note})


def degrees_option() -> Any:
    """`--deg`."""
    return option(False, "Angles, their rates and accelerations are in degrees (lengths stay in metres).", "--deg")


def state_option() -> Any:
    """A list with a value for every joint."""
    return option(None, "One value per joint, as in 0,0.1,-0.2.  [default: 0]", metavar="LIST")


def force_option() -> Any:
    """`--force`."""
    return option(False, "Replace existing files.", "--force")


def text_file_option() -> Any:
    """`--output` of a command that otherwise prints its text."""
    words = "Write to this file.  [default: stdout]"
    return option(None, words, "--output", "-o", metavar="FILE", writes=Writes.FILE)


def read_robot(
    argument: str,
    *,
    snap: bool = True,
    strict: bool = False,
    gravity: str | None = None,
    base: str | None = None,
    mesh_inertia: bool = False,
) -> Robot:
    """The robot that the argument names: a file, a classic, or a description (`torquec.load`)."""
    from torquec.robot import load

    vector = None if gravity is None else _vector(numbers(gravity, "--gravity"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SnapWarning)  # `info` prints this warning, and claims include its error
        return load(argument, snap=snap, strict=strict, gravity=vector, base=base, mesh_inertia=mesh_inertia)


def numbers(text: str, option: str) -> tuple[float, ...]:
    """The finite numbers of a comma-separated list.

    >>> numbers("0, -0.5,1e-3", "--q")
    (0.0, -0.5, 0.001)
    """
    values = []
    for word in text.split(","):
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            separated = "separate numbers by commas: " if len(word.split()) > 1 else ""
            raise ArgumentError(
                f"{option}: '{word.strip()}' is not a finite number",
                remedy=f"{separated}write it as {option} 0,0.1,-0.2",
            )
        values.append(value)
    return tuple(values)


def listed(text: str, option: str, count: int) -> tuple[float, ...]:
    """The `count` numbers of a comma-separated list; any other number raises an error that names the option."""
    values = numbers(text, option)
    if len(values) != count:
        raise ArgumentError(f"{option} has {_values(values)}", remedy=f"give {count}, separated by commas")
    return values


def joint_values(robot: Robot, text: str | None, option: str, *, degrees: bool) -> tuple[float, ...]:
    """Joint values from a comma-separated list, in radians and metres; neutral positions or zeros without a list.

    Positions of robots with quaternions have nq values, all other lists one per rate.
    Warns (`UnitWarning`) of values that look like degrees without `degrees`.
    """
    from torquec.robot.configuration import neutral, unit_position

    if robot.nq != robot.nv and option in ("--q", "--from", "--to", "--near"):
        if degrees and text is not None:
            raise ArgumentError(f"{option} with --deg", remedy="positions with quaternions are in radians and metres")
        return tuple(neutral(robot) if text is None else unit_position(robot, numbers(text, option)))
    if text is None:
        return (0.0,) * robot.n
    values = numbers(text, option)
    if len(values) != robot.n:
        raise ArgumentError(
            f"{option} has {_values(values)}, robot '{robot.name}' has {robot.n} {_counted(robot)}",
            remedy=f"give one value for each of {', '.join(robot.coordinate_names)}",
        )
    turned = [each.turns for each in robot.coordinates]
    if degrees:
        return tuple(math.radians(value) if turns else value for value, turns in zip(values, turned, strict=True))
    check_radians(option, [value for value, turns in zip(values, turned, strict=True) if turns])
    return values


def _values(values: tuple[float, ...]) -> str:
    return f"{len(values)} value{'s' if len(values) != 1 else ''}"


def _counted(robot: Robot) -> str:
    return "joints" if robot.nq == robot.nv == len(robot.joints) else "rates (nv)"


def check_radians(option: str, values: Iterable[float]) -> None:
    """Warn (`UnitWarning`) of positions and speeds of rotary joints that look like degrees; `--tau` is not checked."""
    from torquec.robot.degrees import degrees_text, is_position_in_degrees, is_speed_in_degrees, warn_of_degrees

    rules = dict.fromkeys(("--q", "--from", "--to", "--near", "--lock"), (is_position_in_degrees, "rad"))
    is_wrong, unit = (rules | {"--qd": (is_speed_in_degrees, "rad/s")}).get(option, (None, ""))
    wrong = [] if is_wrong is None else [value for value in values if is_wrong(value)]
    if wrong:
        remedy = "give radians, or --deg where the command has it" if option == "--lock" else "add --deg"
        warn_of_degrees(degrees_text(option, wrong[0], remedy, unit=unit))


def _vector(values: tuple[float, ...]) -> tuple[float, float, float]:
    if len(values) != 3:
        raise ArgumentError(f"--gravity has {_values(values)}", remedy="give three: --gravity 0,0,-9.81")
    return (values[0], values[1], values[2])
