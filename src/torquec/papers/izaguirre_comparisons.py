"""Printed numbers of Izaguirre et al. beside ours: operations of the two rates, elimination of parameters."""

from __future__ import annotations

from torquec.expr import count_operations
from torquec.identification.torque.torque_model import torque_model
from torquec.papers.comparisons import PrintedRow, PrintedRows, printed_row
from torquec.papers.inward_basis import inward_basis
from torquec.papers.simulated_runs import gravity_coefficients, simulated_elimination
from torquec.realtime.two_rate import two_rate
from torquec.robot import classics

_COUNTS = (
    ("inertias and gravity", "background_inertia", False, (98, 70)),
    ("velocity torques", "background_velocity", False, (140, 110)),
    ("with a load at run time: inertias and gravity", "background_inertia", True, (190, 150)),
    ("with a load at run time: velocity torques", "background_velocity", True, (200, 170)),
    ("synchronous, six joints", "synchronous", False, (36, 36)),
)
"""Abstract and section 7.1: task, our function, whether a load changes at run time, multiplications and additions."""

_ADDITION_NOTES = {"inertias and gravity": "the printed code has 72, with the two sums q2 + q3"}

SIGNIFICANT = {
    "ia1": 0.091631, "ia2": 0.136312, "ia3": 0.030843, "ia4": 0.001781, "ia5": 0.006759, "ia6": 0.001262,
    "m6": 2.768114, "z6": 0.014041, "y4": -0.382190, "a4": 0.079781, "c4": 0.077761,
    "fs1": 0.787033, "fs2": 1.389280, "fs3": 0.650706, "fs4": 0.256854, "fs5": 0.036607, "fs6": 0.106594,
    "ds1": 0.575662, "ds2": 0.944670, "ds3": 0.417502, "ds4": 0.066791, "ds5": 0.101721, "ds6": 0.030363,
}  # fmt: skip
"""Table 2: averages of the 23 significant parameters [SI], in the order of the table."""

_GRAVITY = {"c12": 5.51792, "c13": -1.176644, "c15": -0.13743}
"""Section 7.1: coefficients of gravity [N m] that the identified parameters give."""

_BEFORE, _AFTER = 828.8 / 0.033, 146.0 / 0.35  # section 7: largest over smallest singular value, 52 and 23 parameters
_IMPROVEMENT = 60.0  # section 7
_PARAMETERS, _INDEPENDENT = 78, 52  # section 6.1


def izaguirre_counts() -> PrintedRows:
    """Multiplications and additions of the PUMA 260's background and synchronous tasks."""
    robot = classics.puma260()
    tasks = {False: two_rate(robot).functions, True: two_rate(robot, update=["load"]).functions}
    rows: list[PrintedRow] = []
    for title, function, loaded, (mul, add) in _COUNTS:
        count = count_operations(tasks[loaded][function])
        note = _ADDITION_NOTES.get(title, "")
        rows += [
            printed_row(f"{title}: multiplications", count.mul, mul, "section 7.1"),
            printed_row(f"{title}: additions", count.add, add, "section 7.1", note=note),
        ]
    return tuple(rows)


def izaguirre_elimination() -> PrintedRows:
    """Parameters of the PUMA 260 that ten simulated runs need, their condition numbers, Table 2, gravity."""
    robot = classics.puma260()
    model = torque_model(robot, friction="symmetric")
    basis = inward_basis(model)
    found = simulated_elimination(model, basis)
    kept = [basis.letters[k] for k in found.kept]
    average = dict(zip(kept, found.after.average.tolist(), strict=True))
    simulated = "simulated runs, whose noise is a choice"
    return (
        printed_row("parameters", basis.standard, _PARAMETERS, "section 6.1"),
        printed_row(
            "independent parameters", len(basis.names), _INDEPENDENT, "section 6.1", note="erratum: section 7 has 53"
        ),
        printed_row("significant parameters", len(kept), len(SIGNIFICANT), "Table 2"),
        printed_row("of them in Table 2", len(set(kept) & SIGNIFICANT.keys()), len(SIGNIFICANT), "Table 2"),
        printed_row("condition number, 52 parameters", found.before.condition, _BEFORE, "section 7", note=simulated),
        printed_row("condition number, 23 parameters", found.after.condition, _AFTER, "section 7", note=simulated),
        printed_row("condition number falls by", found.improvement, _IMPROVEMENT, "section 7", note=simulated),
        *(
            printed_row(
                f"gravity coefficient {name} [N m]",
                value,
                _GRAVITY[name],
                "section 7.1",
                note="erratum: the paper's own parameters give 1.76865" if name == "c13" else "",
            )
            for name, value in zip(_GRAVITY, gravity_coefficients(robot), strict=True)
        ),
        *(
            printed_row(
                f"{name}, average of the runs [SI]",
                average.get(name),
                value,
                "Table 2",
                note="the simulated robot has the printed parameters" if name == next(iter(SIGNIFICANT)) else "",
            )
            for name, value in SIGNIFICANT.items()
        ),
    )
