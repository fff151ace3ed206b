"""Comparison of an estimate with published parameter combinations.

(1)  combinations beta' = K' y of the standard parameters y = (phi, f), as printed: K' (m, p + f)
(2)  torques determine x = Pi y; a combination is identifiable where K' = M Pi, and then beta' = M x (Lin, Corollary 6),
     with covariance M C M'; M = K' E, E the expansion of the base
(3)  a complete set has a square M: x = M^-1 beta' turns the published values into a model
(4)  difference in standard deviations: (M x - beta')/sqrt(std^2 + std'^2). The deviations of an estimate by least
     squares are those of the block jackknife, which hold for correlated errors, too; with a prior, those of the
     estimator

Printed coefficients are rounded, so that (2) must hold only up to 1 % of the largest one.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind, read_text, to_path
from torquec.identification.estimators.estimator import Estimator
from torquec.identification.estimators.least_squares import OrdinaryLeastSquares, WeightedLeastSquares
from torquec.identification.estimators.statistics import jackknife_covariance, time_parts
from torquec.identification.logs.prepare import prepare
from torquec.identification.result.estimate import Estimate
from torquec.identification.torque.torque_model import TorqueModel
from torquec.trajectory.log import Log

_ROUNDED = 0.01  # of a combination: published numbers have two digits or more
_PLAIN: dict[str, type[Estimator]] = {"ordinary": OrdinaryLeastSquares, "weighted": WeightedLeastSquares}
_FACTOR = re.compile(r"\s*+([+-]?)\s*+(?:((?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)\s*+\*\s*+)?")


@dataclass(frozen=True, eq=False)
class Combinations:
    """Combinations as printed: `expressions`, `matrix` K' (m, p + f) of (1), `values` and `std` (m,)."""

    expressions: tuple[str, ...]
    matrix: Array
    values: Array
    std: Array


@dataclass(frozen=True, eq=False)
class Comparison:
    """Estimated and published values with standard deviations, (m,) each, in the order of the combinations."""

    expressions: tuple[str, ...]
    published: Array
    published_std: Array
    found: Array
    found_std: Array

    @property
    def differences(self) -> Array:
        """(4), (m,)."""
        spread = np.hypot(self.published_std, self.found_std)
        difference: Array = (self.found - self.published) / np.maximum(spread, np.finfo(float).tiny)
        return difference

    def within(self, deviations: float) -> int:
        """The number of combinations that differ by no more than this many deviations."""
        return int(np.sum(np.abs(self.differences) <= deviations))


def combinations(model: TorqueModel, rows: Sequence[tuple[str, float, float]]) -> Combinations:
    """Combinations from (expression, value, standard deviation), such as "Izz_link1 + 0.25*m_link2".

    Raises `ArgumentError` for an expression that is no sum of the model's parameters.
    """
    names = (*model.standard_names, *model.names[len(model.base) :])
    matrix = np.array([parse_combination(text, names) for text, _, _ in rows]).reshape(-1, len(names))
    values, std = (np.array([row[k] for row in rows], dtype=np.float64) for k in (1, 2))
    if not (np.isfinite(values).all() and np.all(std >= 0.0)):
        raise ArgumentError("a published value is not finite, or a deviation negative", remedy="give numbers")
    return Combinations(tuple(text for text, _, _ in rows), matrix, values, std)


def read_combinations(path: str | os.PathLike[str], model: TorqueModel) -> Combinations:
    """The combinations of a CSV file with the columns expression, value and, where known, std.

    Raises `ArgumentError` with file and line for what cannot be read.
    """
    source = to_path(path)
    try:
        reader = csv.DictReader(io.StringIO(read_text(source, FileKind.PARAMETERS), newline=""))
        if not {"expression", "value"} <= set(reader.fieldnames or ()):
            raise ArgumentError(
                "there are no columns 'expression' and 'value'", where=f"{source}:1", remedy="name them in line 1"
            )
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise ArgumentError(f"cannot be read: {error}", where=str(source), remedy="give a CSV file") from error
    made = []
    for line, row in rows:
        try:
            made.append((row["expression"] or "", float(row["value"]), float(row.get("std") or 0.0)))
            combinations(model, made[-1:])
        except ArgumentError as error:
            raise ArgumentError(error.found, where=f"{source}:{line}", remedy=error.remedy) from None
        except (TypeError, ValueError):
            raise ArgumentError("a number is missing", where=f"{source}:{line}", remedy="give value and std") from None
    return combinations(model, made)


