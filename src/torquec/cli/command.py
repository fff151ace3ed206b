"""Framework of commands: each is a function from a model and its options to an `Outcome`; shared options are added.

    @command("eval", EvalOptions, example="torquec eval puma560 --q ...")
    def evaluate(model: Model, options: EvalOptions) -> Outcome: ...

gives `torquec eval ROBOT` its argument, the fields of `EvalOptions` as options, and `--payload`, `--lock`, `--snap`,
`--strict`, `--gravity` and `--json`. `option` and `argument` make the fields. A field that names an output declares its
kind (`writes`), and is checked before the work begins; its command also has a field `force`. Printing, the files that
were written, and the exit status are handled in `Command.run`, nowhere else.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, get_type_hints

import typer

from torquec.cli.files import check_sources, check_target, named_path, need_extra
from torquec.cli.options import command_line_notes, option
from torquec.cli.output import print_json, print_text, tell_written, told_warnings
from torquec.cli.source import ModelSource
from torquec.errors import ArgumentError
from torquec.report.result_document import result_document

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.robot.robot import Robot

CHECK_FAILED = 1
BAD_INPUT = 2


@dataclass(frozen=True, kw_only=True)
class CommandOptions:
    """Base class of all command options: the source of the model.

    `json`: the document is printed instead of the text. `force`: existing files may be replaced; commands that write
    make it an option.
    """

    source: ModelSource = field(default_factory=ModelSource)
    json: bool = False
    force: bool = False


@dataclass(frozen=True, kw_only=True)
class StochasticOptions(CommandOptions):
    """Options of a command that draws random numbers: `--seed`, which its document records as `seed`."""

    seed: int = option(0, "Seed of all random numbers: the same seed gives the same result.", least=0, metavar="N")


@dataclass(frozen=True, eq=False)
class Outcome:
    """Result of a command: a JSON document and the same as text, and the written files.

    `failed`: the reason for exit status 1, a requested check that failed. It is printed last, on stderr.
    `robot`: the robot as it was used, if the command locked further joints of the model's robot.
    """

    document: dict[str, Any]
    text: str
    files: tuple[Path, ...] = ()
    failed: str = ""
    robot: Robot | None = None


Options = TypeVar("Options", bound=CommandOptions)

_JSON = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]


@dataclass(frozen=True)
class Command(Generic[Options]):
    """A command: its name, its function, the class of its options, an example that runs as printed.

    `bodies` says why it needs the bodies of a robot; it then refuses a model that is only a program. `extra` names
    the optional dependencies without which it cannot begin. `without_model`: it takes no ROBOT. `metavar`: name of the
    ROBOT argument in the help.
    """

    name: str
    function: Callable[..., Outcome]
    options: type[Options]
    example: str
    bodies: str = ""
    extra: str = ""
    without_model: bool = False
    metavar: str = "ROBOT"

    def __call__(self, *model: Model, options: Options | None = None) -> Outcome:
        """The outcome for a model, without printing."""
        return self._outcome(model, self.options() if options is None else options)

    def run(self, called: str = "", **given: Any) -> None:
        """Run the command from parsed arguments to the exit status; `called`: the command words."""
        as_json = given.pop("json")
        argument = given.pop("robot", "")
        shared = {key: given.pop(key) for key in command_line_notes(ModelSource) if key in given}
        source = ModelSource(argument, degrees=bool(given.get("deg")), **shared)
        options = self.options(**given, source=source, json=as_json)
        self._check_files(options)
        if self.extra:
            need_extra(self.extra, f"torquec {self.name}")
        with told_warnings(strict=source.strict):
            model = None if self.without_model else self._model(options)
            outcome = self._outcome(() if model is None else (model,), options)
        if as_json:
            robot = None if model is None else outcome.robot or model.robot
            print_json(result_document(called or self.name, outcome.document, robot))
        elif outcome.text:
            print_text(outcome.text.removesuffix("\n"))
        tell_written(outcome.files)
        if outcome.failed:
            typer.echo(f"torquec: {outcome.failed}", err=True)
            raise typer.Exit(CHECK_FAILED)

    def callback(self, called: str = "") -> Callable[..., None]:
        """`run` with the signature from which typer makes arguments and options; `called`: the command words."""
        robot = [] if self.without_model else [_parameter("robot", _robot_argument(self.metavar))]
        shared = [] if self.without_model else _parameters(ModelSource)
        parameters = [*robot, *_parameters(self.options), _parameter("json", _JSON, False), *shared]

        def callback(**given: Any) -> None:
            self.run(called, **given)

        callback.__doc__ = self.function.__doc__
        callback.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        callback.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return callback

    def _outcome(self, model: tuple[Model, ...], options: Options) -> Outcome:
        """The outcome; the document of a command that draws random numbers includes the seed."""
        outcome = self.function(*model, options)
        if isinstance(options, StochasticOptions):
            outcome.document.setdefault("seed", options.seed)
        return outcome

    def _model(self, options: Options) -> Model:
        model = options.source.read()
        if self.bodies and model.kind.follows_program:
            raise ArgumentError(
                f"torquec {self.name} {self.bodies}, which a model of the kind '{model.kind}' does not have",
                where=options.source.argument,
                remedy="give the robot file that the model was made from",
            )
        return model

    def _check_files(self, options: Options) -> None:
        """Check before the work that outputs can be written and inputs exist."""
        notes = [(note, getattr(options, name)) for name, note in command_line_notes(self.options).items()]
        for note, target in notes:
            if note.writes is not None and target is not None:
                check_target(Path(target), note.writes, force=options.force, endings=note.endings)
        for note, sources in notes:
            if note.reads is not None:
                check_sources(sources or ())


def command(
    name: str,
    options: type[Options],
    *,
    example: str,
    bodies: str = "",
    extra: str = "",
    without_model: bool = False,
    metavar: str = "ROBOT",
) -> Callable[[Callable[..., Outcome]], Command[Options]]:
    """Make a command of a function (see the module and `Command`)."""
    return lambda function: Command(name, function, options, example, bodies, extra, without_model, metavar)


def _parameters(options: type[Any]) -> list[inspect.Parameter]:
    """The fields of a class of options as typer reads them; names of files to write are parsed as paths."""
    hints, defaults = get_type_hints(options), {item.name: item.default for item in dataclasses.fields(options)}
    found = []
    for name, note in command_line_notes(options).items():
        parameter = copy.copy(note.parameter)
        if note.writes is not None:
            parameter.parser = named_path
        default = inspect.Parameter.empty if defaults[name] is dataclasses.MISSING else defaults[name]
        found.append(_parameter(name, Annotated[hints[name], parameter], default))
    return found


def _parameter(name: str, hint: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _robot_argument(metavar: str) -> Any:
    return Annotated[
        str,
        typer.Argument(
            metavar=metavar, help="A robot file, which is {robot files}, a model (.tq.json) or a classic: {classics}."
        ),
    ]
