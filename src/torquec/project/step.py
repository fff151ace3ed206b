"""`RunStep`: a step of a run with all its inputs declared, so that it is repeated only when they change.

A step reads parts of the project, files that the project names, and results of earlier steps. It writes into a folder
of its own and reports its result in one line. Nothing else may change its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.foundation.reading import FileKind, read_json
from torquec.foundation.work import Work
from torquec.project.project import Project
from torquec.report.result_document import result_text

if TYPE_CHECKING:
    from torquec.model.model import Model

SIMPLIFICATION, TRACKING = "simplification.json", "tracking"
"""The document of the step `simplify`, and its key for required tracking errors."""

IDENTIFY, SIMPLIFY, DESIGN, REALTIME = "identify", "simplify", "design", "realtime"


@dataclass(frozen=True)
class StepResult:
    """Result of a step: one line; the reason if later steps do not use it; the reason if its files are wrong."""

    summary: str
    fallback: str = ""
    failed: str = ""


@dataclass(frozen=True)
class StepContext:
    """Context of a step: the project, the folder to write into, those of earlier steps by name, and the work.

    `output` is where the results of the run will lie, `fallbacks` are the reasons of steps whose results are not used.
    """

    project: Project
    folder: Path
    results: Mapping[str, Path]
    work: Work
    output: Path
    fallbacks: Mapping[str, str] = field(default_factory=dict)

    def write_document(self, name: str, command: str, document: Mapping[str, Any]) -> None:
        """Write the JSON document of a command, with the command's name and the robot as it is used."""
        (self.folder / name).write_text(result_text(command, document, self.project.robot), encoding="ascii")

    def read_document(self, step: str, name: str) -> dict[str, Any]:
        """Read the document of an earlier step."""
        return read_json(self.results[step] / name, FileKind.RUN, remedy="run the project again")

    def names(self) -> list[str]:
        """The files that the step has written so far, by name."""
        made = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(path.relative_to(self.folder).as_posix() for path in made)

    def exact_model(self) -> Model:
        """The model that simplification starts from: the identified one if there is one, else the robot's."""
        from torquec.model.model import as_model
        from torquec.model.save import load_model

        if IDENTIFY in self.results:
            return load_model(next(self.results[IDENTIFY].glob("*.tq.json")))
        return as_model(self.project.robot)

    def tracking(self) -> dict[str, Any]:
        """The budget and guarantee of the model in use, where the specification has tracking errors; else empty."""
        if SIMPLIFY not in self.results:
            return {}
        return dict(self.read_document(SIMPLIFY, SIMPLIFICATION).get(TRACKING, {}))

    def best_model(self) -> Model:
        """The model of controller and generated code: the certified one if it is usable."""
        from torquec.model.save import load_model

        if SIMPLIFY in self.results and not self.fallbacks.get(SIMPLIFY):
            return load_model(next(self.results[SIMPLIFY].glob("*.tq.json")))
        return self.exact_model()


def _reads_nothing(_: Project) -> Any:
    return None


def _wanted(_: Project) -> str:
    return ""


@dataclass(frozen=True)
class RunStep:
    """A step: `run` does it and returns its result in one line; `reads` gives the part of the project that it reads.

    `needs`: earlier steps whose files it reads if they were done; `requires`: those without which it cannot be done.
    `files`: its input files. `skipped`: the reason why a project does not have the step, else empty. A step without
    `kept` is done in every run. `at_top`: its files are in the folder of the run itself, and it reads the files of all
    steps in their final places.
    """

    name: str
    title: str
    run: Callable[[StepContext], str | StepResult]
    reads: Callable[[Project], Any] = _reads_nothing
    needs: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    files: Callable[[Project], tuple[Path, ...]] = field(default=lambda _: ())
    skipped: Callable[[Project], str] = _wanted
    kept: bool = True
    at_top: bool = False