def combination_map(model: TorqueModel, published: Combinations) -> Array:
    """M (m, k) of (2); raises `ArgumentError` for combinations that no torque determines."""
    b, p = model.base.projection.shape
    expansion = np.zeros((published.matrix.shape[1], model.size))
    expansion[:p, :b] = model.base.expansion
    expansion[p:, b:] = np.eye(model.size - b)
    matrix: Array = published.matrix @ expansion
    missing = np.abs(published.matrix - matrix @ model.projection).max(axis=1, initial=0.0)
    size = np.abs(published.matrix).max(axis=1, initial=0.0)
    for k in np.flatnonzero(missing > _ROUNDED * size):
        raise ArgumentError(
            f"no torque determines '{published.expressions[k]}': {missing[k]:.2g} of it is left over",
            remedy="check frames and coefficients; torquec params prints what is determined",
        )
    return matrix


def compare_combinations(model: TorqueModel, x: Array, covariance: Array, published: Combinations) -> Comparison:
    """Parameters x (k,) with their covariance (k, k), seen as published combinations (2), (4)."""
    matrix = combination_map(model, published)
    spread = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", matrix, covariance, matrix), 0.0))
    return Comparison(published.expressions, published.values, published.std, matrix @ x, spread)


def compare_estimate(estimate: Estimate, logs: Sequence[Log], published: Combinations) -> Comparison:
    """An estimate compared with published combinations; `logs` are those that it was fitted to."""
    covariance = estimate.covariance
    if estimate.estimator in _PLAIN:
        samples = [prepare(log, cutoff=estimate.cutoff) for log in logs]
        rows = [(estimate.model.regressor(s)[s.used], s.tau[s.used]) for s in samples]
        covariance = jackknife_covariance(time_parts(rows, rate=samples[0].rate), _PLAIN[estimate.estimator])
    return compare_combinations(estimate.model, estimate.x, covariance, published)


def published_parameters(model: TorqueModel, published: Combinations) -> Array:
    """x (k,) of a complete published set (3); raises `ArgumentError` for one that is not complete."""
    matrix = combination_map(model, published)
    if matrix.shape[0] != matrix.shape[1] or np.linalg.matrix_rank(matrix) < len(matrix):
        raise ArgumentError(
            f"{len(matrix)} combinations do not determine {model.size} parameters",
            remedy="give a complete set, with the friction columns of the model",
        )
    return np.asarray(np.linalg.solve(matrix, published.values), dtype=np.float64)


def parse_combination(text: str, names: Sequence[str]) -> Array:
    """The coefficients (p,) of a sum such as "a - 0.5*b"; raises `ArgumentError` for anything else.

    >>> parse_combination("b - 0.5*a", ["a", "b"]).tolist()
    [-0.5, 1.0]
    """
    row = np.zeros(len(names))
    place, rest = 0, text.strip()
    while rest or place == 0:
        factor = _FACTOR.match(rest)
        assert factor is not None  # every part of it may be missing
        after = rest[factor.end() :]
        # Names may contain any character: take the longest one that matches.
        name = max((name for name in names if after.startswith(name)), key=len, default="")
        if not name or (place > 0 and not factor[1]):
            raise ArgumentError(
                f"'{text}' is not a sum of parameters, from '{rest or text}' on",
                remedy=f"write terms such as {names[0]} or 0.5*{names[0]}, joined by + and -",
            )
        value = float(factor[2]) if factor[2] else 1.0
        row[list(names).index(name)] += -value if factor[1] == "-" else value
        rest, place = after[len(name) :].strip(), place + 1
    return row
