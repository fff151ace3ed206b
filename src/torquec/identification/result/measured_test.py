"""C self-test against measured torques: states of the logs, measured torques, and torques of the generated code.

(1)  at some states of the logs, total torques of the generated C must agree with those computed here
(2)  the same torques against the measured ones: root mean square by joint, which must equal that computed here. States
     near a reversal of a joint are not used for it: friction in the code jumps, but measured torques are filtered

With it, a user of the package without the log can verify the accuracy of the model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.codegen.c.names import package_names
from torquec.codegen.c.source import c_number
from torquec.codegen.identifiers import c_identifier
from torquec.foundation.arrays import Array
from torquec.identification.logs.prepare import prepare
from torquec.identification.logs.torque_delay import away_from_reversals
from torquec.identification.result.estimate import QUANTITY, Estimate, identified_model
from torquec.trajectory.log import Log

_STATES = 40  # of all logs together: a table short enough to read
_TOLERANCE = 1e-9  # between the generated C and Python, far above rounding

_TEXT = """\
/* Compares torques of {prefix}.c with torques that were measured on the robot. Exit status 0 when the computed torques
 * and their root mean square errors are the ones recorded in this file.
 *
 *   cc -O2 {prefix}.c {prefix}_measured.c -lm -o measured && ./measured
 *
 * {states} states from: {sources}
 * Positions, speeds and torques are low-pass filtered at {cutoff} Hz. Torques just before and after a reversal of their
 * joint do not count: friction jumps in the code, but not in filtered torques.
 */

#include "{prefix}.h"

#include <math.h>
#include <stdio.h>

enum {{ STATES = {states}, JOINTS = {joints} }};

static const char *const names[JOINTS] = {{ {names} }};
{tables}static const int counts[STATES][JOINTS] = {{
{counts}
}};

/* Root mean square of measured minus predicted torque [Nm]. */
static const double stated[JOINTS] = {{ {stated} }};

int main(void)
{{
    double squares[JOINTS] = {{ 0.0 }};
    int counted[JOINTS] = {{ 0 }};
    double worst = 0.0;
    double largest = 0.0;
    int failed = 0;
    int i;
    int j;
    for (i = 0; i < STATES; ++i) {{
        double tau[JOINTS];
        {function}(q[i], qd[i], qdd[i], tau);
        for (j = 0; j < JOINTS; ++j) {{
            const double error = fabs(tau[j] - predicted[i][j]);
            if (!(error <= worst)) {{
                worst = error;
            }}
            if (fabs(predicted[i][j]) > largest) {{
                largest = fabs(predicted[i][j]);
            }}
            if (counts[i][j]) {{
                squares[j] += (measured[i][j] - tau[j])*(measured[i][j] - tau[j]);
                ++counted[j];
            }}
        }}
    }}
    failed = !(worst <= {tolerance}*largest);
    printf("%-6s {function}: error %.3g Nm of %.3g Nm\\n", failed ? "FAILED" : "ok", worst, largest);
    for (j = 0; j < JOINTS; ++j) {{
        const double rms = counted[j] ? sqrt(squares[j]/counted[j]) : 0.0;
        const int off = !(fabs(rms - stated[j]) <= 1e-6*stated[j] + {tolerance}*largest);
        printf("%-6s %s: measured - predicted %.4g Nm rms of %d states\\n", off ? "FAILED" : "ok", names[j], rms,
               counted[j]);
        failed |= off;
    }}
    return failed;
}}
"""


def measured_test(estimate: Estimate, logs: Sequence[Log], *, prefix: str) -> tuple[str, str]:
    """The name and the text of the C file, for a package of `identified_model(estimate)` with this prefix."""
    robot = estimate.robot
    each = max(1, _STATES // len(logs))
    parts: list[tuple[Array, ...]] = []
    for log in logs:
        samples = prepare(log, cutoff=estimate.cutoff)
        rows = np.flatnonzero(samples.used)
        some = rows[np.linspace(0, len(rows) - 1, each).round().astype(int)]
        away = away_from_reversals(samples.qd, round(samples.rate / samples.cutoff))
        parts.append((samples.q[some], samples.qd[some], samples.qdd[some], samples.tau[some], 1.0 * away[some]))
    q, qd, qdd, measured, counts = (np.ascontiguousarray(np.concatenate(column)) for column in zip(*parts, strict=True))
    predicted = np.asarray(identified_model(estimate).total_torque(q, qd, qdd))
    squares = (counts * (measured - predicted) ** 2).sum(axis=0) / np.maximum(counts.sum(axis=0), 1.0)
    start = package_names([], prefix).prefix
    tables = {"q": q, "qd": qd, "qdd": qdd, "measured": measured, "predicted": predicted}
    text = _TEXT.format(
        prefix=start,
        function=f"{start}_{c_identifier(QUANTITY)}",
        states=len(q),
        joints=robot.n,
        sources=_ascii(", ".join(log.source.replace("\\", "/").rsplit("/", 1)[-1] for log in logs)),
        cutoff=f"{estimate.cutoff:g}",
        names=", ".join(f'"{_ascii(name)}"' for name in robot.joint_names),
        tables="".join(_table(name, values) for name, values in tables.items()),
        counts=",\n".join("    { " + ", ".join(str(int(v)) for v in row) + " }" for row in counts),
        stated=", ".join(c_number(float(v)) for v in np.sqrt(squares)),
        tolerance=c_number(_TOLERANCE),
    )
    return f"{start}_measured.c", text


def _table(name: str, values: Array) -> str:
    rows = ",\n".join("    { " + ", ".join(c_number(float(v)) for v in row) + " }" for row in values)
    return f"static const double {name}[STATES][JOINTS] = {{\n{rows}\n}};\n"


def _ascii(text: str) -> str:
    """A name as it may stand in a C comment and in a C string, without trigraphs, quotes and comment ends."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-., ") else "?" for c in text).replace("??", "?-")
