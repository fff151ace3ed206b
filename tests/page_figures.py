"""Figures in the sentences and tables of pages, and where each comes from; `page_results` compares them.

What a command or a block of Python prints stands in a block of output instead (`page_blocks`), which needs no row here.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peer import ROBOTS, SHARED
from benchmarks.simulation import FAST, FIRST_ERROR, QUICK, SLOW_POLE, tracked
from tests.closedform.reference import collected_model
from tests.page_blocks import ROOT

import torquec as tq
from torquec.closedform.layouts import CLOVER
from torquec.control.pole_placement import pole_placement_gains
from torquec.dynamics.influence_counts import InfluenceCount, influence_counts
from torquec.expr import OperationCount, count_operations
from torquec.linearization.abbreviated_linear_model import abbreviated_linear_model
from torquec.simulation.tip_error import tip_error

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
    return counts(*(model.operation_count(quantity) for quantity in quantities))


def counts(*found: OperationCount) -> list[float]:
    """Multiplications and additions of each."""
    return [number for count in found for number in (count.mul, count.add)]


def benchmarked(name: str) -> tq.Robot:
    """A robot of the benchmarks, or a skip where it is not there."""
    path = SHARED / "models" / f"{name}.urdf"
    if not path.exists():
        pytest.skip(f"needs {path.name}")
    return tq.load(path)


@functools.cache
def two_rate_counts(part: str, *update: str) -> list[float]:
    """Those of a background of the PUMA 260."""
    functions = tq.two_rate(tq.classics.puma260(), update=list(update)).functions
    return counts(count_operations(functions[f"background_{part}"]))


@functools.cache
def influence_count() -> InfluenceCount:
    """Operations of the power arrays for six joints, by method."""
    return influence_counts(6)[-1]


def base_counts(name: str) -> list[float]:
    """Base parameters of a classic with gravity along its first axis, and with a tilted one."""
    robot = getattr(tq.classics, name)()
    return [tq.base_parameters(replace(robot, gravity=g)).count for g in ((0.0, 0.0, -9.81), (3.0, 2.0, -9.0))]


@functools.cache
def small_puma() -> tq.Model:
    """The PUMA 560 to 1 % of its torque limits, without a time limit."""
    return tq.simplify(tq.classics.puma560(), ROOT / "examples" / "specifications" / "puma560_torque.toml")


@functools.cache
def small_scara() -> tq.Model:
    """The Scara of `examples/certified_simplification.py`."""
    return tq.simplify(tq.classics.scara(), ROOT / "examples" / "specifications" / "scara.toml")


@functools.cache
def tip_errors(duration: float) -> dict[str, list[float]]:
    """Largest and rms distance of the wrist from its reference [mm], of Clover's three controllers."""
    robot = tq.classics.puma560()
    slow = {"pole": SLOW_POLE, "first_error": FIRST_ERROR, "saturates": False} if duration == FAST else {}
    errors = {name: 1e3 * tip_error(robot, "link6", run) for name, run in tracked(robot, duration, **slow).items()}
    return {name: [found.max(), np.sqrt((found**2).mean())] for name, found in errors.items()}


def total(values: Sequence[float]) -> float:
    """All operations."""
    return float(sum(values))


def cycle_operations(row: int, *kinds: str) -> Values:
    """Operations of a task of the PUMA 560's cycle."""
    return lambda _: [getattr(_cycle()[row].operations, kind) for kind in kinds]


