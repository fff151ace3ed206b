"""All inverse kinematics solutions of a pose in one native call: eliminant roots by interpolation, Newton steps.

The determinant det M(a) of `line_elimination` is a trigonometric polynomial of order eight, f.

(1)  f at 25 angles; its coefficients by the discrete Fourier transform. Those of orders 9 to 12 vanish up to rounding,
     and their size estimates the error of the interpolant: `noise`
(2)  the circle in 256 cells, tested as in `eliminant_roots`, eight at a time, with the noise as worst-case error.
     Undecided cells are cut into eight as there; where the noise is too large, f is evaluated directly
(3)  from every root x_b, x_c and the other joints (`line_elimination`), Newton steps on the arm, whole turns, status

The call gives up, and `eliminant_roots` with direct values decides, wherever a solution might be lost: a cell that
stays undecided, an odd number of roots, two roots nearer than `GAP`, Newton steps that do not converge or that end
with the hidden joint farther than `OFF` from its root. The loops are in `every_solution.ll`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from torquec.codegen.llvm import NativeFunction, load_or_compile
from torquec.codegen.llvm.callable import native_driver
from torquec.codegen.llvm_text.text import literal
from torquec.expr import Function, trace
from torquec.expr.math import absolute, maximum, minimum, select, sincos, sqrt
from torquec.foundation.template import filled_template
from torquec.kinematics.angle import over
from torquec.kinematics.arm_geometry import ArmGeometry
from torquec.kinematics.arm_poses import BranchStatus, rotation_defect
from torquec.kinematics.eliminant_roots import CLEAR, FALSE_POSITION, GRID, LEVELS, PARTS, STRAIGHT
from torquec.kinematics.householder import determinant, null_vector
from torquec.kinematics.line_elimination import DEGREE, LineElimination, example_poses, regular_eliminations
from torquec.kinematics.refinement import CLOSED
from torquec.spatial import Scalar

SAMPLES = 25
"""Number of angles in (1): a determinant of twelve rows is of order twelve at most, so there is no aliasing."""

ORDER = DEGREE // 2
"""Order of the eliminant in its angle."""

SCANS = 160
"""Largest number of tests of eight cells; a regular pose takes 32. Poses that need more go to `eliminant_roots`."""

NOISE = 32.0
"""Assumed error of f, relative to the largest of the coefficients that should vanish: of 33 coefficients, each with
such an error, seventeen are in f."""

ROUNDING = 1e-15
"""Rounding error in the evaluation of f, relative to the sum of all coefficients."""

GAP = 1e-4
"""Roots nearer than this [rad] are left to `eliminant_roots`."""

OFF = 1e-5
"""Largest distance of the hidden joint from its root [rad]: a tenth of `GAP`, so that it belongs to no other root."""

STEPS = 12
"""Largest number of Newton steps from a root: two to four are usual."""

_PRECISE = 0.1  # ratio of noise to bend below which the interpolant still decides cells that are cut into eight
_EXAMPLES = 8  # random poses on which eliminants are compared
_POLISH = 4  # Newton steps on the interpolant, from a cell in which it is nearly straight to rounding


Algorithm: TypeAlias = Callable[..., Any]
"""A computation over any scalar."""


def native_elimination(
    elimination: LineElimination, step: Function, solution: Algorithm, finish: Algorithm, missed: float
) -> Callable[..., Any]:
    """The native call: rotation, position, near -> q (16, n), rest (17, 3), for one pose or N of them.

    Rows of `rest` are status and errors [m, rad]. The last row holds the defect of the rotation, the number of
    solutions, and 1 if these are all; if it is 0, the other results are invalid. `step` is one Newton step, `solution`
    gives the joints from a root, `finish` whole turns, status and error; errors up to `missed` [m, rad] count as met.
    """
    n = step.inputs[0].size
    pose = {"rotation": (3, 3), "position": (3,)}
    equations = (3, 6, 9)
    interpolant = {"interpolant": (2 * ORDER + 2,)}
    hidden = elimination.arm.joints[elimination.place].index

    def equations_of(rotation: Any, position: Any, near: Any) -> dict[str, Any]:
        defect = rotation_defect(rotation, [*position, *near])
        return {"equations": elimination.equations(rotation, position), "defect": defect}

    def sample(equations: Any, turn: Any) -> dict[str, Any]:
        return {"value": determinant(elimination.matrix(equations, *turn))}

    def root(equations: Any, interpolant: Any, cell: Any, rotation: Any, position: Any, near: Any) -> dict[str, Any]:
        angle = _root_in(interpolant, cell)
        s, c = sincos(angle)
        powers = null_vector(elimination.matrix(equations, c, s))
        return {"q": solution(angle, powers, rotation, position, near), "root": [angle, 0.0]}

    def finished(q: Any, rotation: Any, position: Any, near: Any, root: Any) -> dict[str, Any]:
        x, y = (a - b for a, b in zip(sincos(q[hidden]), sincos(root[0]), strict=True))
        return {**finish(q, rotation, position, near), "off": sqrt(x * x + y * y)}

    near = {"near": (n,)}
    functions = [
        trace("equations", equations_of, pose | near),
        trace("sample", sample, {"equations": equations, "turn": (2,)}),
        trace("interpolant", _interpolant, {"samples": (SAMPLES,)}),
        trace("angles", _angles, {"span": (2,)}),
        trace("interpolated", _interpolated, interpolant | {"turns": (PARTS + 3, 2)}),
        trace("classify", _classify, {"values": (PARTS + 3,), "noise": ()}),
        trace("narrow", _narrow, {"bracket": (8,), "value": ()}),
        trace("root", root, {"equations": equations} | interpolant | {"cell": (4,)} | pose | near),
        trace("finish", finished, {"q": (n,)} | pose | near | {"root": (2,)}),
    ]
    compiled = {one.name: cached_native(one) for one in functions} | {"step": cached_native(step)}

    def results(rotation: Any, position: Any, near: Any) -> dict[str, Any]:  # noqa: ARG001 - their shapes count
        return {"q": [[0.0] * n] * DEGREE, "rest": [[0.0] * 3] * (DEGREE + 1)}

    return native_driver(trace("all_solutions", results, pose | near), _text(n, missed), compiled)


def clearest_elimination(arm: ArmGeometry) -> LineElimination | None:
    """The regular eliminant with the fewest undecided cells of the circle at first, on random examples.

    The eliminant with the best score may have pairs of close roots: for an arm with a nearly spherical wrist, the two
    wrist solutions differ little in a joint of the arm.
    """
    regular = [one for _, one in regular_eliminations(arm)]
    return min(regular, key=_undecided_cells, default=None)


def _undecided_cells(one: LineElimination) -> int:
    """How many cells are undecided (2) before any is cut, over all examples."""
    count, width = 0, 2.0 * np.pi / GRID
    for _, rotation, position in example_poses(one.arm, _EXAMPLES):
        equations = one.equations(rotation, position)
        angles = 2.0 * np.pi * np.arange(SAMPLES) / SAMPLES
        turns = zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True)
        interpolant = _interpolant([determinant(one.matrix(equations, *turn)) for turn in turns])["interpolant"]
        for block in range(GRID // PARTS):
            values = _interpolated(interpolant, _angles([block * PARTS * width, width])["turns"])["values"]
            count += sum(kind > 1.0 for kind in _classify(values, interpolant[-1])["kinds"][:PARTS])
    return count


def cached_native(function: Function) -> NativeFunction:
    """A function compiled once for all processes: some of these functions take a second to compile."""
    return load_or_compile(f"kinematics {function.content_hash}", lambda: function)


def _text(n: int, missed: float) -> str:
    """The loops for an arm of n joints."""
    angles = 2.0 * np.pi * np.arange(SAMPLES) / SAMPLES
    turns = np.stack([np.cos(angles), np.sin(angles)], axis=1).ravel().tolist()
    blocks = GRID // PARTS
    return filled_template(
        "kinematics",
        "every_solution.ll",
        TURNS=", ".join(f"double {literal(x)}" for x in turns),
        TURN_NUMBERS=2 * SAMPLES,
        SAMPLES=SAMPLES,
        INTERPOLANT=2 * ORDER + 2,
        CELL_NUMBERS=4 * DEGREE,
        EQUATIONS=3 * 6 * 9,
        DEGREE=DEGREE,
        LAST_ROW=3 * DEGREE,
        N=n,
        LEVELS=LEVELS,
        FALSE_POSITION=FALSE_POSITION,
        NOISE_PLACE=2 * ORDER + 1,
        SCANS=SCANS,
        BLOCKS=blocks,
        BLOCK=literal(2.0 * np.pi / blocks),
        WIDTH=literal(2.0 * np.pi / GRID),
        START=literal(-np.pi),
        TURN=literal(2.0 * np.pi),
        GAP=literal(GAP),
        OFF=literal(OFF),
        STEPS=STEPS,
        CLOSED=literal(CLOSED),
        MISSED=literal(missed),
        OUT_OF_REACH=literal(float(BranchStatus.OUT_OF_REACH)),
    )


def _interpolant(samples: Any) -> dict[str, Any]:
    """The interpolant (1): its constant, cosines and sines of orders 1 to 8, and the noise."""
    half = SAMPLES // 2
    even = [samples[j] + samples[SAMPLES - j] for j in range(1, half + 1)]
    odd = [samples[j] - samples[SAMPLES - j] for j in range(1, half + 1)]
    parts: list[Scalar] = [(samples[0] + sum(even[1:], start=even[0])) * (1.0 / SAMPLES)]
    noise: Scalar = 0.0
    total = absolute(parts[0])
    for k in range(1, half + 1):
        angles = 2.0 * np.pi * k * np.arange(1, half + 1) / SAMPLES
        cosine = samples[0] + sum(float(c) * e for c, e in zip(np.cos(angles), even, strict=True))
        sine = sum(float(s) * o for s, o in zip(np.sin(angles), odd, strict=True))
        pair = [cosine * (2.0 / SAMPLES), sine * (2.0 / SAMPLES)]
        if k <= ORDER:
            parts += pair
            total = total + absolute(pair[0]) + absolute(pair[1])
        else:
            noise = maximum(noise, maximum(absolute(pair[0]), absolute(pair[1])))
    return {"interpolant": [*parts, NOISE * noise + ROUNDING * total]}


def _value(interpolant: Any, c: Scalar, s: Scalar) -> Scalar:
    """f at an angle given by its cosine and sine: Horner's rule for the real part of a polynomial in c + i s."""
    real, imaginary = interpolant[2 * ORDER - 1], -interpolant[2 * ORDER]
    for k in range(ORDER - 1, 0, -1):
        real, imaginary = (
            real * c - imaginary * s + interpolant[2 * k - 1],
            real * s + imaginary * c - interpolant[2 * k],
        )
    return real * c - imaginary * s + interpolant[0]


