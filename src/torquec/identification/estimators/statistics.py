"""Statistics of an estimate: jackknife deviations, significance, condition numbers, excitation.

(1)  standard deviation and 95 % interval from the covariance of the estimator
(2)  significant: its contribution |A_jk x_k| reaches 1 % of the largest |tau_j|, for some joint j (Izaguirre et al.)
(3)  condition: of the regressor's triangle, columns as they are, and with columns of unit norm
(4)  identifiable: a column linearly independent of the others, measured by singular values of unit columns;
     combinations that no motion can separate (`dependences`) are excluded first, because no log identifies them

The block jackknife leaves out one stretch of time after another and refits:

(5)  x_i: the fit to everything but part i of m;   C = (m - 1)/m sum_i (x_i - mean)(x_i - mean)'

The covariance of an estimator treats residuals as white noise. On a real robot most of them are unmodelled effects
(varying friction, elasticity) that are correlated over seconds, so that a run has less information than its number of
samples suggests. Parts longer than these correlations make (5) account for them. Where a log repeats itself, (5) is
also computed for parts by phase of its period, and the larger variance is used, because a model's errors repeat with
the states (Conley's covariance of regressions uses the same idea in space). With m parts, a 95 % interval is that of
Student's t with m - 1 degrees of freedom. A parameter held by a prior shows no scatter in (5): the prior's own error is
added. Noise is in (5) and in the variance that the estimator attributes to the data, so the larger one of these is
used, not the sum. A dozen parts span only a dozen directions, so the off-diagonal entries of (5) are not significant:
the correlations are those of the estimator, which follow from the motion and have full rank:

(6)  C = D R D,   R the correlations of the estimator's covariance,   D^2 = prior's variance + max((5), data's variance)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.foundation.work import Meter, silent
from torquec.identification.estimators.estimator import Estimator
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.extras import need

_SECONDS = 1.0  # longer than the correlation time of residuals
_FEWEST, _MOST = 8, 40  # parts: the scatter of fewer is itself uncertain, and each additional part costs a fit


def jackknife_covariance(
    parts: Sequence[JointFactors], make: Callable[[], Estimator], *, meter: Meter = silent
) -> Array:
    """Jackknife covariance (5), (k, k), of the estimator `make()` over m parts; `meter` gets the number of fits done.

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


def with_least_variances(covariance: Array, least: Array) -> Array:
    """The covariance (k, k) with variances of at least `least` (k,) and its correlations kept (6).

    >>> with_least_variances(np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([4.0, 0.0])).tolist()
    [[4.0, 1.0], [1.0, 1.0]]
    """
    before = np.maximum(np.diag(covariance), np.finfo(float).tiny)
    scale = np.sqrt(np.maximum(before, least) / before)
    found: Array = covariance * np.outer(scale, scale)
    return found


def _without_each(parts: Sequence[JointFactors]) -> Iterator[JointFactors]:
    """The factors of all parts but one, for each part in turn; prefixes and suffixes are merged only once."""
    behind = list(itertools.accumulate(reversed(parts), JointFactors.merged))[::-1]
    yield behind[1]
    before = parts[0]
    for i in range(1, len(parts) - 1):
        yield before.merged(behind[i + 1])
        before = before.merged(parts[i])
    yield before


