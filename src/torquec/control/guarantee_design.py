"""Poles and law with the smallest proven tracking error, within noise, delay, sampling and torque limits.

(1)  laws: computed torque with its model at the measured state, at the reference, and with the robust term, each with
     two equal real poles -a per joint. The robust term has a slope of r/f = 2a within its layer; the layer is the
     smallest one that the sliding variable provably never leaves. Slotine and Li's law has no proven bound, and is
     not tried
(2)  cost: the largest position bound of all joints, infinite where nothing is proven (a drive saturates, the loop of
     some robot of the sets is unstable, bounds diverge)
(3)  one a for all joints: multiplied by `_STEP` while the cost falls, then refined about the best value
(4)  joint by joint, while the cost falls: the poles of the joint with the largest bound are made faster, those of the
     joint with the smallest torque margin slower

Faster poles amplify encoder noise and delays, and need more torque. The bound contains all of these effects, so that
its minimum is the compromise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from torquec.control.law_options import LawKind
from torquec.control.model_terms import Evaluation
from torquec.control.robust_computed_torque import RobustTerm
from torquec.control.tracked_loop import TrackedLoop
from torquec.control.tracking_guarantee import TrackingGuarantee
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.budget import Budget
from torquec.foundation.choice import chosen
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec_check.claim import rounded_up

_FIRST, _STEP = 20.0, 2.0
"""First rate a [1/s], the default of all laws, and the factor of (3)."""

_FINER, _LOCAL = (1.4, 1.0 / 1.4, 1.18, 1.0 / 1.18), 1.1
"""Factors on the best a of (3), one after the other, and on the poles of one joint (4)."""

_FASTEST = {LawKind.COMPUTED_TORQUE: 0.3, LawKind.ROBUST: 0.19}
"""Largest a times the sampling interval: above, the sampled loop is far from the continuous one, or chatters."""

_SLOPE = 2.0
"""Slope r/f of the robust term, as a multiple of a: the default of `robust_computed_torque`."""

_WIDE, _ROOM = 1e3, 1.02
"""Layer [rad/s or m/s] during the search, too wide to be left; final layer over the bound of the sliding variable."""

_AT = {
    Evaluation.MEASURED: (LawKind.COMPUTED_TORQUE, LawKind.ROBUST),
    Evaluation.REFERENCE: (LawKind.COMPUTED_TORQUE,),
}
"""Laws by the state at which they evaluate the model."""

_LOCAL_TRIES = 6
"""Largest number of steps of (4)."""


@dataclass(frozen=True)
class ProvenLaw:
    """A law that was tried: its `loop` and the guarantee of it; `cost` [rad or m] is (2)."""

    law: LawKind
    loop: TrackedLoop
    guarantee: TrackingGuarantee

    @property
    def cost(self) -> float:
        """The largest position bound; infinite without a guarantee."""
        bounds = [bound.position for bound in self.guarantee.joints]
        return max(bounds) if self.guarantee.valid else math.inf

    def to_document(self) -> dict[str, object]:
        """As JSON values: {law, evaluation, poles, bound, reason}; the bound is None where nothing is proven."""
        return {
            "law": self.law.value,
            "evaluation": str(self.loop.evaluation),
            "poles": np.atleast_1d(np.asarray(self.loop.poles, dtype=np.float64)).tolist(),
            "bound": self.cost if self.guarantee.valid else None,
            "reason": self.guarantee.reason,
        }


@dataclass(frozen=True)
class GuaranteeDesign:
    """The law with the smallest proven bound, and the best poles found of each law, in the order of (1)."""

    best: ProvenLaw
    laws: tuple[ProvenLaw, ...]
    tried: int

    def to_document(self) -> dict[str, object]:
        """As JSON values."""
        return {"law": self.best.law.value, "laws": [law.to_document() for law in self.laws], "tried": self.tried}


def design_for_guarantee(
    source: Robot | Model,
    loop: TrackedLoop,
    *,
    laws: Sequence[LawKind | str] | LawKind | str = (LawKind.COMPUTED_TORQUE, LawKind.ROBUST),
    seconds: float | None = None,
    work: Work | None = None,
) -> GuaranteeDesign:
    """The law and the poles with the smallest proven bound, (1) to (4).

    `loop` states motion, sampling, sets, friction compensation and torque limits; its poles are not used. After
    `seconds`, no further poles are tried. Raises `ArgumentError` without a period or sets, for other laws, and
    where no law has a guarantee, with the reason for the slowest poles.
    """
    kinds = [chosen(LawKind, law, "law") for law in ((laws,) if isinstance(laws, str) else laws)]
    if loop.period is None or loop.uncertainty is None:
        raise ArgumentError("a design for the guarantee needs a period and an uncertainty", remedy="give both")
    if others := [law for law in kinds if law not in (LawKind.COMPUTED_TORQUE, LawKind.ROBUST)]:
        raise ArgumentError(
            f"no tracking error of {others[0].value} is bounded",
            remedy=f"choose {LawKind.COMPUTED_TORQUE.value} or {LawKind.ROBUST.value}",
        )
    search = _Search(as_model(source), Budget.after(seconds), as_work(work))
    plain = replace(loop, sampled=False, robust=None)
    found: list[ProvenLaw] = []
    tries = [(law, evaluation) for law in kinds for evaluation in Evaluation if law in _AT[evaluation]]
    whole = Budget.after(seconds)
    for k, (law, evaluation) in enumerate(tries):
        search.time = whole.share_of_rest(1.0 / (len(tries) - k))
        found.append(search.best(law, replace(plain, evaluation=evaluation)))
    best = min(found, key=lambda each: each.cost)
    if math.isinf(best.cost):
        raise ArgumentError(
            f"no poles are found for which a tracking error is bounded: {best.guarantee.reason}",
            remedy="state smaller sets, move more slowly, or give the robot its rotor inertias and drives",
        )
    return GuaranteeDesign(best, tuple(found), search.tried)


@dataclass
class _Search:
    """The search of one robot: number of guarantees `tried`, the `last` of a law and the best so far, `leader`."""

    model: Model
    time: Budget
    work: Work
    tried: int = 0
    last: ProvenLaw = field(init=False)
    leader: ProvenLaw = field(init=False)

    def best(self, law: LawKind, loop: TrackedLoop) -> ProvenLaw:
        """The best poles of a law that are found."""
        with self.work.step(f"placing the poles of {law.value}, model at the {loop.evaluation} state") as step:
            best: ProvenLaw | None = None
            for rates in self._rates(law, loop):
                found = self._try(law, loop, rates)
                best = found if best is None or found.cost < best.cost else best
                self.last, self.leader = found, best
                bound = "no bound" if math.isinf(best.cost) else f"bound {1e3 * best.cost:.4g} mrad (mm)"
                step.show(self.tried, 0, f"{bound} with poles from {-rates.max():.4g} to {-rates.min():.4g} 1/s")
        assert best is not None
        return self._narrowed(best)

    def _rates(self, law: LawKind, loop: TrackedLoop) -> Iterator[Array]:
        """(3) and (4): rates a (n,) to try, which follow from the results."""
        ones = np.ones(self.model.robot.n)
        assert loop.period is not None
        fastest = _FASTEST[law] / loop.period
        rate = _FIRST
        yield rate * ones
        if math.isinf(self.last.cost):  # slower poles may need less torque
            yield rate / _STEP * ones
        while rate * _STEP <= fastest and not self.time.is_over:
            before, rate = self.leader.cost, rate * _STEP
            yield rate * ones
            if math.isfinite(before) and self.last.cost >= before:
                break
        if math.isinf(self.leader.cost):
            return
        for factor in _FINER:
            middle = float(np.max(-np.real(np.asarray(self.leader.loop.poles))))
            if middle * factor <= fastest and not self.time.is_over:
                yield factor * middle * ones
        for k in range(_LOCAL_TRIES):
            if self.time.is_over:
                return
            before, rates = self.leader.cost, -np.real(np.asarray(self.leader.loop.poles, dtype=complex))
            bounds = self.leader.guarantee.joints
            margins = [b.torque_margin / b.effort if math.isfinite(b.effort) else 1.0 for b in bounds]
            widest, tightest = int(np.argmax([b.position for b in bounds])), int(np.argmin(margins))
            changed = rates.copy()
            if k % 2 == 0:
                changed[widest] = min(changed[widest] * _LOCAL, fastest)
            elif tightest != widest:
                changed[tightest] /= _LOCAL
            if np.array_equal(changed, rates):
                continue
            yield changed
            if self.leader.cost >= before and k % 2:
                return

    def _try(self, law: LawKind, loop: TrackedLoop, rates: Array) -> ProvenLaw:
        self.tried += 1
        rounded = [float(f"{rate:.4g}") for rate in rates.tolist()]
        robust = None
        if law is LawKind.ROBUST:
            robust = RobustTerm(tuple(_SLOPE * rate * _WIDE for rate in rounded), _WIDE)
        placed = replace(loop, poles=tuple(-rate for rate in rounded), robust=robust)
        try:
            return ProvenLaw(law, placed, placed.guarantee(self.model))
        except ArgumentError as error:  # poles that are too fast for the sampling
            return ProvenLaw(law, placed, TrackingGuarantee(False, error.found))

    def _narrowed(self, found: ProvenLaw) -> ProvenLaw:
        """The law with the smallest layer that its sliding variables do not leave; the linear loop stays the same."""
        if found.loop.robust is None or not found.guarantee.valid:
            return found
        layer = tuple(float(rounded_up(_ROOM * bound.sliding, 4)) for bound in found.guarantee.joints)
        rates = [-pole.real for pole in np.asarray(found.loop.poles, dtype=complex)]
        amplitude = tuple(_SLOPE * float(rate) * width for rate, width in zip(rates, layer, strict=True))
        loop = replace(found.loop, robust=RobustTerm(amplitude, layer))
        return replace(found, loop=loop, guarantee=loop.guarantee(self.model))
