"""Which model and which settings a log supports, by cross-validation alone.

(1)  rotors: with reflected rotor inertias, or without; asked again after (3)
(2)  shape: how Coulomb friction reverses (`CoulombShape`)
(3)  terms: one more term of friction at a time, as long as one helps
(4)  strength of the prior and weighting of joints; a single motion is now cut into twice as many parts, because the
     right strength depends on how much there is to fit

(5)  what another motion may err by: parts of a single motion have neighbours that were fitted, in nearly the same
     states, and the shorter they are, the better these tell them. With quarters left out they tell less

Each step keeps the best of what was chosen before. What is richer must predict better by `_GAIN`; of the strengths that
predict within `_SLACK` of the best, the strongest is taken: where the log cannot tell, the prior knows more than noise.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from torquec.dynamics.friction import TERMS
from torquec.foundation.work import Work, as_work
from torquec.identification.estimators.cross_validation import PARTS, LogFolds, validation_error
from torquec.identification.estimators.estimator import Estimator, Weighting
from torquec.identification.torque.friction_law import STEP, CoulombShape, FrictionLaw, Turnover
from torquec.identification.torque.torque_model import TorqueModel

STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_TRIED = 30.0
"""The strength at which models are compared: the middle of `STRENGTHS`."""
SHAPES = (
    STEP,
    *(CoulombShape(Turnover.SPEED, width) for width in (0.03, 0.1)),
    *(CoulombShape(Turnover.DISTANCE, width) for width in (3e-5, 1e-4, 3e-4, 1e-3, 3e-3)),
)
_FAR_PARTS = 4  # of (5); with fewer, what is left does not determine the parameters of short logs
_GAIN = 0.03  # smaller gains of one log are luck
_SLACK = 0.03  # the same for strengths


@dataclass(frozen=True)
class Setting:
    """What an estimator is given: strength of the prior, weighting of joints, correlation of samples."""

    strength: float
    weighting: Weighting
    correlation: float


Make = Callable[[TorqueModel, Setting], Estimator]


@dataclass(frozen=True)
class Choice:
    """What was chosen, and the error of cross-validation that speaks for it.

    `weakest` is the weakest prior that predicts as well, up to `_SLACK`: the logs cannot tell it from the chosen one.
    `far_error` is that with quarters of a single motion left out (5), None where motions are left out.
    """

    model: TorqueModel
    strength: float
    weighting: Weighting
    error: float
    weakest: float
    far_error: float | None


@dataclass(frozen=True)
class Freedom:
    """What is open: laws of friction, rotors (`models` in the order of preference), strengths, weightings.

    Without `memory`, friction is a function of the state: it does not turn over a distance.
    """

    models: tuple[TorqueModel, ...]
    friction: bool
    strengths: tuple[float, ...]
    weightings: tuple[Weighting, ...]
    memory: bool = True


def choose_model(folds: LogFolds, freedom: Freedom, make: Make, *, work: Work | None = None) -> Choice:
    """The model and the settings that predict best what they were not fitted to, (1)-(4)."""
    work = as_work(work)
    trial = _Trial(folds, make, work)
    first = freedom.weightings[0]
    correlation = folds.correlation
    tried = Setting(_TRIED if _TRIED in freedom.strengths else freedom.strengths[0], first, correlation)
    best = trial.best("comparing rotors", freedom.models, tried, gain=0.0) or (freedom.models[0], np.inf)
    if freedom.friction:
        shapes = [shape for shape in SHAPES if freedom.memory or shape.turnover is not Turnover.DISTANCE]
        laws = [dataclasses.replace(best[0].friction, shape=shape) for shape in shapes]
        found = trial.best(
            "comparing turnovers of friction", [best[0].with_friction(law) for law in laws], tried, gain=0.0
        )
        while found is not None:
            best = found
            richer = [best[0].with_friction(law) for law in richer_laws(best[0].friction)]
            found = trial.best("comparing terms of friction", richer, tried, gain=0.0, most=best[1] * (1.0 - _GAIN))
    # Rotors again: what friction has taken over may have been theirs.
    others = [model.with_friction(best[0].friction) for model in freedom.models if model.robot != best[0].robot]
    model, _ = trial.best("comparing rotors again", others, tried, most=best[1] * (1.0 - _GAIN)) or best
    settings = list(itertools.product(freedom.weightings, freedom.strengths))
    errors = {}
    with work.step("comparing weights and priors", whole=len(settings) + 1.0) as step:
        pairs = folds.folds([model], 2 * PARTS, meter=lambda done, whole, _="": step.show(done / whole))[0].pairs()
        for k, (weighting, strength) in enumerate(settings):
            setting = Setting(strength, weighting, correlation)
            errors[weighting, strength] = validation_error(pairs, partial(make, model, setting))
            step.show(k + 2.0)
    least = {w: min(errors[w, s] for s in freedom.strengths) for w in freedom.weightings}
    chosen = min(freedom.weightings, key=lambda w: least[w] * (1.0 if w is first else 1.0 + _GAIN))
    alike = [s for s in freedom.strengths if errors[chosen, s] <= (1.0 + _SLACK) * least[chosen]]
    far = None
    if len(folds.motions) == 1:
        setting = Setting(max(alike), chosen, correlation)
        far = validation_error(folds.folds([model], _FAR_PARTS)[0].pairs(), partial(make, model, setting))
    return Choice(model, max(alike), chosen, errors[chosen, max(alike)], min(alike), far)


@dataclass(frozen=True, eq=False)
class _Trial:
    """The errors of models; those that are compared with each other take one pass over the logs."""

    folds: LogFolds
    make: Make
    work: Work

    def best(
        self, name: str, models: Sequence[TorqueModel], setting: Setting, *, gain: float = _GAIN, most: float = np.inf
    ) -> tuple[TorqueModel, float] | None:
        """The model with the least error, None if all exceed `most`; a later one must be better by `gain`."""
        chosen: tuple[TorqueModel, float] | None = None
        if not models:
            return None
        with self.work.step(name, whole=2.0) as step:
            # The pass over the logs is one half of it, the fits are the other.
            made = self.folds.folds(models, PARTS, meter=lambda done, whole, _="": step.show(done / whole))
            for k, (model, folds) in enumerate(zip(models, made, strict=True)):
                bar = most if chosen is None else chosen[1] * (1.0 - gain)
                error = validation_error(folds.pairs(), partial(self.make, model, setting), most=bar)
                if error < bar:
                    chosen = (model, error)
                step.show(1.0 + (k + 1.0) / len(models))
        return chosen


def richer_laws(law: FrictionLaw) -> list[FrictionLaw]:
    """(3): the laws with one more term, and with every value of its scales that is worth a try."""
    made: list[FrictionLaw] = []
    for term, more in law.richer.items():
        scales = TERMS[term].scales if term in TERMS else {}
        choices = itertools.product(*(sorted(tried) for tried in scales.values()))
        made += [dataclasses.replace(more, scales={**law.scales, **dict(zip(scales, c, strict=True))}) for c in choices]
    return made
