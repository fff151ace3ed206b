"""The C text of inverse kinematics by iteration: bounded loops around the straight-line parts of a package.

The C code does for one pose what `near_branches` does for a batch. The one branch of a numeric arm starts at the
reference, then at the points of a fixed table. There is no state, no allocation and no recursion; the header states the
largest number of steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

import numpy as np

from torquec.foundation.arrays import Array
from torquec.kinematics import eliminant_roots
from torquec.kinematics import solution_curve as tracing
from torquec.kinematics.arm_poses import SEVERE, BranchStatus
from torquec.kinematics.line_elimination import SIZE
from torquec.kinematics.near_branches import TRACED, NearSearch, beside, hopeless, nearly_singular
from torquec.kinematics.refinement import APART, CLOSED, STEPS

CELLS = 192
"""Number of roots, or of cells that may hold one, that the C code stores: 23 KB of stack; at most 100 were observed."""

_CURVE_WORDS = """CORRECTIONS CURVE_STEPS CROSSINGS ENCLOSING
    FIRST_STEP LARGEST_STEP LEAST_STEP LARGEST_TURN ON_CURVE CLOSE_LOOK"""


@dataclass(frozen=True, eq=False)
class IterationShape:
    """Data of an arm for the C loops.

    A numeric arm has a `table` (starts, n) of shares of the joints' ranges; `lower` and `upper` (n,) are the limits,
    `half` (n,) is the largest distance of a start from the reference. `turning` (n,) is 1 for joints that turn,
    `moving` (n,) for those that move. A calibrated arm has a `search` and the `branches` of its nominal arm.
    """

    prefix: str
    functions: Mapping[str, str]
    """The C names of the parts: step, finish; for a calibrated arm start, and where it is traced curve_start and
    curve_step."""
    n: int
    branches: int
    places: int
    """Branches and further solutions."""
    missed: float
    """Largest error of the position [m] and of the rotation [rad]: beyond it a pose is out of reach."""
    table: Array
    lower: Array
    upper: Array
    half: Array
    turning: Array
    moving: Array
    search: NearSearch | None
    eliminates: bool = False
    """Whether all solutions are found by elimination; numeric starts are then for poses without a solution."""

    @property
    def room(self) -> int:
        """Number of solutions stored for a pose: of every branch and of the reference, or all of them."""
        return max(self.places, self.branches + 1)

    @property
    def largest_steps(self) -> int:
        """How many steps one call takes at most, to the pose and along curves."""
        if self.search is None:
            return (1 + len(self.table) + (CELLS if self.eliminates else 0)) * STEPS
        steps = (self.branches * (1 + len(beside(1.0, 1.0))) + 1) * STEPS
        if self.search.curves is None:
            return steps
        enclosing = tracing.ENCLOSING * tracing.CORRECTIONS + STEPS
        one_way = tracing.CURVE_STEPS * tracing.CORRECTIONS + tracing.CROSSINGS * enclosing
        return steps + (self.room + self.branches) * (tracing.CORRECTIONS + 2 * one_way)


def iteration_header(shape: IterationShape) -> str:
    """The C header `<prefix>_iteration.h`."""
    p, n, b = shape.prefix, shape.n, shape.places
    steps = ", ".join(name for part, name in shape.functions.items() if part.endswith("step"))
    guard = f"{p.upper()}_ITERATION_H_INCLUDED"
    return f"""\
/* Inverse kinematics by iteration: bounded loops around the functions of {p}.h. Written by torquec.

   Plain C99: no allocation, no state, no recursion; reentrant. One call takes at most {p.upper()}_LARGEST_STEPS
   steps ({steps}). rotation (3, 3) row by row and position (3) [m] are the pose of the frame in
   the base, near_q ({n}) the reference. status is a sum of 1 singular, 2 out of limits, 4
   out of reach; error (2) is the error of position [m] and rotation [rad]. For a pose that is not finite, status is 4
   and q the reference. Both functions return the number of branches that meet the pose. */

#ifndef {guard}
#define {guard}

#define {p.upper()}_BRANCHES {b}
#define {p.upper()}_LARGEST_STEPS {shape.largest_steps}

#ifdef __cplusplus
extern "C" {{
#endif

/* Every branch: q ({b}, {n}), status ({b}), error ({b}, 2). */
int {p}_every_pose(const double rotation[9], const double position[3], const double near_q[{n}],
    double q[{b * n}], double status[{b}], double error[{2 * b}]);

/* Of the branches with the best status, the one nearest to near_q. The reference is another
   start, and there is no further search if any start reached the pose. */
int {p}_nearest_branch(const double rotation[9], const double position[3], const double near_q[{n}],
    double q[{n}], int *branch, double *status, double error[2]);

#ifdef __cplusplus
}}
#endif

