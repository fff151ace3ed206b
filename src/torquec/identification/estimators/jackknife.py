"""Deviations that hold whatever the residuals are made of: leave out a stretch of time, fit again, see what changes.

(1)  x_i: the fit to everything but part i of m;   C = (m - 1)/m sum_i (x_i - mean)(x_i - mean)'

The covariance of an estimator takes residuals for noise. On a real robot most of them are what the model lacks:
friction that changes, elasticity. They last for seconds, so that a run tells less than its number of samples suggests.
With parts longer than that, (1) sees it. A prior that holds a parameter in place hides it from (1): `identify` adds the
covariance of the estimator, which knows the prior's.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.work import Meter, silent
from torquec.identification.estimators.estimator import Estimator
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.logs.log_source import LogSource

_SECONDS = 1.0  # longer than residuals remember each other
_FEWEST, _MOST = 5, 40  # parts: the spread of four says little, and each more costs a fit


def jackknife_covariance(
    parts: Sequence[JointFactors], make: Callable[[], Estimator], *, meter: Meter = silent
) -> Array:
    """The covariance (1), (k, k), of what `make()` learns from m parts, the fits done told to `meter`.

    Raises `ArgumentError` for fewer than three.
    """
    if len(parts) < 3:
        raise ArgumentError(f"{len(parts)} parts of data are too few to leave one out", remedy="give at least three")
    fits = []
    for others in _without_each(parts):
        fits.append(make().fit_factors(others).x_)
        meter(len(fits), len(parts))
    centred = np.array(fits) - np.mean(fits, axis=0)
    covariance: Array = (len(parts) - 1) / len(parts) * centred.T @ centred
    return covariance


def _without_each(parts: Sequence[JointFactors]) -> Iterator[JointFactors]:
    """The factors of all parts but one, for each of them; what lies before it and behind it is merged only once."""
    behind = list(itertools.accumulate(reversed(parts), JointFactors.merged))[::-1]
    yield behind[1]
    before = parts[0]
    for i in range(1, len(parts) - 1):
        yield before.merged(behind[i + 1])
        before = before.merged(parts[i])
    yield before


def stretches(logs: Sequence[LogSource]) -> int:
    """Into how many stretches of about a second to cut every log: all together not fewer than five, nor above forty."""
    seconds = sum(log.used / log.rate for log in logs)
    wanted = float(np.clip(seconds / _SECONDS, _FEWEST, _MOST))
    return max(round(wanted / len(logs)), -(-_FEWEST // len(logs)))


def time_parts(rows: Sequence[tuple[Array, Array]], *, rate: float, seconds: float = _SECONDS) -> list[JointFactors]:
    """Triangles of stretches of about `seconds` of every log, each given as (A (N, n, k), tau (N, n)) at `rate` [Hz].

    Never fewer than five of them, nor more than forty.
    """
    total = sum(len(a) for a, _ in rows)
    wanted = int(np.clip(round(total / (rate * seconds)), _FEWEST, _MOST))
    parts = []
    for a, tau in rows:
        count = max(round(wanted * len(a) / total), 1)
        chunks = np.array_split(np.arange(len(a)), count)
        parts += [joint_factors(a[chunk], tau[chunk]) for chunk in chunks]
    return parts
