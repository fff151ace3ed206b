"""The command-line application: its commands, and the one place where an error becomes a message and an exit status.

Exit status: 0 done, 1 a check failed, 2 bad usage or bad input. Command modules import nothing heavy at the top, so
that `torquec --help` answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import torquec
from torquec.cli.bench import bench
from torquec.cli.check import check, selftest, verify_package
from torquec.cli.check_log import check_log
from torquec.cli.command import BAD_INPUT, CHECK_FAILED, Command
from torquec.cli.compare import compare
from torquec.cli.design import design
from torquec.cli.equations import equations
from torquec.cli.eval import evaluate
from torquec.cli.excite import excite
from torquec.cli.generate import generate
from torquec.cli.haptic import haptic, haptic_region
from torquec.cli.help_tables import FilledCommand
from torquec.cli.identify import identify
from torquec.cli.ik import ik
from torquec.cli.info import drives, info, version
from torquec.cli.linearize import linearize
from torquec.cli.new import new
from torquec.cli.papers import papers
from torquec.cli.params import params
from torquec.cli.payload import payload
from torquec.cli.realtime import cycle, plan, run
from torquec.cli.ros2 import ros2_plant, ros2_record, ros2_run
from torquec.cli.run import demo
from torquec.cli.run import run as run_command
from torquec.cli.simplify import simplify
from torquec.cli.simulate import simulate
from torquec.cli.time import time
from torquec.cli.verify_specification import verify_specification
from torquec.cli.view import report, view
from torquec.errors import CheckError, TorquecError

HEADINGS: Mapping[str, tuple[Command[Any], ...]] = MappingProxyType(
    {
        "Start": (demo, new, run_command, report, view),
        "Inspect a robot": (info, drives, evaluate, ik, equations, params),
        "Simplify and prove": (simplify, check, verify_specification),
        "Control": (time, linearize, design, simulate, payload, compare),
        "Identify from logs": (check_log, excite, identify),
        "Deliver code": (generate, verify_package),
        "Haptics": (haptic, haptic_region),
        "More": (papers, bench, selftest, version),
    }
)
"""The commands by their heading in `torquec --help`."""

COMMANDS: tuple[Command[Any], ...] = tuple(command for commands in HEADINGS.values() for command in commands)

GROUPS: Mapping[str, tuple[str, tuple[Command[Any], ...]]] = MappingProxyType(
    {
        "realtime": (
            "Real time: the period of the background; run a law on a robot; the cost of a cycle.",
            (plan, run, cycle),
        ),
        "ros2": (
            "ROS 2 nodes: run a law on a robot, simulate a robot, record joint states.",
            (ros2_run, ros2_plant, ros2_record),
        ),
    }
)
"""Groups of commands by their common first word, each with its help; listed under the heading `GROUPS_UNDER`."""

GROUPS_UNDER = "Deliver code"


class _Commands(TyperGroup):
    """The group of commands, listed under their headings; errors of Torquec become messages."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands of `torquec --help`: one section per heading, summaries in full."""
        for heading, commands in HEADINGS.items():
            names = [command.name for command in commands] + (list(GROUPS) if heading == GROUPS_UNDER else [])
            found = [(name, self.get_command(ctx, name)) for name in names]
            rows = [
                (name.ljust(_NAME_COLUMN), command.get_short_help_str(_WHOLE_SUMMARY))
                for name, command in found
                if command is not None
            ]
            with formatter.section(heading):
                formatter.write_dl(rows)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (TorquecError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            typer.echo(f"torquec: {error}", err=True)
            raise typer.Exit(CHECK_FAILED if isinstance(error, CheckError) else BAD_INPUT) from None


_WHOLE_SUMMARY = 400  # length [characters] to which the list cuts a summary: no summary is as long
_NAME_COLUMN = 16  # width of the names of commands, the same under every heading

app = typer.Typer(
    name="torquec",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"torquec {torquec.__version__}")
        raise typer.Exit


@app.callback(epilog="Start with:  torquec demo")
def _torquec(
    _version_wanted: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """A compiler for robot dynamics: a robot file in, native code and C out."""


for _command in COMMANDS:
    _page = app.command(_command.name, cls=FilledCommand, epilog=f"Example:  {_command.example}")
    _page(_command.callback())

for _name, (_help, _members) in GROUPS.items():
    _group = typer.Typer(help=_help, no_args_is_help=True, rich_markup_mode=None)
    for _command in _members:
        _page = _group.command(_command.name, cls=FilledCommand, epilog=f"Example:  {_command.example}")
        _page(_command.callback(f"{_name} {_command.name}"))
    app.add_typer(_group, name=_name)


def main() -> None:
    """Run the command line; ends the process with its exit status."""
    app(prog_name="torquec")
