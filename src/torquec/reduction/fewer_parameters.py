"""Fewer base parameters: the recursion with some of its regrouped mass moments left out and the rest fitted again.

Torques are linear in the moments that regrouping leaves, tau = sum_p phi_p beta_p, and each moment that is zero
removes products from the traced recursion.

(1)  fit:       min over beta of max over motions and joints of |tau - tau'|/tolerance, a linear program over motions
     that are exchanged:
                the worst motions of a fit (found on the exact residual, not sampled) join until the level stops rising
(2)  search:    leave out one moment after another, preferring those that save most operations for the error they
     cost; then
                exchanges of one or two kept moments against one that was left out, while they save operations
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism, mechanism, place, place_links
from torquec.dynamics.motion import motions as link_motions
from torquec.errors import MissingExtraError, RobotError
from torquec.expr import Function, OperationCount, count_operations, trace
from torquec.reduction.proof.bernstein import Array
from torquec.reduction.proof.torque_bound import Motions, sampled_motions, worst_motions
from torquec.reduction.proof.torque_residual import TorqueTables, torque_residual, torque_tables
from torquec.robot.robot import Robot
from torquec.spatial import Scalar

Progress = Callable[[str], None]

_SAMPLES = 1500
_CANDIDATES = 8
"""Moments whose removal costs least error, of which the one that saves most for it is left out."""
_SWAPS = 250
_ROUNDS = 12
_MARGIN = 0.985
"""Part of the tolerance that a fit may use: the proof needs the rest."""


@dataclass(frozen=True)
class FewerParameters:
    """The program, the moments that it keeps with their fitted values, and the largest error found per joint."""

    function: Function
    kept: tuple[str, ...]
    values: tuple[float, ...]
    all_parameters: int
    found: tuple[float, ...]

    @property
    def operations(self) -> OperationCount:
        """Of one evaluation."""
        return count_operations(self.function)


@dataclass(frozen=True)
class _Parameter:
    link: int
    moment: str
    value: float


def fewer_parameters(
    robot: Robot, motions: Motions, tolerance: Sequence[float], *, progress: Progress | None = None
) -> FewerParameters:
    """The recursion with fewest operations that keeps every joint's torque error below its tolerance (as far as found).

    Raises `RobotError` where no fit is good enough, with the smallest error that was reached. Friction and springs are
    not part of it; reflected rotor inertias are kept exactly.
    """
    say = progress or (lambda _: None)
    for joint, allowed in zip(robot.joints, tolerance, strict=True):
        if not allowed > 0.0:
            raise RobotError(f"joint '{joint.name}' has a tolerance of {allowed}", remedy="allow a positive error")
    problem = _Problem(robot, motions, np.asarray(tolerance, dtype=np.float64))
    level = _MARGIN
    while True:
        kept = problem.search(level, say)
        say(f"{len(kept)} of {len(problem.parameters)} moments, fitting against the worst motions")
        beta, found = problem.fit(kept)
        worst = float((found / problem.tolerance).max())
        say(f"largest error found: {100 * worst:.1f} % of the tolerance")
        if worst <= _MARGIN:
            break
        if len(kept) == len(problem.parameters):
            name = robot.joint_names[int((found / problem.tolerance).argmax())]
            raise RobotError(
                f"joint '{name}' needs an error of {found.max():.3g}, more than its tolerance",
                remedy="allow a larger error",
            )
        level *= min(0.93, 0.98 * _MARGIN / worst)
    simplified = problem.simplified(kept, beta)
    names = tuple(
        f"{_TITLES[problem.parameters[k].moment]}_{robot.bodies[problem.parameters[k].link].name}" for k in kept
    )
    return FewerParameters(
        torque_program(simplified),
        names,
        tuple(float(b) for b in beta),
        len(problem.parameters),
        tuple(map(float, found)),
    )


_TITLES = {
    "xx": "Exx",
    "xy": "Exy",
    "xz": "Exz",
    "yy": "Eyy",
    "yz": "Eyz",
    "zz": "Ezz",
    "x": "mx",
    "y": "my",
    "z": "mz",
    "m": "m",
}


def torque_program(m: Mechanism) -> Function:
    """Inverse dynamics of a mechanism as a program: q, qd, qdd (n,) -> tau (n,)."""

    def algorithm(q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        placed = place(m, q)
        return {"tau": joint_torques(m, placed, link_motions(placed, m.coordinates, m.gravity, qd, qdd), qdd)}

    return trace("inverse_dynamics", algorithm, {"q": (m.n,), "qd": (m.n,), "qdd": (m.n,)})


class _Problem:
    """The search's data: exact mechanism, its parameters, sampled regressor rows, tables of the exact program."""

    def __init__(self, robot: Robot, motions: Motions, tolerance: Array) -> None:
        self.robot, self.motions, self.tolerance = robot, motions, tolerance
        self.exact = mechanism(robot)
        self.prismatic = [joint.type.is_prismatic for joint in robot.joints]
        self.parameters = self._parameters()
        self.rows = self._rows(sampled_motions(motions, _SAMPLES))
        self.target = self.rows @ np.array([p.value for p in self.parameters])
        self._exact_tables: TorqueTables | None = None
        self._costs: dict[tuple[int, ...], int] = {}
        self._errors: dict[tuple[int, ...], float] = {}

    def _parameters(self) -> list[_Parameter]:
        names = [field.name for field in fields(MassMoments)]
        candidates = [
            _Parameter(link, name, float(value))
            for link, moments in enumerate(self.exact.moments)
            for name, value in zip(names, moments.values, strict=True)
            if value != 0.0
        ]
        self.parameters = candidates
        rows = self._rows(sampled_motions(self.motions, 200))
        return [p for p, column in zip(candidates, rows.T, strict=True) if np.abs(column).max() > 1e-12]

    def _rows(self, states: Array) -> Array:
        """Torques per unit of each parameter over the tolerance, (states * n, parameters)."""
        q, qd, qdd = (list(states[:, k].T) for k in range(3))
        m = replace(self.exact, reflected_inertia=tuple((0.0,) * self.exact.n for _ in range(self.exact.n)))
        placed = place_links(m.links, m.coordinates, q)
        moving = link_motions(placed, m.coordinates, m.gravity, qd, qdd)
        columns = []
        for p in self.parameters:
            units = [
                replace(link, moments=MassMoments(**{p.moment: 1.0}) if k == p.link else MassMoments())
                for k, link in enumerate(placed)
            ]
            torques = joint_torques(m, units, moving, qdd)
            columns.append(np.stack([np.broadcast_to(t, (len(states),)) for t in torques], axis=1) / self.tolerance)
        return np.stack(columns, axis=-1).reshape(-1, len(self.parameters))

    def simplified(self, kept: Sequence[int], beta: Iterable[float]) -> Mechanism:
        """The mechanism with only the kept moments."""
        moments: list[dict[str, float]] = [{} for _ in self.exact.moments]
        for k, value in zip(kept, beta, strict=True):
            moments[self.parameters[k].link][self.parameters[k].moment] = float(value)
        return replace(self.exact, moments=tuple(MassMoments(**known) for known in moments))

    # --- search -----------------------------------------------------------------------------------------------------

    def search(self, level: float, say: Progress) -> list[int]:
        """Moments to keep so that the sampled error stays below the level (2)."""
        kept = list(range(len(self.parameters)))
        gram, moment = self.rows.T @ self.rows, self.rows.T @ self.target
        power = float(self.target @ self.target)

        def left_over(chosen: Sequence[int]) -> float:
            index = list(chosen)
            solution = np.linalg.lstsq(gram[np.ix_(index, index)], moment[index], rcond=None)[0]
            return max(power - float(moment[index] @ solution), 1e-12)

        while len(kept) > 1:
            here, cost = left_over(kept), self.cost(kept)
            rest = sorted((left_over([k for k in kept if k != out]), out) for out in kept)[:_CANDIDATES]
            gains = []
            for error, out in rest:
                fewer = [k for k in kept if k != out]
                gains.append(((cost - self.cost(fewer) + 0.5) / (error - 0.999 * here + 1e-9), fewer))
            gains.sort(key=lambda gain: -gain[0])
            chosen = next((fewer for _, fewer in gains if self.error(fewer, level) <= level), None)
            if chosen is None:
                break
            kept = chosen
            say(f"{len(kept)} moments, {self.cost(kept)} operations")
        while True:
            better = self._swapped(kept, level, left_over)
            if better is None:
                return sorted(kept)
            kept = better
            say(f"{len(kept)} moments, {self.cost(kept)} operations")

    def _swapped(self, kept: list[int], level: float, left_over: Callable[[Sequence[int]], float]) -> list[int] | None:
        """A cheaper set with one or two moments exchanged against at most one, or None."""
        outside = [k for k in range(len(self.parameters)) if k not in kept]
        moves = []
        for gone in itertools.chain(itertools.combinations(kept, 1), itertools.combinations(kept, 2)):
            stay = [k for k in kept if k not in gone]
            moves += [stay + list(new) for new in [(), *((k,) for k in outside)]]
        moves.sort(key=left_over)
        for trial in moves[:_SWAPS]:
            if self.cost(trial) < self.cost(kept) and self.error(trial, level) <= level:
                return trial
        return None

    def cost(self, kept: Sequence[int]) -> int:
        """Multiplications and additions with these moments, whatever their values."""
        key = tuple(sorted(kept))
        if key not in self._costs:
            count = count_operations(
                torque_program(self.simplified(key, 0.01 + 0.137 * np.arange(1.0, len(key) + 1.0)))
            )
            self._costs[key] = count.mul + count.add
        return self._costs[key]

    def error(self, kept: Sequence[int], level: float) -> float:
        """The largest sampled error of the best fit; only an estimate where it is far above the level."""
        key = tuple(sorted(kept))
        if key not in self._errors:
            columns = self.rows[:, key]
            solution = np.linalg.lstsq(columns, self.target, rcond=None)[0]
            value = float(np.abs(columns @ solution - self.target).max())
            if level < value < 2.5 * level:
                value = _minimax(columns, self.target)[1]
            self._errors[key] = value
        return self._errors[key]

    # --- fit --------------------------------------------------------------------------------------------------------

    def fit(self, kept: Sequence[int]) -> tuple[Array, Array]:
        """Values of the kept moments (1), and the largest error found of each joint [N m]."""
        if self._exact_tables is None:
            self._exact_tables = torque_tables(torque_program(self.exact), self.prismatic)
        joints = [v.joints[0][0] for v in self._exact_tables.variables]
        best: tuple[float, Array, Array] | None = None
        for _ in range(_ROUNDS):
            beta, level = _minimax(self.rows[:, kept], self.target)
            tables = torque_tables(torque_program(self.simplified(kept, beta)), self.prismatic, joints)
            residual = torque_residual(self._exact_tables, tables)
            found = np.zeros(self.exact.n)
            worst = []
            for joint in range(self.exact.n):
                found[joint], states = worst_motions(residual, joint, self.motions)
                worst.append(states)
            ratio = float((found / self.tolerance).max())
            if best is None or ratio < best[0]:
                best = (ratio, beta, found)
            if ratio <= 1.01 * level:
                break
            extra = self._rows(np.concatenate(worst))
            self.rows = np.concatenate([self.rows, extra])
            self.target = self.rows @ np.array([p.value for p in self.parameters])
        assert best is not None
        self._errors.clear()
        return best[1], best[2]


def _minimax(columns: Array, target: Array) -> tuple[Array, float]:
    """x that minimizes max |columns x - target|, and that level: a linear program over the rows that matter."""
    try:
        from scipy.optimize import linprog
    except ImportError:
        raise MissingExtraError("scipy", "optimize", "fitting a simplified model") from None
    x = np.linalg.lstsq(columns, target, rcond=None)[0]
    size = columns.shape[1]
    rows = np.argsort(-np.abs(columns @ x - target))[:400]
    for _ in range(40):
        part, goal, one = columns[rows], target[rows], np.ones((len(rows), 1))
        outcome = linprog(
            np.concatenate([np.zeros(size), [1.0]]),
            A_ub=np.block([[part, -one], [-part, -one]]),
            b_ub=np.concatenate([goal, -goal]),
            bounds=[(None, None)] * size + [(0.0, None)],
            method="highs",
        )
        if outcome.x is None:
            break
        x = outcome.x[:size]
        error = np.abs(columns @ x - target)
        if error.max() <= outcome.x[-1] * (1.0 + 1e-3) + 1e-12:
            break
        rows = np.union1d(rows, np.argsort(-error)[:200])
    return np.asarray(x, dtype=np.float64), float(np.abs(columns @ x - target).max())
