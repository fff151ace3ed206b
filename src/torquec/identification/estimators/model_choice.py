"""Model selection: rotors, prior and weights by cross-validation, friction by a penalized fit.

(1)  rotors: with reflected rotor inertias, or without; asked again after (3)
(2)  shape: how Coulomb friction reverses (`CoulombShape`), by (6) of all rows, those at standstill too
(3)  terms: load-dependent and concave viscous friction together, where they lower (6) of the moving rows by
     `_SMALL_GAIN` and the error of cross-validation by `_GAIN`. They are bounded beyond the speeds of the log and not
     negative: a joint without them gets none. Then one more term at a time, as long as one lowers (6) by `_LARGE_GAIN`:
     these extrapolate worse. With memory `_GAIN` is enough: programs, which have none, are fitted for themselves
(4)  strength of the prior and weighting of joints; a single motion is now cut into twice as many parts, because the
     right strength depends on how much there is to fit

(5)  what another motion may err by: parts of a single motion have neighbours that were fitted, in nearly the same
     states, and the shorter they are, the better these tell them. With quarters left out they tell less
(6)  Akaike's information criterion: mean over the n joints of log(|residual_j|/|tau_j|) + k/(m n), for k parameters
     and m independent samples. Cross-validation over parts of a few seconds compares how well inertias
     extrapolate from less data; the friction of a joint shows in every second of its motion

Each step keeps the best of what was chosen before. Of the strengths that predict within `_SLACK` of the best, the
strongest is taken: where the log cannot tell, the prior knows more than noise.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from torquec.dynamics.friction import TERMS
from torquec.foundation.arrays import Array
from torquec.foundation.work import Work, as_work
from torquec.identification.estimators.cross_validation import PARTS, LogFolds, validation_error
from torquec.identification.estimators.estimator import Estimator, Weighting
from torquec.identification.estimators.joint_factors import JointFactors
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
_GAIN = 0.03  # of cross-validation: smaller gains of one log are luck
_SMALL_GAIN = 0.01  # of (6), beyond its own penalty
_LARGE_GAIN = 0.15  # measured: Stribeck, powers and directions that gained less predicted other motions worse
_EXACT = 1e-4  # of the torque: a smaller residual is rounding of an exact log, and tells nothing
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
    model = trial.better("comparing rotors", freedom.models, tried)
    if freedom.friction:
        model = _chosen_friction(trial, model, tried, memory=freedom.memory)
        # Rotors again: what friction has taken over may have been theirs.
        both = [other.with_friction(model.friction) for other in freedom.models]
        model = trial.better("comparing rotors again", both, tried)
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
    error = errors[chosen, max(alike)]
    if any(log.standstill is not None for log in folds.logs):
        # What is expected of a new motion: all of its rows, those at standstill too.
        every = folds.with_standstill.folds([model], 2 * PARTS)[0].pairs()
        judged = [(kept, left_out) for (kept, _), (_, left_out) in zip(pairs, every, strict=True)]
        error = validation_error(judged, partial(make, model, Setting(max(alike), chosen, correlation)))
    return Choice(model, max(alike), chosen, error, min(alike), far)


@dataclass(frozen=True, eq=False)
class _Trial:
    """The errors of models; those that are compared with each other take one pass over the logs."""

    folds: LogFolds
    make: Make
    work: Work

    def criteria(
        self, name: str, models: Sequence[TorqueModel], setting: Setting, *, moving: bool = False
    ) -> list[float]:
        """(6) of each model, fitted to the rows that count; residuals of these rows with `moving`, else of all."""
        with self.work.step(name):
            fitted = [folds.whole for folds in self.folds.folds(models, 1)]
            judged = fitted if moving else [folds.whole for folds in self.folds.with_standstill.folds(models, 1)]
            return [
                _criterion(self.make(model, setting).fit_factors(own).x_, whole, setting)
                for model, own, whole in zip(models, fitted, judged, strict=True)
            ]

    def richer(
        self, model: TorqueModel, laws: Sequence[FrictionLaw], setting: Setting, *, most: float
    ) -> tuple[TorqueModel, float] | None:
        """The model with the law of least (6) of the moving rows and that value; None if all exceed `most`."""
        models = [model.with_friction(law) for law in laws]
        values = self.criteria("comparing terms of friction", models, setting, moving=True) if laws else [np.inf]
        best = int(np.argmin(values))
        return (models[best], values[best]) if values[best] < most else None

    def error(self, model: TorqueModel, setting: Setting) -> float:
        """The error of cross-validation."""
        return validation_error(self.folds.folds([model], PARTS)[0].pairs(), partial(self.make, model, setting))

    def better(self, name: str, models: Sequence[TorqueModel], setting: Setting) -> TorqueModel:
        """The model with the least (6) of the moving rows."""
        if len(models) == 1:
            return models[0]
        values = self.criteria(name, models, setting, moving=True)
        return models[int(np.argmin(values))]


def _chosen_friction(trial: _Trial, model: TorqueModel, setting: Setting, *, memory: bool) -> TorqueModel:
    """(2), (3): the model with the law of friction that the logs support."""
    shapes = [shape for shape in SHAPES if memory or shape.turnover is not Turnover.DISTANCE]
    laws = [dataclasses.replace(model.friction, shape=shape) for shape in shapes]
    values = trial.criteria("comparing turnovers of friction", [model.with_friction(law) for law in laws], setting)
    model = model.with_friction(laws[int(np.argmin(values))])
    plain = trial.criteria("comparing terms of friction", [model], setting, moving=True)[0]
    bounded = scaled_laws(model.friction, model.friction.with_term("load").with_term("concave"))
    found = trial.richer(model, bounded, setting, most=plain - _SMALL_GAIN)
    if found is not None and trial.error(found[0], setting) > (1.0 - _GAIN) * trial.error(model, setting):
        found = None
    model, least = found or (model, plain)
    hurdle = _GAIN if model.friction.has_memory else _LARGE_GAIN
    while True:
        laws = [law for more in model.friction.richer.values() for law in scaled_laws(model.friction, more)]
        found = trial.richer(model, laws, setting, most=least + np.log1p(-hurdle))
        if found is None:
            return model
        model, least = found


def scaled_laws(law: FrictionLaw, richer: FrictionLaw) -> list[FrictionLaw]:
    """A law with more terms than another, with every value of their scales that is worth a try."""
    new = [term for name, term in TERMS.items() if richer.has(name) and not law.has(name)]
    scales = {word: tried for term in new for word, tried in term.scales.items()}
    choices = itertools.product(*(sorted(tried) for tried in scales.values()))
    return [dataclasses.replace(richer, scales={**law.scales, **dict(zip(scales, c, strict=True))}) for c in choices]


def _criterion(x: Array, factors: JointFactors, setting: Setting) -> float:
    """(6)."""
    share = factors.squares(x) / np.maximum(factors.torque_squares, np.finfo(float).tiny) + _EXACT**2
    independent = max(float(factors.row_counts.mean()) / setting.correlation, 2.0)
    return float(0.5 * np.log(share).mean() + len(x) / (independent * factors.n))
