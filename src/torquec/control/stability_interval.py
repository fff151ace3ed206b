"""Robust stability against a scaled model error: exact intervals of the factor, root loci, worst trajectory point.

Along a line of closed loops  X(t) = X0 + t X1  that starts stable:

(1)  continuous: an eigenvalue reaches the imaginary axis exactly where  S -> X S + S X'  on symmetric matrices is
     singular, an eigenvalue problem for 1/t;
(2)  sampled: one reaches the unit circle exactly where  S -> X S X' - S  is singular, a quadratic one;
(3)  stability can change only at the real solutions, so that one test between neighbours decides; bisection on the
     worst eigenvalue then locates the limit.

Root loci are the eigenvalues of the closed loop as functions of the factor:

(4)  Branches are tracked from value to value: each eigenvalue is extrapolated and matched to the nearest free one.

`worst_case` is the point of a trajectory where the smallest model error makes the loop unstable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from torquec.control.poles import JointPoles
from torquec.control.robustness import EXACT_MODEL, ErrorFactor, Hold, Loop, ModelErrors, growth_rates, make_loop
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, ComplexArray
from torquec.foundation.choice import chosen
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, as_work
from torquec.linearization.linearize import LinearModel, linearize_along
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.trajectory import Trajectory, check_joints


@dataclass(frozen=True)
class WorstCase:
    """Worst-case stability intervals over a trajectory.

    `intervals` hold at every sampled point; `times`: when each limit is reached, (lower, upper) by factor.
    `slowest` is the worst eigenvalue's real part [1/s] under the errors given, at the time `slowest_at` [s].
    """

    intervals: dict[ErrorFactor, StabilityInterval]
    times: dict[ErrorFactor, tuple[float, float]]
    slowest: float
    slowest_at: float
    points: int


def worst_case(
    source: Robot | Model,
    trajectory: Trajectory,
    poles: JointPoles,
    *,
    factors: Sequence[ErrorFactor | str] = tuple(ErrorFactor),
    errors: ModelErrors = EXACT_MODEL,
    period: float | None = None,
    hold: Hold | str = Hold.EXACT,
    sampled: bool = True,
    points: int = 31,
    work: Work | None = None,
) -> WorstCase:
    """The stability intervals that hold at all of `points` instants, evenly spaced over the trajectory.

    Raises `ArgumentError` for fewer than two points, and, with the time, where the loop is unstable without error.
    """
    robot = as_model(source).robot
    wrong = tuple(chosen(ErrorFactor, factor, "factor") for factor in factors)
    check_joints(robot, trajectory)
    if points < 2:
        raise ArgumentError(f"{points} points of a trajectory", remedy="give two or more")
    times = np.linspace(trajectory.t[0], trajectory.t[-1], points)
    state = trajectory.at(times)
    lower = dict.fromkeys(wrong, (-np.inf, 0.0))
    upper = dict.fromkeys(wrong, (np.inf, 0.0))
    slowest = (-np.inf, 0.0)
    along = zip(times.tolist(), linearize_along(source, state.q, state.qd, state.qdd), strict=True)
    with as_work(work).step("searching for the worst point of the motion", whole=points) as step, one_thread():
        for done, (time, model) in enumerate(along, start=1):
            loop = make_loop(model, poles, period=period, hold=hold, sampled=sampled)
            slowest = max(slowest, (loop.excess(loop.matrix(errors)), time))
            for factor in wrong:
                try:
                    found = loop_interval(loop, factor, errors)
                except ArgumentError as error:
                    raise ArgumentError(
                        f"at t = {time:.4g} s {error.found}", where=f"robot '{robot.name}'", remedy=error.remedy
                    ) from error
                lower[factor] = max(lower[factor], (found.lower, time))
                upper[factor] = min(upper[factor], (found.upper, time))
            step.show(done)
    intervals = {factor: StabilityInterval(factor, lower[factor][0], upper[factor][0]) for factor in wrong}
    return WorstCase(
        intervals, {factor: (lower[factor][1], upper[factor][1]) for factor in wrong}, slowest[0], slowest[1], points
    )


@dataclass(frozen=True, eq=False)
class RootLocus:
    """Eigenvalues (m, 2n) [1/s] at the values (m,) of a factor; a column is a branch."""

    factor: ErrorFactor
    values: Array
    eigenvalues: ComplexArray


def root_locus(
    model: LinearModel,
    poles: JointPoles,
    factor: ErrorFactor | str,
    values: npt.ArrayLike,
    *,
    errors: ModelErrors = EXACT_MODEL,
    period: float | None = None,
    hold: Hold | str = Hold.EXACT,
    sampled: bool = True,
) -> RootLocus:
    """Root locus: the eigenvalues at each of the values (m,) of a factor, tracked as branches (4).

    Sampled ones are given as log(z)/h. Raises `ArgumentError` for values that are not finite.
    """
    factor = chosen(ErrorFactor, factor, "factor")
    given = np.asarray(values, dtype=np.float64)
    if given.ndim != 1 or len(given) == 0 or not np.isfinite(given).all():
        raise ArgumentError("the values of a root locus are not finite numbers", remedy="give them as (m,)")
    loop = make_loop(model, poles, period=period, hold=hold, sampled=sampled)
    rows: list[ComplexArray] = []
    for value in given:
        found = growth_rates(loop.matrix(with_factor(errors, factor, float(value))), period)
        rows.append(found if not rows else _followed(rows, found))
    return RootLocus(factor, given, np.array(rows))


def _followed(rows: list[ComplexArray], found: ComplexArray) -> ComplexArray:
    """The eigenvalues in the order of the branches so far (4)."""
    expected = rows[-1] if len(rows) < 2 else 2.0 * rows[-1] - rows[-2]
    expected = np.where(np.isfinite(expected), expected, rows[-1])
    distances = np.abs(expected[:, None] - found[None, :])
    distances[~np.isfinite(distances)] = np.finfo(float).max
    ordered = np.empty_like(found)
    for _ in range(len(found)):
        branch, k = np.unravel_index(np.argmin(distances), distances.shape)
        ordered[branch] = found[k]
        distances[branch, :] = distances[:, k] = np.inf
    return ordered


_REAL = 1e-6
"""Relative imaginary part below which a solution counts as real; a spurious one does no harm (3)."""

_FARTHEST = 1e6
"""Largest factor searched; beyond it the interval counts as unlimited."""

_NOTHING = 1e-9  # a lower limit of gamma that is zero but for rounding
_ROUNDING = 1e-12  # of eigenvalues, relative to the largest entry
_BISECTIONS = 200  # upper limit: neighbouring doubles are reached much earlier


@dataclass(frozen=True)
class StabilityInterval:
    """The values of a factor, around 1, for which the loop is stable; infinite where there is no limit."""

    factor: ErrorFactor
    lower: float
    upper: float


def stability_interval(
    model: LinearModel,
    poles: JointPoles,
    factor: ErrorFactor | str,
    *,
    errors: ModelErrors = EXACT_MODEL,
    period: float | None = None,
    hold: Hold | str = Hold.EXACT,
    sampled: bool = True,
) -> StabilityInterval:
    """The interval of a factor in which the loop is stable, the other factors as in `errors`.

    The interval contains the value of the factor in `errors` (1 unless given). Raises `ArgumentError` where the loop
    is unstable at that value. The inertia's factor has the lower limit zero.
    """
    loop = make_loop(model, poles, period=period, hold=hold, sampled=sampled)
    return loop_interval(loop, factor, errors)


def loop_interval(loop: Loop, factor: ErrorFactor | str, errors: ModelErrors = EXACT_MODEL) -> StabilityInterval:
    """`stability_interval` of a given `Loop`."""
    factor = chosen(ErrorFactor, factor, "factor")
    start = float(getattr(errors, factor.value))
    here, slope = loop.matrix(errors), loop.slope(factor)
    if loop.excess(here) >= 0.0:
        raise ArgumentError(
            f"the loop is unstable with {factor} = {start:g} already",
            remedy="choose poles or a sampling interval for which it is stable",
        )
    below, above = stable_span(loop, here, slope)
    lower = start + below
    if factor is ErrorFactor.GAMMA and lower < _NOTHING:
        lower = 0.0
    return StabilityInterval(factor, lower, start + above)


def stable_span(loop: Loop, here: Array, slope: Array) -> tuple[float, float]:
    """The largest interval around t = 0 in which here + t slope is stable; an end may be infinite."""
    if not np.any(slope):
        return -np.inf, np.inf
    stops = crossings(here, slope, sampled=loop.period is not None)
    ahead = _reach(loop, here, slope, [t for t in stops if t > 0.0])
    back = _reach(loop, here, -slope, sorted(-t for t in stops if t < 0.0))
    return -back, ahead


def crossings(here: Array, slope: Array, *, sampled: bool) -> list[float]:
    """All t at which an eigenvalue of here + t slope can reach the stability boundary, ascending, (1) or (2)."""
    down, up = _symmetric_basis(len(here))

    def on_symmetric(a: Array, b: Array) -> Array:
        """S -> (a S b' + b S a')/2 in coordinates of symmetric matrices."""
        product: Array = down @ (0.5 * (np.kron(a, b) + np.kron(b, a))) @ up
        return product

    one = np.eye(len(here))
    if sampled:
        size = down.shape[0]
        first = on_symmetric(here, here) - np.eye(size)
        blocks = np.linalg.solve(first, np.hstack([2.0 * on_symmetric(here, slope), on_symmetric(slope, slope)]))
        companion = np.vstack([-blocks, np.hstack([np.eye(size), np.zeros((size, size))])])
        inverse = np.linalg.eigvals(companion)
    else:
        inverse = np.linalg.eigvals(-np.linalg.solve(on_symmetric(here, one), on_symmetric(slope, one)))
    real = inverse[np.abs(inverse.imag) <= _REAL * np.abs(inverse)].real
    return sorted((1.0 / real[np.abs(real) > 1.0 / _FARTHEST]).tolist())


def _reach(loop: Loop, here: Array, slope: Array, stops: list[float]) -> float:
    """The largest t up to which here + t slope is stable, given the possible crossings (3)."""

    def is_stable(t: float) -> bool:
        return loop.excess(here + t * slope) < 0.0

    inside = 0.0
    for k, stop in enumerate(stops):
        after = stops[k + 1] if k + 1 < len(stops) else 10.0 * stop
        for t in (0.5 * (inside + stop), min(0.5 * (stop + after), 1.01 * stop), 0.5 * (stop + after)):
            if not is_stable(t):
                return _located(is_stable, inside, t)
            inside = t
    for t in np.geomspace(max(10.0 * inside, 1.0), _FARTHEST, 4).tolist():
        # For large t, eigenvalues near the boundary have the rounding error of large entries.
        if loop.excess(here + t * slope) > _ROUNDING * t * float(np.abs(slope).max()):
            return _located(is_stable, inside, t)
        inside = t
    return np.inf


def with_factor(errors: ModelErrors, factor: ErrorFactor, value: float) -> ModelErrors:
    """The errors with one factor changed."""
    return replace(errors, **{factor.value: value})


def _symmetric_basis(size: int) -> tuple[Array, Array]:
    """From vec(S) to the lower triangle of a symmetric S, and back."""
    rows, columns = np.tril_indices(size)
    count = len(rows)
    down, up = np.zeros((count, size * size)), np.zeros((size * size, count))
    each = np.arange(count)
    down[each, rows * size + columns] = 1.0
    up[rows * size + columns, each] = 1.0
    up[columns * size + rows, each] = 1.0
    return down, up


def _located(is_stable: Callable[[float], bool], inside: float, outside: float) -> float:
    """The limit between a stable and an unstable value, by bisection."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if is_stable(middle) else (inside, middle)
    return inside