#endif
"""


def iteration_source(shape: IterationShape) -> str:
    """The C source `<prefix>_iteration.c`."""
    p, n = shape.prefix, shape.n
    tables = [_row("turning", shape.turning)]
    words = {
        "p": p,
        "P": shape.places,
        "N": n,
        "B": shape.branches,
        "ROOM": shape.room,
        "STARTS": len(shape.table),
        "STEPS": STEPS,
        "CLOSED": repr(CLOSED),
        "MISSED": repr(shape.missed),
        "APART": repr(APART),
        "SEVERE": repr(SEVERE),
        "REACH": f"{float(BranchStatus.OUT_OF_REACH)!r}",
        "LIMITS": f"{float(BranchStatus.OUT_OF_LIMITS)!r}",
        **shape.functions,
    }
    if shape.search is None:
        limits = [_row("lower", shape.lower), _row("upper", shape.upper), _row("half", shape.half)]
        tables = [_row("moving", shape.moving), *limits, _table("restart", shape.table)]
        solve = _template("numeric_solve.c")
        if shape.eliminates:
            first = solve.replace("static void solve(", "static void search_from_starts(")
            solve = f"{first}\n{_template('elimination_solve.c')}"
            tables.append(_row("turning", shape.turning))
            words |= _elimination_words()
    else:
        solve, more, besides = _near_parts(shape.search)
        words |= more
        tables.append(_table("beside", besides))
    words["tables"] = "\n".join(tables)
    text = _template("iteration.c").replace("@solve@", solve)
    for _ in range(2):  # inserted text contains @words@ itself
        for word, value in words.items():
            text = text.replace(f"@{word}@", str(value))
    return text


def _elimination_words() -> dict[str, object]:
    """Sizes and constants of the search for roots of an eliminant."""
    names = ("GRID", "LEVELS", "PARTS", "STRAIGHT", "CLEAR", "FALSE_POSITION")
    words: dict[str, object] = {name: repr(getattr(eliminant_roots, name)) for name in names}
    return words | {"SIZE": SIZE, "CELLS": CELLS, "TURN": repr(2.0 * np.pi)}


def _near_parts(search: NearSearch) -> tuple[str, dict[str, object], Array]:
    """The text of a calibrated arm's search, its @words@, and the neighbouring poses (k, 12)."""
    d = search.difference
    besides = np.array([[*turn.ravel(), *shift] for turn, shift in beside(d, search.size)])
    words: dict[str, object] = {
        "BESIDES": len(besides),
        "HOPELESS": repr(hopeless(d)),
        "HOPELESS_M": repr(hopeless(d) * search.size),
        "NEARLY_SINGULAR": repr(nearly_singular(d)),
    }
    pool, solve = _template("solution_pool.c"), _template("near_solve.c")
    if search.curves is None:
        return f"{pool}\n{solve}", {**words, "search_curves": _template("no_curves.c"), "least": "HUGE_VAL"}, besides
    words |= {name: repr(getattr(tracing, name)) for name in _CURVE_WORDS.split()}
    words |= {"TRACED": repr(TRACED), "WIDEST": repr(search.curves.widest)}
    words["search_curves"] = _template("search_curves.c")
    words["least"] = "least_singular(ended[k], rotation, position)"
    return f"{pool}\n{_template('solution_curves.c')}\n{solve}", words, besides


def _template(file: str) -> str:
    """A C template of this folder, with @words@ to fill in."""
    return (resources.files("torquec.kinematics") / "c" / file).read_text(encoding="utf-8")


def iteration_test(shape: IterationShape, poses: Array, reference: Array, expected: Array) -> str:
    """`iteration_test.c`: poses (N, 12) that joints reach, a reference (n,), and how many branches meet each (N,)."""
    p, n, b = shape.prefix, shape.n, shape.places
    return f"""\
/* Poses that the arm reaches: every one must be met. Exit status 0 when all are. Written by torquec. */

#include "{p}_iteration.h"

#include <stdio.h>

{_table("pose", poses)}
{_row("reference", reference)}
static const int found_by_python[{len(expected)}] = {{{", ".join(str(int(k)) for k in expected)}}};

int main(void)
{{
    int failures = 0;
    int k;
    for (k = 0; k < {len(poses)}; ++k) {{
        double q[{b * n}], status[{b}], error[{2 * b}], one[{n}], state, missed[2];
        int branch = 0;
        int met = {p}_every_pose(pose[k], &pose[k][9], reference, q, status, error);
        int near_met = {p}_nearest_branch(pose[k], &pose[k][9], reference, one, &branch, &state, missed);
        if ((met < 1) || (near_met < 1) || (state >= 4.0)) {{
            ++failures;
        }}
        printf("pose %d: %d branches (%d), misses %g m, %g rad\\n", k, met, found_by_python[k], missed[0], missed[1]);
    }}
    return failures;
}}
"""


def _table(name: str, rows: Array) -> str:
    inner = ",\n".join("    {" + ", ".join(repr(float(x)) for x in row) + "}" for row in rows)
    return f"static const double {name}[{rows.shape[0]}][{rows.shape[1]}] = {{\n{inner}\n}};"


def _row(name: str, values: Array) -> str:
    # Numbers beyond every joint stand for no limit: C has no word for infinity in a constant before <math.h>.
    shown = ", ".join(repr(float(np.clip(x, -1e300, 1e300))) for x in values)
    return f"static const double {name}[{len(values)}] = {{{shown}}};"
