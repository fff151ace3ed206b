"""Search for mass moments of a recursion that can be left out, with the remaining ones fitted to compensate.

Torques are linear in the moments that regrouping leaves, tau = sum_p phi_p beta_p, and each moment that is zero
removes products from the traced recursion.

(1)  fit:       min over beta of max over motions and joints of |tau - tau'|/tolerance, a linear program over a pool
                of motions; the worst motions of each fit join the pool until the level stops rising
(2)  search:    leave out one moment after another, preferring those that save most operations for the error they
                cost; then exchanges of one or two kept moments against one that was left out, while they save
                operations
(3)  the worst motions of one subset are bad for others, too: after a fit that is not good enough, the search is
     repeated on the enlarged pool of motions. Exchanges take longest, and start only after a fit that is good enough:
     a search that is stopped during them has a result
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from torquec.codegen.llvm.callable import compile_function
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism, place_links
from torquec.dynamics.motion import motions as link_motions
from torquec.errors import TimeLimitError
from torquec.foundation.arrays import Array
from torquec.foundation.work import Meter, silent
from torquec.proof.torque.torque_bounds import Errors, error_program, worst_motions_of
from torquec.simplification.fitting.chebyshev_program import exchange_fit
from torquec.simplification.moment_costs import MomentCosts, torque_program
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox, sampled_motions


@dataclass(frozen=True)
class MomentParameter:
    """A moment of a link (a field of `MassMoments`), and its exact value."""

    link: int
    moment: str
    value: float


@dataclass(frozen=True)
class FittedMoments:
    """Kept moments and their values.

    `found` is the largest error found of each joint [N m, N], `ratio` the largest of these over its tolerance.
    """

    kept: list[int]
    beta: Array
    found: Array
    ratio: float


class MomentSearch:
    """The search's data: the exact mechanism, its parameters, sampled regressor rows."""

    def __init__(self, exact: Mechanism, motions: MotionBox, tolerance: Array) -> None:
        self.exact, self.motions, self.tolerance = exact, motions, tolerance
        self.parameters = self._parameters()
        self.rows = self._rows(sampled_motions(motions, TUNING.moment_samples))
        self.target = self.rows @ self.values
        self._exact_program = torque_program(self.exact)
        self._seed = 0
        self._places = [(p.link, p.moment) for p in self.parameters]
        self._costs = MomentCosts(self.exact, self._places)
        self._known_costs: dict[tuple[int, ...], int] = {}
        self._errors: dict[tuple[int, ...], float] = {}

    def _parameters(self) -> list[MomentParameter]:
        names = [field.name for field in fields(MassMoments)]
        candidates = [
            MomentParameter(link, name, float(value))
            for link, moments in enumerate(self.exact.moments)
            for name, value in zip(names, moments.values, strict=True)
            if value != 0.0
        ]
        self.parameters = candidates
        rows = self._rows(sampled_motions(self.motions, 200))
        return [p for p, column in zip(candidates, rows.T, strict=True) if np.abs(column).max() > 1e-12]

    @property
    def values(self) -> Array:
        """The exact moments, (parameters,)."""
        return np.array([p.value for p in self.parameters])

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

    def first_within(self, meter: Meter) -> FittedMoments:
        """First fit within the tolerance, also at its worst motions, with moments left out one after another (3).

        Raises `TimeLimitError` where the time is over before.
        """
        while True:
            kept = self.left_out(meter)
            fitted = self.fit(kept, meter)
            if fitted.ratio <= 1.0 or len(kept) == len(self.parameters):
                return fitted
            self._say(meter, kept, f"largest error found: {100 * fitted.ratio:.1f} % of the tolerance")

    def left_out(self, meter: Meter) -> list[int]:
        """Moments to keep so that the error at all motions met so far stays below the tolerance."""
        self._resample()
        kept = list(range(len(self.parameters)))
        with suppress(TimeLimitError):  # returns the moments left by then
            while (fewer := self._without_one(kept)) is not None:
                kept = fewer
                self._say(meter, kept, f"{len(kept)} moments, {self.cost(kept)} operations")
        return sorted(kept)

    def exchanged(self, kept: Sequence[int], meter: Meter) -> list[int]:
        """Cheaper moments by exchanges, good enough at all motions met so far; the same moments if there are none."""
        self._resample()
        kept = list(kept)
        while (fewer := self._swapped(kept, meter)) is not None:
            kept = fewer
            self._say(meter, kept, f"{len(kept)} moments, {self.cost(kept)} operations")
        return sorted(kept)

    def _say(self, meter: Meter, kept: Sequence[int], note: str) -> None:
        count = len(self.parameters)
        meter(count - len(kept), count + 1, note)

    def _resample(self) -> None:
        """Update the sums over the pool of motions, which may have grown."""
        self._errors.clear()
        self._gram, self._moment = self.rows.T @ self.rows, self.rows.T @ self.target
        self._power = float(self.target @ self.target)

    def _without_one(self, kept: list[int]) -> list[int] | None:
        """The set without the moment of largest savings per added error, or None where all are needed."""
        if len(kept) == 1:
            return None
        here, cost = self._left_over(kept), self.cost(kept)
        rest = sorted((self._left_over([k for k in kept if k != out]), out) for out in kept)[: TUNING.moment_candidates]
        choices = [[k for k in kept if k != out] for _, out in rest]
        gains = [
            ((cost - fewer_operations + 0.5) / (error - 0.999 * here + 1e-9), fewer)
            for (error, _), fewer, fewer_operations in zip(rest, choices, self._costs.of(choices), strict=True)
        ]
        gains.sort(key=lambda gain: -gain[0])
        return next((fewer for _, fewer in gains if self.error(fewer) <= TUNING.moment_target_share), None)

    def _swapped(self, kept: list[int], meter: Meter) -> list[int] | None:
        """A cheaper set with one or two moments exchanged against at most one, or None."""
        outside = [k for k in range(len(self.parameters)) if k not in kept]
        moves = []
        for gone in itertools.chain(itertools.combinations(kept, 1), itertools.combinations(kept, 2)):
            stay = [k for k in kept if k not in gone]
            moves += [stay + list(new) for new in [(), *((k,) for k in outside)]]
        cost, count = self.cost(kept), len(self.parameters)
        moves = [move for move, less in zip(moves, self._costs.of(moves), strict=True) if less < cost]
        moves.sort(key=self._left_over)
        for trial in moves[: TUNING.moment_exchanges]:
            meter(count - len(kept), count + 1)
            if self.error(trial) <= TUNING.moment_target_share:
                return trial
        return None

    def least_squares(self, kept: Sequence[int]) -> Array:
        """Least-squares values of the kept moments over the pool of motions, (kept,)."""
        index = list(kept)
        solution, *_ = np.linalg.lstsq(self._gram[np.ix_(index, index)], self._moment[index], rcond=None)
        return np.asarray(solution, dtype=np.float64)

    def _left_over(self, kept: Sequence[int]) -> float:
        """Residual sum of squares of the least-squares fit."""
        return max(self._power - float(self._moment[list(kept)] @ self.least_squares(kept)), 1e-12)

    def cost(self, kept: Sequence[int]) -> int:
        """Multiplications and additions with these moments, whatever their values."""
        key = tuple(sorted(kept))
        if key not in self._known_costs:
            self._known_costs[key] = int(self._costs.of([kept])[0])
        return self._known_costs[key]

    def error(self, kept: Sequence[int]) -> float:
        """The largest error of the best fit over the pool of motions; only an estimate where it is far from one."""
        key = tuple(sorted(kept))
        if key not in self._errors:
            value = self.error_of_least_squares(key)
            if TUNING.moment_target_share < value < 3.0:
                value = exchange_fit(self.rows[:, key], self.target, enough=TUNING.moment_target_share)[1]
            self._errors[key] = value
        return self._errors[key]

    def error_of_least_squares(self, kept: Sequence[int]) -> float:
        """The largest error of the least-squares fit over the pool of motions."""
        return float(np.abs(self.rows[:, list(kept)] @ self.least_squares(kept) - self.target).max())

    # --- fit --------------------------------------------------------------------------------------------------------

    def fit(self, kept: Sequence[int], meter: Meter = silent) -> FittedMoments:
        """Values of the kept moments (1), against motions that are the worst for them.

        When the meter stops it, the best fit so far is returned, if one is within the tolerance.
        """
        best: FittedMoments | None = None
        errors = self._errors_with(kept)
        for _ in range(TUNING.moment_rounds):
            beta, level = exchange_fit(self.rows[:, kept], self.target)
            self._seed += 1
            worst = worst_motions_of(errors(beta), self.motions, seed=self._seed)
            fitted = FittedMoments(list(kept), beta, worst.found, float((worst.found / self.tolerance).max()))
            if best is None or fitted.ratio < best.ratio:
                best = fitted
            if fitted.ratio <= 1.01 * level or level > 1.0:
                break
            self._meet(worst.states)
            try:
                self._say(meter, kept, "fitting against the worst motions")
            except TimeLimitError:
                if best.ratio > 1.0:
                    raise
                break
        assert best is not None
        if best.ratio > 1.0:
            self._meet(worst.states)
        return best

    def _errors_with(self, kept: Sequence[int]) -> Callable[[Array], Errors]:
        """The errors with these moments as a function of their values, which are an input of the compiled program."""
        places = [self._places[k] for k in kept]
        program = torque_program(self.exact, places) if places else torque_program(self.simplified((), ()))
        native = compile_function(error_program(self._exact_program, program))
        return lambda beta: partial(native.call, moments=beta) if places else native.call

    def _meet(self, states: Array) -> None:
        """Add motions (n, N, 3, n) that are bad for one joint each."""
        n = self.exact.n
        rows = self._rows(states.reshape(-1, 3, n)).reshape(n, -1, n, len(self.parameters))
        self.rows = np.concatenate([self.rows, *(rows[joint, :, joint] for joint in range(n))])
        self.target = self.rows @ self.values