def _slope(interpolant: Any) -> list[Scalar]:
    """The coefficients of df/da in the same order."""
    found: list[Scalar] = [0.0]
    for k in range(1, ORDER + 1):
        found += [float(k) * interpolant[2 * k], float(-k) * interpolant[2 * k - 1]]
    return found


def _angles(span: Any) -> dict[str, Any]:
    """Cosine and sine of eleven angles: the ends of eight cells from span[0] on, span[1] wide, and one at each side."""
    (s, c), (turn_s, turn_c) = sincos(span[0] - span[1]), sincos(span[1])
    found: list[list[Scalar]] = []
    for _ in range(PARTS + 3):
        found.append([c, s])
        c, s = c * turn_c - s * turn_s, s * turn_c + c * turn_s
    return {"turns": found}


def _interpolated(interpolant: Any, turns: Any) -> dict[str, Any]:
    """f by the interpolant at those angles."""
    return {"values": [_value(interpolant, *turn) for turn in turns]}


def _classify(values: Any, noise: Any) -> dict[str, Any]:
    """Kinds (2) of eight cells, and the largest of them: 0 without a root, 1 with one, 2 undecided.

    3 is undecided as well, and smaller cells would not help: the noise is as large as the differences in them.
    """
    f, margin = values, 4.0 * noise  # each test combines four values
    change = [f[k + 1] - f[k] for k in range(PARTS + 2)]
    kinds: list[Scalar] = []
    largest: Scalar = 0.0
    for k in range(1, PARTS + 1):
        bend = maximum(absolute(change[k] - change[k - 1]), absolute(change[k + 1] - change[k]))
        crossing = -(select(f[k], 1.0, -1.0) * select(f[k + 1], 1.0, -1.0))
        straight = STRAIGHT * absolute(change[k]) - bend - margin
        clear = minimum(absolute(f[k]), absolute(f[k + 1])) - CLEAR * bend - margin
        undecided = select(margin - _PRECISE * bend, 3.0, 2.0)
        kinds.append(select(crossing, select(straight, 1.0, undecided), select(clear, 0.0, undecided)))
        largest = maximum(largest, kinds[-1])
    return {"kinds": [*kinds, largest]}


