"""The verdict on an estimate: whether its torques can be trusted on another motion, and why.

(1)  the expected error itself: a model that leaves a fifth of the torques unexplained is not useful
(2)  validation logs. The covariance C of the parameters explains an error u on them,
     u^2 = sum tr(A C A') / |tau|^2. An error far above sqrt(training^2 + u^2) means another robot, tool or payload. An
     error that u explains, but that is far above the expected error, means overfitting
(3)  a log that hardly moves is predicted well by gravity alone: it is no evidence
(4)  u of (2) over states drawn from the whole range of the logs: where it is large, the logs excite too little for
     other motions in that range. Significant but poorly known parameters are named, although torques may be predicted
     well even if some parameters are not
(5)  a joint whose expected error is more than half of the variation of its torque is not predicted
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

_POOR = 0.5
"""Relative deviation from which a parameter is poorly known: little more than its sign is certain."""
_OVERFIT = 2.0
"""Ratio of the error on other data to that on the fitted data: above it, the model is overfitted."""
_NEGLIGIBLE = 5e-3
"""Errors below this share of the torques are negligible, whatever their ratio."""


_INACCURATE = 0.2
"""Share of the torques (1): a feedforward that leaves more than a fifth to the feedback hardly helps."""
_UNEXPLAINED = 3.0
"""Factor on the error that fit and uncertainty explain (2): beyond it, the robot or payload differs."""
_UNKNOWN = 0.1
"""Share of the torques (4): half the limit of an inaccurate estimate, for the uncertainty of the parameters alone."""
_NOT_PREDICTED = 0.5  # of the variation of a joint's torque (5)
_HARDLY = 0.1
"""Torque variation relative to that of the fitted logs (3): a log with less is no evidence."""


class Trust(StrEnum):
    """How far the torques of an estimate can be trusted; the later in this list, the less."""

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
        """Whether there is no reason for doubt."""
        return self.trust is Trust.TRUSTED

    def __str__(self) -> str:
        return f"{self.trust}: {'; '.join(self.reasons)}"


@dataclass(frozen=True)
class Parameter:
    """One identified parameter: value, standard deviation, whether it is significant and identifiable by any motion."""

    name: str
    value: float
    std: float
    significant: bool
    separable: bool = True

    @property
    def is_poor(self) -> bool:
        """Whether it is significant and poorly known, although some motion would identify it."""
        return self.significant and self.separable and self.std > _POOR * abs(self.value)


@dataclass(frozen=True)
class PredictedLog:
    """A log that was not fitted: its name, its error |tau - predicted|/|tau|, and u of (2), if known.

    `variation` is the share of its torques that varies, relative to that of the fitted logs (3).
    """

    name: str
    error: float
    uncertainty: float | None = None
    variation: float = 1.0

    def is_foreign(self, training: float) -> bool:
        """Whether neither the error of the fit nor the uncertainty of the parameters explains its error (2)."""
        return self.uncertainty is not None and self.error > _UNEXPLAINED * math.hypot(training, self.uncertainty)


@dataclass(frozen=True)
class Expected:
    """The error to expect of one joint on another motion: root mean square [N m, N], and relative to its variation."""

    rms: float
    relative: float


@dataclass(frozen=True)
class Promise:
    """Expected error of an estimate on another motion: |e|/|tau| over all joints, and the error of each joint.

    `fastest` is the largest speed in the logs, as a text with its unit, `range_uncertainty` u of (4).
    """

    error: float
    joints: dict[str, Expected]
    fastest: str
    range_uncertainty: float = 0.0

    @property
    def not_predicted(self) -> tuple[str, ...]:
        """The joints of (5)."""
        return tuple(name for name, joint in self.joints.items() if joint.relative > _NOT_PREDICTED)

    def __str__(self) -> str:
        text = f"computed torque up to {self.fastest}, with an error of {self.error:.2%} on another motion"
        lost = [f"{name} ({self.joints[name].relative:.0%} of its variation)" for name in self.not_predicted]
        return f"{text}; not predicted: {', '.join(lost)}" if lost else text


def judge(
    parameters: Sequence[Parameter],
    *,
    training: float,
    promise: Promise,
    predicted: Sequence[PredictedLog] = (),
    problem: str = "",
) -> Verdict:
    """The verdict (1)-(5) from parameters, the error of the fit (`training`) and the expected error on another motion.

    `predicted` are the logs that were not fitted; a `problem` of the fit itself comes before everything else.

    >>> str(judge([Parameter("a", 2.0, 0.1, True)], training=0.01, promise=Promise(0.012, {}, "1.5 rad/s")))
    'trusted: computed torque up to 1.5 rad/s, with an error of 1.20% on another motion'
    """
    if problem:
        rest = judge(parameters, training=training, promise=promise, predicted=predicted)
        return Verdict(Trust.DOUBTFUL, (problem, f"apart from that {rest}"))
    poor = ", ".join(parameter.name for parameter in parameters if parameter.is_poor)
    also_poor = [f"known to no better than {_POOR:.0%}: {poor}"] if poor else []
    still = [f"{log.name} hardly moves, and contains only gravity" for log in predicted if log.variation < _HARDLY]
    if max(training, promise.error) > _INACCURATE:
        share = f"the error is {training:.2%} of the torques on what was fitted, {promise.error:.2%} on other motions"
        return Verdict(Trust.INACCURATE, (share, *also_poor, *still))
    most = max(_OVERFIT * training, _OVERFIT * promise.error, _NEGLIGIBLE)
    foreign = [log for log in predicted if log.error > most and log.is_foreign(training)]
    if foreign:
        logs = ", ".join(f"{log.name} ({log.error:.2%}, explained {log.uncertainty:.2%})" for log in foreign)
        reason = f"no uncertainty of the parameters explains the error on {logs}: another robot, tool or payload"
        return Verdict(Trust.OTHER_ROBOT, (reason, *also_poor, *still))
    worse = [log for log in predicted if log.error > most]
    if worse:
        worst = max(worse, key=lambda log: log.error)
        reason = f"{promise.error:.2%} were expected of another motion, {worst.name} errs by {worst.error:.2%}"
        return Verdict(Trust.OVERFIT, (reason, *also_poor, *still))
    if promise.range_uncertainty > _UNKNOWN:
        lost = f"the uncertainty of the parameters causes {promise.range_uncertainty:.0%} of the torques elsewhere in"
        return Verdict(Trust.POORLY_EXCITED, (f"{lost} the range of the logs", *also_poor, *still))
    return Verdict(Trust.TRUSTED, (str(promise), *also_poor, *still))