@functools.cache
def _cycle():
    return tq.cycle_table(tq.classics.puma560(), rounds=1).rows


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
    Figure(
        "README",
        "takes {} multiplications and {} additions instead of {} and {}",
        lambda _: operations(small_puma(), "inverse_dynamics") + operations(tq.classics.puma560(), "inverse_dynamics"),
        within=0.05,
        needs="slow",
    ),
    Figure(
        "simplification",
        "dynamics {} multiplications and {} additions, total torque {} and {}, mass matrix {} and {}.",
        lambda _: operations(small_puma(), "inverse_dynamics", "total_torque", "mass_matrix"),
        within=0.05,
        needs="slow",
    ),
    Figure(
        "papers/clover",
        "A certified model at 1 % of the torque limits needs less than the abbreviated one, {} multiplications and {}",
        lambda _: operations(small_puma(), "inverse_dynamics"),
        within=0.05,
        needs="slow",
    ),
    *(
        Figure("simplification", f"| {name} | {{}}/{{}} |", lambda _, load=load: operations(load(), "inverse_dynamics"))
        for name, load in {
            "UR5": lambda: collected_model("ur5"),
            "KR210": lambda: collected_model("kuka_kr210l150"),
            "iiwa14": lambda: collected_model("iiwa14"),
            "xarm7": lambda: collected_model("xarm7"),
            "Stanford arm, control requirement": tq.classics.stanford,
            "PUMA 560": tq.classics.puma560,
            "RX160": lambda: collected_model("staubli_rx160"),
        }.items()
    ),
    *(
        Figure(
            "comparison",
            f"| {row} | {', '.join(['{}/{}'] * len(robots))} |",
            lambda _, q=quantity, robots=robots: [n for name in robots for n in operations(benchmarked(name), q)],
            needs="slow" if quantity == "inverse_dynamics_derivatives" else "",
        )
        for row, quantity, robots in (
            ("inverse dynamics, Panda", "inverse_dynamics", ("panda",)),
            ("inverse dynamics, UR5", "inverse_dynamics", ("ur5",)),
            ("inverse dynamics, PUMA 560", "inverse_dynamics", ("puma560",)),
            ("mass matrix, Panda / UR5 / PUMA 560", "mass_matrix", ROBOTS),
            ("derivatives, Panda / UR5 / PUMA 560", "inverse_dynamics_derivatives", ROBOTS),
        )
    ),
    Figure(
        "concepts/recursion-and-closed-form",
        "The Panda's inverse dynamics takes {} multiplications and {} additions.",
        lambda _: operations(benchmarked("panda"), "inverse_dynamics"),
    ),
    Figure(
        "concepts/recursion-and-closed-form",
        "UR5's $M$ has {} terms",
        lambda _: [tq.closed_form(collected_model("ur5")).terms["M"]],
    ),
    Figure(
        "examples",
        "{} operations become {}.",
        lambda _: [total(operations(model, "inverse_dynamics")) for model in (tq.classics.scara(), small_scara())],
        within=0.1,
        needs="slow",
    ),
    Figure(
        "control",
        "pole placement then take {} multiplications and {} additions",
        lambda _: counts(count_operations(pole_placement_gains(tq.classics.puma560(), -12 + 45j, rule=CLOVER))),
    ),
    Figure(
        "papers/clover",
        "| linear model | 257/158 | {}/{} |",
        lambda _: counts(count_operations(abbreviated_linear_model(tq.classics.puma560()))),
    ),
    *(
        Figure(page, sentence, lambda _, part=part, update=update: two_rate_counts(part, *update))
        for page, sentences in (
            ("real-time", ("| {} | {{}}/{{}} |", "| with a load at run time: {} | {{}}/{{}} |")),
            (
                "papers/izaguirre",
                ("| {} | ... | {{}}/{{}} |", "| with a load at run time: {} | ... | {{}}/{{}} |"),
            ),
        )
        for sentence, part, update in (
            (sentences[0].format("inertias and gravity"), "inertia", ()),
            (sentences[0].format("velocity torques"), "velocity", ()),
            (sentences[1].format("inertias and gravity"), "inertia", ("load",)),
            (sentences[1].format("velocity torques"), "velocity", ("load",)),
        )
    ),
    *(
        Figure("papers/kang", f"| {row} | {{}} | {{}} |", lambda _, f=field: counts(getattr(influence_count(), f)))
        for row, field in (
            ("augmented bodies, here", "augmented_body"),
            ("sum over links, here", "link_sum"),
            ("mass points, here", "mass_point_sum"),
        )
    ),
    *(
        Figure("papers/lin", f"| {row} | {{}} | {{}} |", lambda _, name=name: base_counts(name))
        for row, name in (("PUMA 560", "puma560"), ("Stanford arm", "stanford"), ("SCARA", "scara"))
    ),
    *(
        Figure(
            "simulation",
            f"| {row} | {{}} ({{}}) mm | {{}} ({{}}) mm | ({{}}) mm |",
            lambda _, n=name: [*tip_errors(1.5)[n], *tip_errors(QUICK)[n], tip_errors(FAST)[n][1]],
            within=0.15,
            needs="slow",
        )
        for row, name in (
            ("CT1, pole placement", "CT1"),
            ("CT2, computed torque", "CT2"),
            ("CT3, diagonal inertia", "CT3"),
        )
    ),
    Figure(
        "papers/clover",
        "as the paper found: {} and {} mm on the standard motion, CT3 {} mm",
        lambda _: [tip_errors(1.5)[name][0] for name in ("CT1", "CT2", "CT3")],
        within=0.15,
        needs="slow",
    ),
    *(
        Figure("real-time", sentence, cycle_operations(row, *kinds.split()), needs="slow")
        for row, (sentence, kinds) in enumerate(
            (
                ("| trajectory (...) | ... | {} mul, {} add, {} div |", "mul add div"),
                ("| inverse kinematics (...) | ... | {} mul, {} add, {} div, {} sincos,", "mul add div sincos"),
                ("| inverse dynamics | ... | {} mul, {} add, {} sincos |", "mul add sincos"),
                ("| Jacobian | ... | {} mul, {} add, {} sincos |", "mul add sincos"),
                ("| gains (pole placement) | ... | {} mul, {} add, {} sincos, {} other |", "mul add sincos other"),
                ("| two-cube collision | ... | {} mul, {} add, {} div, {} other |", "mul add div other"),
            )
        )
    ),
]
"""Figures in sentences and tables."""
