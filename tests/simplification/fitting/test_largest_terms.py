"""Coefficients by their largest terms: the tolerance is kept everywhere, with few of the terms."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.closedform import closed_form
from torquec.proof.torque.coefficient_tolerance import ErrorKind
from torquec.proof.torque.error_peaks import largest_magnitude
from torquec.simplification.fitting.largest_terms import largest_terms
from torquec.simplification.fitting.minimal_basis import minimal_basis
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
    monkeypatch.setattr("torquec.simplification.fitting.minimal_basis._MANY_TERMS", len(exact) - 1)
    found = minimal_basis(exact, box, tolerance)
    assert found.polynomial == largest_terms(exact, box, tolerance).polynomial
    assert found.cost == len(found.polynomial)