def _narrow(bracket: Any, value: Any) -> dict[str, Any]:
    """A step of false position (Illinois): from f at the last angle to a smaller bracket and the next angle.

    The bracket: both ends, f there, the end that stayed last time (-1, 1, 0 for none), the angle, its cosine and sine.
    """
    a, b, fa, fb, stayed, x = (bracket[k] for k in range(6))
    same = select(value, 1.0, -1.0) * select(fa, 1.0, -1.0)  # f has the sign of the left end
    left = [x, b, value, fb * select(stayed - 0.5, 0.5, 1.0)]
    right = [a, x, fa * select(-0.5 - stayed, 0.5, 1.0), value]
    low, high, f_low, f_high = (select(same, one, other) for one, other in zip(left, right, strict=True))
    change = f_high - f_low
    angle = select(-absolute(change), low, low - over(f_low * (high - low), change))
    s, c = sincos(angle)
    return {"tighter": [low, high, f_low, f_high, same, angle, c, s]}


def _root_in(interpolant: Sequence[Scalar], cell: Any) -> Scalar:
    """The root in a cell: where the chord is zero, then Newton steps that stay in the cell."""
    low, width, left, right = (cell[k] for k in range(4))
    slope = _slope(interpolant)
    angle = low + width * over(left, left - right)
    for _ in range(_POLISH):
        s, c = sincos(angle)
        moved = angle - over(_value(interpolant, c, s), _value(slope, c, s))
        angle = minimum(maximum(moved, low), low + width)
    return angle
