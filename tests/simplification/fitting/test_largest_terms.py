"""Coefficients by their largest terms: the tolerance is kept everywhere, with few of the terms."""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace

import numpy as np
import pytest

import torquec as tq
from torquec.closedform import closed_form
from torquec.errors import MissingExtraError
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.error_peaks import largest_magnitude
from torquec.simplification.fitting.chebyshev_program import point_fit
from torquec.simplification.fitting.largest_terms import largest_terms, smallest_subset
from torquec.simplification.fitting.minimal_basis import minimal_basis
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import joint_box


@pytest.fixture(scope="module")
def puma():
    robot = tq.classics.puma560()
    return closed_form(robot), joint_box(robot)


@pytest.mark.parametrize(("i", "j", "kind"), [(1, 1, ErrorKind.RELATIVE), (0, 1, ErrorKind.ABSOLUTE)])
def test_few_terms_keep_the_tolerance(puma, i, j, kind):
    form, box = puma
    exact = form.M[i, j]
    tolerance = 0.05 * (1.0 if kind is ErrorKind.RELATIVE else largest_magnitude(exact, box))
    fit = largest_terms(exact, box, tolerance, kind=kind)
    q = np.random.default_rng(2).uniform(box.lower, box.upper, (40_000, 6))
    whole = exact(q)
    error = np.abs(whole - fit.polynomial(q))
    assert (error / (np.abs(whole) if kind is ErrorKind.RELATIVE else 1.0)).max() <= tolerance
    assert fit.level <= tolerance
    assert len(fit.polynomial) <= 0.7 * len(exact)
    # No more than a few terms above what the search for the fewest finds.
    assert len(fit.polynomial) <= 6 + 1.5 * len(minimal_basis(exact, box, tolerance, kind=kind).polynomial)


def test_what_is_within_the_tolerance_goes_altogether(puma):
    form, box = puma
    small = form.M[0, 5]
    assert not largest_terms(small, box, 1.05 * largest_magnitude(small, box)).polynomial


def test_a_tolerance_of_nothing_keeps_the_coefficient(puma):
    form, box = puma
    assert largest_terms(form.g[1], box, 0.0).polynomial == form.g[1]


def test_coefficients_of_many_terms_come_here(puma, monkeypatch):
    form, box = puma
    exact = form.M[0, 1]
    tolerance = 0.05 * largest_magnitude(exact, box)
    monkeypatch.setattr(
        "torquec.simplification.fitting.minimal_basis.TUNING", replace(TUNING, rough_fit_terms=len(exact) - 1)
    )
    found = minimal_basis(exact, box, tolerance)
    assert found.polynomial == largest_terms(exact, box, tolerance).polynomial


def instance(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((60, 8))
    return A, A[:, :3] @ rng.uniform(0.5, 2.0, 3) + 0.2 * rng.standard_normal(60)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_trying_all_subsets_finds(seed):
    A, b = instance(seed)
    level = 0.6
    fewest = next(
        k
        for k in range(9)
        if any(point_fit(A[:, list(c)], b).level <= level for c in itertools.combinations(range(8), k))
    )
    found = smallest_subset(A, b, level, below=9, nodes=10000)
    assert len(found) == fewest
    assert point_fit(A[:, found], b).level <= level * (1.0 + 1e-6)
    assert smallest_subset(A, b, level, below=fewest, nodes=10000) is None


def test_scipy_is_named_when_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtraError, match="mixed-integer search needs the package 'scipy'"):
        smallest_subset(np.ones((2, 1)), np.ones(2), 0.1, below=2, nodes=10000)
