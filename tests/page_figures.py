"""Figures in the sentences and tables of pages, and where each comes from; `page_results` compares them.

What a command or a block of Python prints stands in a block of output instead (`page_blocks`), which needs no row here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torquec as tq
from torquec.expr import count_operations

Values = Callable[[Path], Sequence[float]]


@dataclass(frozen=True)
class Figure:
    """Numbers of a page: its name, the sentence, and the true numbers, from the folder in which the page was run.

    In the sentence {} is a number and ... anything on the line. `within` is the relative tolerance; None compares as
    `page_output` does. `needs` says what it takes: "run", files that the page's own commands leave; "slow", a long
    computation; "" neither.
    """

    page: str
    sentence: str
    values: Values
    within: float | None = None
    needs: str = ""


@dataclass(frozen=True)
class Claim:
    """A statement of a page that is no number: what has to hold in the folder in which the page was run."""

    page: str
    statement: str
    holds: Callable[[Path], bool]


def keys(file: str, *paths: str) -> Values:
    """Numbers of a JSON document that the page's commands leave, each by its keys with dots between."""

    def values(folder: Path) -> list[float]:
        document = json.loads((folder / file).read_text(encoding="utf-8"))
        found = []
        for path in paths:
            here = document
            for key in path.split("."):
                here = here[key]
            found.append(here)
        return found

    return values


def operations(source: tq.Robot | tq.Model, *quantities: str) -> list[float]:
    """Multiplications and additions of quantities of a robot or model."""
    model = source if isinstance(source, tq.Model) else tq.compile(source)
    counts = [model.operation_count(quantity) for quantity in quantities]
    return [number for count in counts for number in (count.mul, count.add)]


def _two_rate(*, update: Sequence[str] = ()) -> list[float]:
    """Multiplications and additions of the backgrounds of the PUMA 260."""
    functions = tq.two_rate(tq.classics.puma260(), update=list(update)).functions
    counts = [count_operations(functions[f"background_{part}"]) for part in ("inertia", "velocity")]
    return [number for count in counts for number in (count.mul, count.add)]


def _bounds_hold(folder: Path) -> bool:
    """Whether no joint of the tutorial's simulation leaves its reference by more than is proven."""
    bounds = json.loads((folder / "sorter_run/design/design.json").read_text("utf-8"))["guarantee"]["bounds"]
    found = json.loads((folder / "sorter_run/simulate/as_designed/simulation.json").read_text("utf-8"))["max_error"]
    return all(found[joint] <= bound["value"] for joint, bound in bounds.items())


def _is_true(file: str, path: str) -> Callable[[Path], bool]:
    return lambda folder: keys(file, path)(folder) == [True]


_SORTER = "sorter_run/simplify/simplification.json"
_GUARANTEE = "sorter_run/design/design.json"

CLAIMS = [
    Claim("tutorial", "the torque errors are proven", _is_true(_SORTER, "certified")),
    Claim("tutorial", "the tracking error is proven", _is_true("sorter_run/verdict/verdict.json", "proven")),
    Claim("tutorial", "the guarantee is valid", _is_true(_GUARANTEE, "guarantee.valid")),
    Claim("tutorial", "the simulation stays within the proven tracking error", _bounds_hold),
]

FIGURES = [
    Figure(
        "tutorial",
        "{} multiplications and {} additions instead of {} and {}",
        keys(_SORTER, "operations.after.mul", "operations.after.add", "operations.before.mul", "operations.before.add"),
        within=0.05,
        needs="run",
    ),
    Figure(
        "tutorial",
        "The proven error of the turret is all of the allowed {} N m; that of the elbow is {} of {}",
        keys(_SORTER, "bounds.turret.torque", "bounds.elbow.torque", "bounds.elbow.tolerance"),
        within=0.05,
        needs="run",
    ),
]
"""Figures in sentences and tables."""
