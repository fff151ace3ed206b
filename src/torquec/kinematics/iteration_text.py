"""The C text of inverse kinematics by iteration: bounded loops around the straight-line parts of a package.

What `iterated` does for a batch, here for one pose: every branch starts at the closed form of the tidy arm (or the one
branch of a numeric arm at the reference), takes at most `STEPS` steps, and starts again from a fixed table, at most
`RESTARTS` times (numeric: from the points of the table). There is no state, no allocation and no recursion; the
largest number of steps stands in the header.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array
from torquec.kinematics.arm_poses import SEVERE, BranchStatus
from torquec.kinematics.iterated import APART, CLOSED, STEPS
from torquec.kinematics.iteration_template import FIRST_NEAR, FIRST_NUMERIC, NEAR_START, NUMERIC_START, SOURCE


@dataclass(frozen=True, eq=False)
class IterationShape:
    """What the loops need to know of an arm.

    `table` (starts, branches, n) are the shifts of restarts about a branch's start; for a numeric arm (`is_numeric`)
    (starts, 1, n) are shares of the joints' ranges. `lower`, `upper` and `half` (n,) are the limits and how far about
    the reference a numeric start may be; `turning` (n,) is 1 for joints that turn, `moving` (n,) for those that move.
    """

    prefix: str
    functions: Mapping[str, str]
    """The C names of the parts: start (not for a numeric arm), step, finish."""
    n: int
    branches: int
    missed: float
    """Of the position [m] and the rotation [rad]: more is out of reach."""
    hopeful: float
    """A start that misses by more [m] is not tried again."""
    table: Array
    lower: Array
    upper: Array
    half: Array
    turning: Array
    moving: Array
    is_numeric: bool

    @property
    def largest_steps(self) -> int:
        """How many steps one call takes at most."""
        return (1 + len(self.table)) * self.branches * STEPS


def iteration_header(shape: IterationShape) -> str:
    """`<prefix>_iteration.h`."""
    p, n, b = shape.prefix, shape.n, shape.branches
    guard = f"{p.upper()}_ITERATION_H_INCLUDED"
    return f"""\
/* Inverse kinematics by iteration: bounded loops around the functions of {p}.h. Written by torquec.

   Plain C99: no allocation, no state, no recursion; reentrant. One call takes at most {p.upper()}_LARGEST_STEPS
   steps ({shape.functions["step"]}). rotation (3, 3) row by row and position (3) [m] are the pose of the frame in
   the base, near_q ({n}) the reference. status is a sum of 1 singular, 2 out of limits, 4
   out of reach; error (2) is what is missed of position [m] and rotation [rad]. For a pose that is not finite status is
   4 and q the reference. Both return how many branches meet the pose. */

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

/* The branch nearest to near_q of those with the best status; nothing starts again where some branch meets the pose. */
int {p}_nearest_branch(const double rotation[9], const double position[3], const double near_q[{n}],
    double q[{n}], int *branch, double *status, double error[2]);

#ifdef __cplusplus
}}
#endif

#endif
"""


def iteration_source(shape: IterationShape) -> str:
    """`<prefix>_iteration.c`."""
    p, n, b = shape.prefix, shape.n, shape.branches
    starts = len(shape.table)
    tables = [
        _table("restart", shape.table.reshape(starts * b, n)),
        _row("turning", shape.turning),
        _row("moving", shape.moving),
    ]
    if shape.is_numeric:
        tables += [_row("lower", shape.lower), _row("upper", shape.upper), _row("half", shape.half)]
    begin = NUMERIC_START if shape.is_numeric else NEAR_START
    words = {
        "p": p,
        "P": p.upper(),
        "N": n,
        "B": b,
        "STARTS": starts,
        "STEPS": STEPS,
        "CLOSED": repr(CLOSED),
        "MISSED": repr(shape.missed),
        "APART": repr(APART),
        "HOPEFUL": repr(shape.hopeful),
        "SEVERE": repr(SEVERE),
        "REACH": f"{float(BranchStatus.OUT_OF_REACH)!r}",
        "LIMITS": f"{float(BranchStatus.OUT_OF_LIMITS)!r}",
        "step": shape.functions["step"],
        "finish": shape.functions["finish"],
        "start": shape.functions.get("start", ""),
        "tables": "\n".join(tables),
        "first": FIRST_NUMERIC if shape.is_numeric else FIRST_NEAR,
    }
    text = SOURCE.replace("@begin@", begin)
    for _ in range(2):  # what is put in has words of its own
        for word, value in words.items():
            text = text.replace(f"@{word}@", str(value))
    return text


def iteration_test(shape: IterationShape, poses: Array, reference: Array, expected: Array) -> str:
    """`iteration_test.c`: poses (N, 12) that joints reach, a reference (n,), and how many branches meet each (N,)."""
    p, n, b = shape.prefix, shape.n, shape.branches
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
