"""Model selection by cross-validation: rotors, friction law, prior strength, weights; equally good settings averaged.

(1)  rotors: with reflected rotor inertias, or without, by (6); decided again after (3)
(2)  law of friction: every shape of reversals (`CoulombShape`), with load-dependent friction, concave viscous friction,
     both or neither. The load is the rigid-body torque of a fit without such terms, not that of the file's inertias,
     because the final model uses its own inertias. Of the laws whose error is within one standard error (5) of the
     least, the simplest is taken: fewest terms, then a step at reversals, then the least error. Joints without
     load-dependent or concave friction get zero for it: these coefficients are not negative
(3)  one more term at a time (Stribeck, powers of the speed, directions) as long as one lowers (6) by `_LARGE_GAIN`:
     the threshold is high because these terms extrapolate worse
(4)  strength of the prior and weighting of joints: all settings whose error is within two standard errors of the least
     are averaged (`averaged`), because the logs do not discriminate between them; physically consistent bodies and
     dissipative friction are convex sets, so that averages stay in them
(5)  standard error of a difference: from the squared residuals of held-out parts, compared part by part. Every log is
     cut into `PARTS` parts
(6)  Akaike's information criterion: mean over the n joints of log(|residual_j|/|tau_j|) + k/(m n), for k parameters
     and m independent samples

Friction with memory is compared separately by (2), with all rows, because it also predicts the torque at standstill. It
is chosen where it lowers the error over all rows by `_GAIN`, because programs need a state for it, and where it also
lowers the error on `FAR_PARTS`, which are longer.
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
from torquec.identification.estimators.cross_validation import Folds, LogFolds, fold_squares, relative_error
from torquec.identification.estimators.estimator import Estimator, Weighting
from torquec.identification.estimators.held_out import FAR_PARTS
from torquec.identification.estimators.joint_factors import JointFactors
from torquec.identification.torque.friction_law import STEP, CoulombShape, FrictionLaw, Turnover
from torquec.identification.torque.torque_model import TorqueModel

STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_TRIED = 10.0
"""Prior strength at which models are compared."""
PARTS = 10
"""Folds of a single motion: many, because the right strength depends on the amount of data in a fit."""
SHAPES = (STEP, *(CoulombShape(Turnover.SPEED, width) for width in (0.03, 0.1)))
WITH_MEMORY = tuple(CoulombShape(Turnover.DISTANCE, width) for width in (3e-5, 1e-4, 3e-4, 1e-3, 3e-3))
_BOUNDED = ("load", "concave")
"""Terms that stay bounded beyond the speeds of a log (2)."""
_GAIN = 0.03  # relative gain in cross-validation: smaller gains on one log are not significant
_LARGE_GAIN = 0.15  # measured: Stribeck, powers and directions that gained less predicted other motions worse
_EXACT = 1e-4  # relative to the torque: a smaller residual is rounding of a noise-free log, without information
_LAWS, _SETTINGS = 1.0, 2.0  # standard errors of (2) and (4)


@dataclass(frozen=True)
class Setting:
    """Settings of an estimator: strength of the prior, weighting of joints, correlation of samples."""

    strength: float
    weighting: Weighting
    correlation: float


Make = Callable[[TorqueModel, Sequence[Setting]], Estimator]
"""The estimator of a model, averaged over settings (4)."""


@dataclass(frozen=True)
class Choice:
    """The chosen model and settings, with their cross-validation error; `settings` are averaged (4)."""

    model: TorqueModel
    settings: tuple[Setting, ...]
    error: float

    @property
    def strength(self) -> float:
        """The geometric mean of the strengths, zero without a prior."""
        strengths = [setting.strength for setting in self.settings]
        return float(np.exp(np.mean(np.log(strengths)))) if min(strengths) > 0.0 else min(strengths)

    def with_correlation(self, correlation: float) -> tuple[Setting, ...]:
        """The settings for another number of samples per independent sample."""
        return tuple(dataclasses.replace(setting, correlation=correlation) for setting in self.settings)


@dataclass(frozen=True)
class Freedom:
    """Search space: friction laws, rotors (`models` in the order of preference), strengths, weightings.

    Without `memory`, friction is a function of the state, without presliding displacement.
    """

    models: tuple[TorqueModel, ...]
    friction: bool
    strengths: tuple[float, ...]
    weightings: tuple[Weighting, ...]
    memory: bool = False


def choose_model(folds: LogFolds, freedom: Freedom, make: Make, *, work: Work | None = None) -> Choice:
    """The model and the settings with the smallest cross-validation error, (1)-(4)."""
    work = as_work(work)
    correlation = folds.correlation
    settings = [Setting(s, w, correlation) for w, s in itertools.product(freedom.weightings, freedom.strengths)]
    tried = next((one for one in settings if one.strength == _TRIED), settings[0])
    trial = _Trial(folds, make, tried, work)
    models = trial.with_fitted_load(freedom.models)
    model = trial.better("comparing rotors", models)
    if freedom.friction:
        model = _chosen_friction(trial, model, memory=freedom.memory)
        # Decide on rotors again: friction terms may have absorbed part of their torque.
        both = [other.with_friction(model.friction) for other in models]
        model = trial.better("comparing rotors again", both)
    with work.step("comparing weights and priors", whole=len(settings) + 1.0) as step:
        pairs = folds.folds([model], PARTS, meter=lambda done, whole, _="": step.show(done / whole))[0].pairs()
        errors = []
        for k, setting in enumerate(settings):
            errors.append(fold_squares(pairs, partial(make, model, [setting])))
            step.show(k + 2.0)
    kept = tuple(settings[k] for k in not_told_apart(errors, _SETTINGS))
    # The error on a new motion counts all rows, those at standstill too.
    every = folds.with_standstill.folds([model], PARTS)[0].pairs()
    judged = [(kept_part, left_out) for (kept_part, _), (_, left_out) in zip(pairs, every, strict=True)]
    return Choice(model, kept, relative_error(judged, fold_squares(judged, partial(make, model, kept))))


def not_told_apart(errors: Sequence[Array], deviations: float) -> list[int]:
    """Indices of the errors (P,) per part that exceed the least by at most `deviations` standard errors (5).

    >>> not_told_apart([np.array([1.0, 1.0]), np.array([0.9, 1.2]), np.array([2.0, 2.1])], 1.0)
    [0, 1]
    """
    best = errors[int(np.argmin([error.sum() for error in errors]))]
    found = []
    for k, error in enumerate(errors):
        more = error - best
        spread = float(np.std(more, ddof=1)) * np.sqrt(len(more)) if len(more) > 1 else 0.0
        if more.sum() <= deviations * spread:
            found.append(k)
    return found


@dataclass(frozen=True, eq=False)
class _Trial:
    """The errors of models at one setting; models that are compared with each other share one pass over the logs."""

    folds: LogFolds
    make: Make
    setting: Setting
    work: Work

    def criteria(self, name: str, models: Sequence[TorqueModel]) -> list[float]:
        """(6) of each model."""
        with self.work.step(name):
            wholes = [folds.whole for folds in self.folds.folds(models, 1)]
            return [
                _criterion(self.make(model, [self.setting]).fit_factors(own).x_, own, self.setting)
                for model, own in zip(models, wholes, strict=True)
            ]

    def with_fitted_load(self, models: Sequence[TorqueModel]) -> list[TorqueModel]:
        """The models with load-dependent friction based on the rigid-body torques that each fits without it."""
        found = []
        for model, folds in zip(models, self.folds.folds(models, 1), strict=True):
            x = self.make(model, [self.setting]).fit_factors(folds.whole).x_
            found.append(model.with_load_of(x[: len(model.base)]))
        return found

    def better(self, name: str, models: Sequence[TorqueModel]) -> TorqueModel:
        """The model with the least (6)."""
        return models[0] if len(models) == 1 else models[int(np.argmin(self.criteria(name, models)))]

    def plainest(self, name: str, model: TorqueModel, shapes: Sequence[CoulombShape]) -> TorqueModel:
        """The model with the law of (2)."""
        laws: list[FrictionLaw] = []
        errors: list[Array] = []
        with self.work.step(name, whole=float(len(shapes))) as step:
            for done, shape in enumerate(shapes, 1):
                for law, folds in self._parts_of(model, dataclasses.replace(model.friction, shape=shape)):
                    laws.append(law)
                    make = partial(self.make, model.with_friction(law), [self.setting])
                    errors.append(fold_squares(folds.pairs(), make))
                step.show(done)
        alike = not_told_apart(errors, _LAWS)
        found = min(alike, key=lambda k: (len(laws[k].parameters), laws[k].shape != STEP, errors[k].sum()))
        return model.with_friction(laws[found])

    def _parts_of(self, model: TorqueModel, plain: FrictionLaw) -> list[tuple[FrictionLaw, Folds]]:
        """Folds of the law with none, one or both of `_BOUNDED` at every scale, from one pass for the richest laws."""
        full = plain
        for term in _BOUNDED:
            full = full.with_term(term)
        richest = scaled_laws(plain, full)
        made = self.folds.folds([model.with_friction(law) for law in richest], PARTS)
        found: dict[str, tuple[FrictionLaw, Folds]] = {}
        for law, folds in zip(richest, made, strict=True):
            names = model.with_friction(law).names
            for left_out in ((), *((term,) for term in _BOUNDED), _BOUNDED):
                kept = tuple(name for name in law.parameters if name not in left_out or name in plain.parameters)
                scales = {word: law.scales[word] for word in law.scales if not _is_scale_of(word, left_out)}
                less = dataclasses.replace(law, parameters=kept, scales=scales)
                columns = [names.index(name) for name in model.with_friction(less).names]
                found.setdefault(f"{less} {scales}", (less, folds.of_columns(columns)))
        return list(found.values())


def _is_scale_of(word: str, terms: Sequence[str]) -> bool:
    return any(word in TERMS[term].scales for term in terms)


def _chosen_friction(trial: _Trial, model: TorqueModel, *, memory: bool) -> TorqueModel:
    """(2), (3): the model with the law of friction that the logs support."""
    found = trial.plainest("comparing laws of friction", model, SHAPES)
    if memory:
        bent = [model.with_friction(dataclasses.replace(model.friction, shape=shape)) for shape in WITH_MEMORY]
        shape = trial.better("comparing turnovers of friction", bent).friction.shape
        remembering = trial.plainest("comparing laws of friction with memory", model, (shape,))
        found = _with_memory_or_not(trial, found, remembering)
    least = trial.criteria("comparing terms of friction", [found])[0]
    while True:
        laws = [law for more in found.friction.richer.values() for law in scaled_laws(found.friction, more)]
        models = [found.with_friction(law) for law in laws]
        values = trial.criteria("comparing terms of friction", models) if models else [np.inf]
        best = int(np.argmin(values))
        if not values[best] < least + np.log1p(-_LARGE_GAIN):
            return found
        found, least = models[best], values[best]


def _with_memory_or_not(trial: _Trial, plain: TorqueModel, bent: TorqueModel) -> TorqueModel:
    """The model with memory, where that lowers the error over all rows, and on longer held-out parts, too."""
    for parts, gain in ((PARTS, _GAIN), (FAR_PARTS, 0.0)):
        errors = []
        for model in (plain, bent):
            both = (folds.folds([model], parts)[0].pairs() for folds in (trial.folds, trial.folds.with_standstill))
            pairs = [(kept, left_out) for (kept, _), (_, left_out) in zip(*both, strict=True)]
            errors.append(fold_squares(pairs, partial(trial.make, model, [trial.setting])))
        if not errors[1].sum() < (1.0 - gain) ** 2 * errors[0].sum():
            return plain
    return bent


def scaled_laws(law: FrictionLaw, richer: FrictionLaw) -> list[FrictionLaw]:
    """The `richer` law with every candidate value of the scales of its additional terms."""
    new = [term for name, term in TERMS.items() if richer.has(name) and not law.has(name)]
    scales = {word: tried for term in new for word, tried in term.scales.items()}
    choices = itertools.product(*(sorted(tried) for tried in scales.values()))
    return [dataclasses.replace(richer, scales={**law.scales, **dict(zip(scales, c, strict=True))}) for c in choices]


def _criterion(x: Array, factors: JointFactors, setting: Setting) -> float:
    """(6)."""
    share = factors.squares(x) / np.maximum(factors.torque_squares, np.finfo(float).tiny) + _EXACT**2
    independent = max(float(factors.row_counts.mean()) / setting.correlation, 2.0)
    return float(0.5 * np.log(share).mean() + len(x) / (independent * factors.n))
