"""The verdict on an estimate: whether to trust it, and why.

(1)  the error itself: a model that leaves a fifth of the torques unexplained is no model
(2)  logs that were not fitted. The covariance C of the parameters explains an error u on them,
     u^2 = sum tr(A C A') / |tau|^2. What exceeds sqrt(training^2 + u^2) by far was not made by this robot: another one,
     another tool or payload. What does not, is overfit
(3)  a log that hardly moves is predicted well by gravity alone: it speaks for nothing
(4)  parameters that matter, and are hardly known
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

_POOR = 0.5
"""A parameter whose deviation is half its value says little more than its sign."""
_OVERFIT = 2.0
"""An error on other data that is more than twice that on the fitted data was fitted, not learned."""
_NEGLIGIBLE = 5e-3
"""Errors below this share of the torques are as good as none, whatever their ratio."""


_INACCURATE = 0.2
"""Of the torques (1): a feedforward that leaves more than a fifth to the feedback hardly helps."""
_UNEXPLAINED = 3.0
"""Times what fit and uncertainty explain (2): beyond it something differs that the model does not have."""
_HARDLY = 0.1
"""Of how much torques vary in the logs that were fitted (3): a log that varies less says little about a model."""


class Trust(StrEnum):
    """How far an estimate can be trusted; the later in this list, the less."""

    TRUSTED = "trusted"
    POORLY_EXCITED = "poorly excited"
    OVERFIT = "overfit"
    OTHER_ROBOT = "another robot"
    INACCURATE = "inaccurate"
    DOUBTFUL = "doubtful"


@dataclass(frozen=True)
class Verdict:
    """How far an estimate can be trusted, and the reasons, the weightiest first."""

    trust: Trust
    reasons: tuple[str, ...]

    @property
    def is_trusted(self) -> bool:
        """Whether nothing speaks against it."""
        return self.trust is Trust.TRUSTED

    def __str__(self) -> str:
        return f"{self.trust}: {'; '.join(self.reasons)}"


@dataclass(frozen=True)
class Parameter:
    """One identified parameter: value, standard deviation, whether it matters, whether some motion can tell it."""

    name: str
    value: float
    std: float
    significant: bool
    separable: bool = True

    @property
    def is_poor(self) -> bool:
        """Whether it matters and is hardly known, although some motion would tell it."""
        return self.significant and self.separable and self.std > _POOR * abs(self.value)


@dataclass(frozen=True)
class PredictedLog:
    """A log that was not fitted: its name, its error |tau - predicted|/|tau|, and u of (2), if known.

    `variation` is the share of its torques that varies, over that of the fitted logs (3).
    """

    name: str
    error: float
    uncertainty: float | None = None
    variation: float = 1.0

    def is_foreign(self, training: float) -> bool:
        """Whether neither the error of the fit nor the uncertainty of the parameters explains its error (2)."""
        return self.uncertainty is not None and self.error > _UNEXPLAINED * math.hypot(training, self.uncertainty)


def judge(
    parameters: Sequence[Parameter],
    *,
    training: float,
    validation: float,
    predicted: Sequence[PredictedLog] = (),
    problem: str = "",
) -> Verdict:
    """The verdict (1)-(4) from parameters, the errors of the fit (`training`) and of cross-validation (`validation`).

    `predicted` are the logs that were not fitted; a `problem` of the fit itself comes before everything else.

    >>> str(judge([Parameter("a", 2.0, 0.1, True)], training=0.01, validation=0.012))
    'trusted: 1 of 1 parameters matter, all of them known to better than 50%'
    """
    if problem:
        rest = judge(parameters, training=training, validation=validation, predicted=predicted)
        return Verdict(Trust.DOUBTFUL, (problem, f"apart from that {rest}"))
    poor = ", ".join(parameter.name for parameter in parameters if parameter.is_poor)
    also_poor = [f"poorly excited: {poor}"] if poor else []
    still = [f"{log.name} hardly moves, and tells nothing but gravity" for log in predicted if log.variation < _HARDLY]
    if max(training, validation) > _INACCURATE:
        share = f"the error is {training:.2%} of the torques on what was fitted, {validation:.2%} on what was left out"
        return Verdict(Trust.INACCURATE, (share, *also_poor, *still))
    most = max(_OVERFIT * training, _NEGLIGIBLE)
    foreign = [log for log in predicted if log.error > most and log.is_foreign(training)]
    if foreign:
        logs = ", ".join(f"{log.name} ({log.error:.2%}, explained {log.uncertainty:.2%})" for log in foreign)
        reason = f"no uncertainty of the parameters explains the error on {logs}: another robot, tool or payload"
        return Verdict(Trust.OTHER_ROBOT, (reason, *also_poor, *still))
    errors = [(validation, "what was left out"), *((log.error, log.name) for log in predicted)]
    worst, where = max(errors)
    if worst > most:
        reason = f"the error is {training:.2%} on what was fitted and {worst:.2%} on {where}"
        return Verdict(Trust.OVERFIT, (reason, *also_poor, *still))
    if poor:
        known = (f"{poor} (known to no better than {_POOR:.0%})", "the others are trusted")
        return Verdict(Trust.POORLY_EXCITED, (*known, *still))
    count = sum(parameter.significant for parameter in parameters)
    all_known = f"{count} of {len(parameters)} parameters matter, all of them known to better than {_POOR:.0%}"
    return Verdict(Trust.TRUSTED, (all_known, *still))
