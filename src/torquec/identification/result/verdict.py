"""The verdict on an estimate: whether to trust it, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

_POOR = 0.5
"""A parameter whose deviation is half its value says little more than its sign."""
_OVERFIT = 2.0
"""An error on other data that is more than twice that on the fitted data was fitted, not learned."""
_NEGLIGIBLE = 5e-3
"""Errors below this share of the torques are as good as none, whatever their ratio."""


class Trust(StrEnum):
    """How far an estimate can be trusted."""

    TRUSTED = "trusted"
    POORLY_EXCITED = "poorly excited"
    OVERFIT = "overfit"
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
    """One identified parameter: value, standard deviation, whether it matters."""

    name: str
    value: float
    std: float
    significant: bool

    @property
    def is_poor(self) -> bool:
        """Whether it matters and is hardly known."""
        return self.significant and self.std > _POOR * abs(self.value)


def judge(
    parameters: Sequence[Parameter],
    *,
    training: float,
    validation: float,
    predicted: Mapping[str, float] | None = None,
    problem: str = "",
) -> Verdict:
    """The verdict from parameters, the errors of the fit (`training`) and of cross-validation (`validation`).

    `predicted` are the errors of logs, by name, that were not fitted; a `problem` of the fit itself comes before
    everything else.

    >>> str(judge([Parameter("a", 2.0, 0.1, True)], training=0.01, validation=0.012))
    'trusted: 1 of 1 parameters matter, all of them known to better than 50%'
    """
    if problem:
        rest = judge(parameters, training=training, validation=validation, predicted=predicted)
        return Verdict(Trust.DOUBTFUL, (problem, f"apart from that {rest}"))
    poor = ", ".join(parameter.name for parameter in parameters if parameter.is_poor)
    worst = max((predicted or {}).items(), key=lambda item: item[1], default=("", 0.0))
    if max(validation, worst[1]) > max(_OVERFIT * training, _NEGLIGIBLE):
        where = (validation, "what was left out") if validation >= worst[1] else (worst[1], worst[0])
        reason = f"the error is {training:.2%} on what was fitted and {where[0]:.2%} on {where[1]}"
        return Verdict(Trust.OVERFIT, (reason, *([f"poorly excited: {poor}"] if poor else [])))
    if poor:
        return Verdict(
            Trust.POORLY_EXCITED, (f"{poor} (known to no better than {_POOR:.0%})", "the others are trusted")
        )
    count = sum(parameter.significant for parameter in parameters)
    known = f"{count} of {len(parameters)} parameters matter, all of them known to better than {_POOR:.0%}"
    return Verdict(Trust.TRUSTED, (known,))