def stretches(seconds: Sequence[float]) -> int:
    """Number of stretches of about a second per motion: at least eight and at most forty over all motions.

    >>> stretches([12.6]), stretches([1.0, 2.0]), stretches([100.0])
    (13, 4, 40)
    """
    wanted = float(np.clip(sum(seconds) / _SECONDS, _FEWEST, _MOST))
    return max(round(wanted / len(seconds)), -(-_FEWEST // len(seconds)))


def interval_factor(parts: int) -> float:
    """Factor on a variance (5) of m parts with which 1.96 deviations are the half width of a 95 % interval.

    >>> round(interval_factor(5), 2), round(interval_factor(40), 2)
    (2.01, 1.07)
    """
    special = need("scipy.special", "intervals of few parts")
    return float((special.stdtrit(parts - 1, 0.975) / CONFIDENCE) ** 2)


def time_parts(rows: Sequence[tuple[Array, Array]], *, rate: float, seconds: float = _SECONDS) -> list[JointFactors]:
    """Triangles of stretches of about `seconds` of every log, each given as (A (N, n, k), tau (N, n)) at `rate` [Hz].

    Never fewer than eight of them, nor more than forty.
    """
    total = sum(len(a) for a, _ in rows)
    wanted = int(np.clip(round(total / (rate * seconds)), _FEWEST, _MOST))
    parts = []
    for a, tau in rows:
        count = max(round(wanted * len(a) / total), 1)
        chunks = np.array_split(np.arange(len(a)), count)
        parts += [joint_factors(a[chunk], tau[chunk]) for chunk in chunks]
    return parts


CONFIDENCE = 1.959964
"""Half width of a 95 % interval, in standard deviations."""
_SIGNIFICANT = 0.01  # relative to the torque: less than the error of models
_NOT_EXCITED = 1e-7  # relative to the largest singular value: half of the digits


@dataclass(frozen=True)
class Conditions:
    """(3)."""

    plain: float
    unit_columns: float


def conditions(triangle: Array) -> Conditions:
    """The condition numbers of a triangle of [A tau]."""
    a = triangle[:, :-1]
    norms = np.linalg.norm(a, axis=0)
    present = norms > 1e-12 * norms.max(initial=0.0)  # zero columns belong to parameters without any excitation
    a, norms = a[:, present], norms[present]
    return Conditions(float(np.linalg.cond(a)), float(np.linalg.cond(a / norms)))


def not_excited(triangle: Array, names: Sequence[str], structural: Array | None = None) -> tuple[str, ...]:
    """The parameters that are not identifiable from these rows, alone or in combination with others (4).

    `structural` (d, k) are null vectors that every motion has.
    """
    a = triangle[:, :-1]
    norms = np.linalg.norm(a, axis=0)
    norms = np.where(norms > 0.0, norms, 1.0)
    _, s, vt = np.linalg.svd(a / norms)
    free = vt[s <= _NOT_EXCITED * s.max(initial=0.0)]
    if structural is not None and len(structural):
        known = np.linalg.qr((structural * norms).T)[0]
        free = free - free @ known @ known.T
    mixed = np.abs(free).max(axis=0, initial=0.0) > 1e-3
    return tuple(name for name, lost in zip(names, mixed, strict=True) if lost)


def check_excitation(
    factors: JointFactors, names: Sequence[str], where: str = "", *, structural: Array | None = None
) -> None:
    """Raise `ArgumentError`, listing the identifiable parameters, unless all that any motion can excite are excited."""
    lost = not_excited(factors.weighted(1.0 / np.sqrt(factors.torque_squares + 1e-300)), names, structural)
    if lost:
        found = [name for name in names if name not in lost]
        raise ArgumentError(
            f"insufficient excitation: {len(lost)} of {len(names)} parameters are not identified ({', '.join(lost)})",
            where=where,
            remedy=f"record a motion of torquec excite; this log identifies {', '.join(found) or 'nothing'}",
        )


def significant(peaks: Array, torque_peaks: Array, x: Array) -> Mask:
    """(2), (k,): `peaks` (n, k) are the largest |A_jk|, `torque_peaks` (n,) the largest |tau_j|."""
    share = peaks * np.abs(x) / np.maximum(torque_peaks, np.finfo(float).tiny)[:, None]
    chosen: Mask = share.max(axis=0) >= _SIGNIFICANT
    return chosen


def correlations(covariance: Array) -> Array:
    """Correlation matrix (k, k) of a covariance."""
    deviations = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    matrix: Array = covariance / np.outer(deviations, deviations)
    return matrix
