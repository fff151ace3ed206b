"""The application: its commands, and the one place where an error becomes a message and an exit status.

Exit status: 0 done, 1 a check failed, 2 bad usage or bad input. Command modules import nothing heavy at the top, so
that `torquec --help` answers at once.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import torquec
from torquec.cli import (
    bench,
    check_log,
    demo,
    design,
    equations,
    eval,
    excite,
    generate,
    identify,
    info,
    linearize,
    params,
    simplify,
    simulate,
)
from torquec.errors import CheckError, TorquecError

CHECK_FAILED = 1
BAD_INPUT = 2


class _Commands(TyperGroup):
    """The group of commands, in the order in which they are added; errors of ours become messages."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (TorquecError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            typer.echo(f"torquec: {error}", err=True)
            raise typer.Exit(CHECK_FAILED if isinstance(error, CheckError) else BAD_INPUT) from None


app = typer.Typer(
    name="torquec",
    cls=_Commands,
    add_completion=False,
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


for _name, _command, _example in (
    ("info", info.info, info.EXAMPLE),
    ("eval", eval.evaluate, eval.EXAMPLE),
    ("equations", equations.equations, equations.EXAMPLE),
    ("params", params.params, params.EXAMPLE),
    ("simplify", simplify.simplify, simplify.EXAMPLE),
    ("linearize", linearize.linearize, linearize.EXAMPLE),
    ("design", design.design, design.EXAMPLE),
    ("simulate", simulate.simulate, simulate.EXAMPLE),
    ("generate", generate.generate, generate.EXAMPLE),
    ("check-log", check_log.check_log, check_log.EXAMPLE),
    ("excite", excite.excite, excite.EXAMPLE),
    ("identify", identify.identify, identify.EXAMPLE),
    ("bench", bench.bench, bench.EXAMPLE),
    ("demo", demo.demo, demo.EXAMPLE),
):
    app.command(_name, epilog=f"Example:  {_example}")(_command)


def main() -> None:
    """Run the command line; ends the process with its exit status."""
    app(prog_name="torquec")
