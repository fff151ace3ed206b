"""Figures in the sentences and tables of pages, and where each comes from; `page_results` compares them.

What a command or a block of Python prints stands in a block of output instead (`page_blocks`), which needs no row here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peer import ROBOTS
from benchmarks.simulation import FAST, QUICK
from tests.closedform.reference import collected_model
from tests.page_values import (
    Values,
    benchmarked,
    bounds_hold,
    compared,
    compared_counts,
    counts,
    cycle_operations,
    exchanged,
    guaranteed,
    guaranteed_everywhere,
    guaranteed_puma,
    holding_torques,
    is_true,
    keys,
    largest_acceleration,
    moved,
    of_script,
    operations,
    reading,
    simulated,
    small_puma,
    small_scara,
    tip_errors,
    total,
    two_rate_counts,
    verdict_is_under_uncertainty,
)

import torquec as tq
from torquec.closedform.fourier import CLOVER
from torquec.control.pole_placement import pole_placement_gains
from torquec.expr import count_operations


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


_SORTER = "sorter_run/simplify/simplification.json"
_GUARANTEE = "sorter_run/design/design.json"

CLAIMS = [
    Claim("tutorial", "the torque errors are proven", is_true(_SORTER, "certified")),
    Claim("tutorial", "the guarantee is valid", is_true(_GUARANTEE, "guarantee.valid")),
    Claim("tutorial", "the verdict is under friction, payload, encoders and delay", verdict_is_under_uncertainty),
    Claim("tutorial", "the simulation stays within the bound on the tracking error", bounds_hold),
]

FIGURES = [
    Figure("tutorial", "{} N m at the shoulder and {} N m at the elbow", holding_torques, needs="run"),
    Figure("tutorial", "accelerates by less than {} rad/s²", largest_acceleration, within=0.02, needs="run"),
    Figure(
        "tutorial",
        "{} multiplications and {} additions instead of {} and {}",
        keys(_SORTER, "operations.after.mul", "operations.after.add", "operations.before.mul", "operations.before.add"),
        within=0.05,
        needs="run",
    ),
    Figure(
        "tutorial",
        "The proven error of the elbow is {} of these {} N m",
        keys(_SORTER, "bounds.elbow.torque", "bounds.elbow.tolerance"),
        within=0.05,
        needs="run",
    ),
    Figure(
        "tutorial",
        "the exact model: {} mrad at the elbow",
        lambda folder: [1e3 * keys(_SORTER, "tracking.exact.elbow")(folder)[0]],
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
        Figure(page, f"| {row} | {{}}/{{}} |", lambda _, load=load: operations(load(), "inverse_dynamics"))
        for row, in_readme, load in (
            ("UR5", "UR5", lambda: collected_model("ur5")),
            ("KR210", "", lambda: collected_model("kuka_kr210l150")),
            ("iiwa14", "KUKA iiwa14", lambda: collected_model("iiwa14")),
            ("xarm7", "xArm7", lambda: collected_model("xarm7")),
            ("Panda, fingers locked", "Franka Panda", lambda: benchmarked("panda")),
            ("Stanford arm, control requirement", "Stanford arm", tq.classics.stanford),
            ("PUMA 560", "PUMA 560", tq.classics.puma560),
            ("RX160", "Staubli RX160", lambda: collected_model("staubli_rx160")),
        )
        for page, row in (("simplification", row), ("README", in_readme))
        if row
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
    *(
        Figure(
            "papers/clover", f"| {row} | {{}}/{{}} | {{}}/{{}} |", compared_counts("clover-tables", title), 0.0, "slow"
        )
        for row, title in (
            ("coefficients, multiplications/additions", "matrices"),
            ("inverse dynamics with friction", "inverse dynamics with friction"),
            ("linear model", "linear model"),
            ("gains, continuous", "gains, continuous"),
            ("gains, sampled", "gains, sampled"),
        )
    ),
    Figure(
        "papers/clover",
        "Table III | {}, {}, {}, {}, {}, {} | {}, {}, {}, {}, {}, {} |",
        compared("clover-tables", *(f"joint {j}: largest error [N m]" for j in range(1, 7))),
        1e-9,
        "slow",
    ),
    *(
        Figure("papers/clover", sentence, compared("clover-tables", *(f"stable {q}" for q in quantities)), 1e-9, "slow")
        for sentence, quantities in (
            *(
                (
                    f"$\\alpha$, poles −{p} ± {p}j | {{}} to {{}} | {{}} to {{}} |",
                    (f"from alpha, poles -{p} +- {p}j", f"below alpha, poles -{p} +- {p}j"),
                )
                for p in ("4.5", "45")
            ),
            (
                "$\\beta$ below, −4.5 ± 4.5j and −45 ± 45j | {}, {} | {}, {} |",
                ("below beta, poles -4.5 +- 4.5j", "below beta, poles -45 +- 45j"),
            ),
            ("sampled at 200 Hz | {} | {} |", ("below gamma, poles -45 +- 45j, sampled at 200 Hz",)),
        )
    ),
    *(
        Figure("real-time", sentence, lambda _, part=part, update=update: two_rate_counts(part, *update))
        for sentence, part, update in (
            ("| inertias and gravity | {}/{} |", "inertia", ()),
            ("| velocity torques | {}/{} |", "velocity", ()),
            ("| with a load at run time: inertias and gravity | {}/{} |", "inertia", ("load",)),
            ("| with a load at run time: velocity torques | {}/{} |", "velocity", ("load",)),
        )
    ),
    Figure(
        "real-time",
        "| synchronous, all six joints | {}/{} |",
        compared_counts("izaguirre-counts", "synchronous, six joints", sides=("ours",)),
    ),
    *(
        Figure("papers/izaguirre", f"| {row} | {{}}/{{}} | {{}}/{{}} |", compared_counts("izaguirre-counts", row))
        for row in (
            "inertias and gravity",
            "velocity torques",
            "with a load at run time: inertias and gravity",
            "with a load at run time: velocity torques",
        )
    ),
    Figure(
        "papers/izaguirre",
        "a joint | {}/{} for six joints |",
        compared_counts("izaguirre-counts", "synchronous, six joints", sides=("ours",)),
    ),
    Figure(
        "papers/izaguirre",
        "| parameters, independent, significant | {}, {}, {} | {}, {}, the same {} |",
        compared("izaguirre-elimination", "parameters", "independent parameters", "significant parameters"),
        needs="slow",
    ),
    Figure(
        "papers/izaguirre",
        "| condition number falls by | {} | {} |",
        compared("izaguirre-elimination", "condition number falls by"),
        within=0.01,
        needs="slow",
    ),
    *(
        Figure(
            "papers/kang",
            f"| {row}, here | {{}} | {{}} |",
            compared_counts("kang-counts", f"{row}, n = 6", sides=("ours",)),
        )
        for row in ("augmented bodies", "sum over links", "mass points")
    ),
    Figure(
        "papers/kang",
        "| printed | {} | {} (total), ... |",
        compared_counts("kang-counts", "augmented bodies, n = 6", sides=("printed",)),
    ),
    Figure(
        "papers/kang",
        "| the paper's steps, added up | ... | {} |",
        compared("kang-counts", "steps of the paper, n = 6: additions", sides=("ours",)),
    ),
    *(
        Figure(
            "papers/chang-lee",
            f"| ${name[0]}_{index}$ | {{}} | {{}} | {{}} |",
            lambda _, name=name, unit=unit: [
                *compared("chang-lee-table-1", f"{name}: error of the printed expression [{unit}]")(_),
                *compared("chang-lee-table-1", f"{name}: best error [{unit}]", sides=("ours",))(_),
            ],
            1e-9,
            "slow",
        )
        for name in ("J11", "J22", "J44", "J12", "J13", "J25", "G3", "H112", "H122")
        for index in (name[1:] if len(name) == 2 else f"{{{name[1:]}}}",)
        for unit in ("relative" if name in ("J11", "J22", "J44") else "SI",)
    ),
    Figure(
        "guarantee",
        "PUMA 560, simplified to {} multiplications and {} additions",
        lambda _: operations(guaranteed_puma(), "inverse_dynamics"),
        within=0.05,
        needs="slow",
    ),
    Figure(
        "guarantee",
        "with poles at -20 and 1 kHz {}, {}, {}, {}, {} and {} mrad, for all references up to {} rad/s²",
        lambda _: guaranteed_everywhere(),
        within=0.1,
        needs="slow",
    ),
    *(
        Figure(
            "guarantee",
            f"| {row} | guaranteed | {cells} | | | simulated | {cells} |",
            lambda _, poles=poles, rate=rate: [*guaranteed(poles, rate), *simulated(poles, rate)],
            within=0.15,
            needs="slow",
        )
        for cells in (" | ".join(["{}"] * 6),)
        for row, poles, rate in (
            ("-20, 500 Hz", -20, 500),
            ("-12 ± 45j, 500 Hz", -12 + 45j, 500),
            ("-20, 200 Hz", -20, 200),
        )
    ),
    *(
        Figure(
            "papers/izaguirre",
            f"{row} | {{}}, {{}}, {{}} {unit} | {{}}, {{}}, {{}} % |",
            of_script(
                "puma260_open_loop",
                f"{speed} degrees/s, without on-line gravity compensation:",
                f"{speed} degrees/s, with on-line gravity compensation:",
            ),
            within=0.01,
            needs="slow",
        )
        for row, speed, unit in (
            ("| fast (180 degrees/s) | ...", 180, "% of the way"),
            ("| slow (42 degrees/s) | ...", 42, "%"),
        )
    ),
    Figure(
        "identification",
        "condition number {} times smaller",
        of_script("puma260_identification", "with 23:"),
        needs="slow",
    ),
    Figure("logs", "to exchange it with q6 lowers the error from {}% to {}%", reading(exchanged), 0.01, "slow"),
    Figure("logs", "to add {} degrees lowers the error from {}% to {}%", reading(moved), 0.01, "slow"),
    *(
        Figure(
            "papers/lin",
            f"| {row} |",
            compared("lin-counts", *(f"{robot}, {gravity}: parameters" for gravity in gravities), sides=("ours",)),
        )
        for row, robot, gravities in (
            *(
                (f"{robot} | {{}} | {{}}", robot, ("gravity along the first axis", "tilted gravity"))
                for robot in ("PUMA 560", "Stanford arm", "SCARA")
            ),
            ("planar 2R, vertical axes | {} |", "planar 2R", ("gravity along the first axis",)),
            ("planar 2R in a vertical plane | | {}", "planar 2R", ("tilted gravity",)),
        )
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
