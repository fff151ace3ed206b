from __future__ import annotations

import numpy as np
import pytest
from tests.clover import appendix_a

import torquec as tq
from torquec.closedform import FourierSeries, Harmonic, closed_form, fourier_series
from torquec.closedform.fourier import CLOVER, Rule, written
from torquec.closedform.layouts import Entry, Matrix, Part, entries, entry
from torquec.closedform.shared_sums import SharedSums
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.expr.function import count_operations
from torquec.simplification.fitting.significance import armstrong_terms, significant_parameters

ROUNDED_NOT = Rule(multiple_angles=True, threshold=0.01)
"""Clover's threshold, every digit kept."""


@pytest.fixture(scope="module")
def puma():
    return closed_form(tq.classics.puma560())


def test_the_uniform_rule_gives_the_coefficients_of_the_abbreviated_mass_matrix(puma):
    motors = tq.classics.puma560().drives.reflected_inertia(6)
    places: dict[str, dict[Harmonic, float]] = {}
    for (place, multiples, sine), value in appendix_a("M").items():
        places.setdefault(place, {})[Harmonic(multiples, sine)] = value
    assert len(places) == 9
    for place, expected in places.items():
        i, j = int(place[0]) - 1, int(place[1]) - 1
        found = written(puma.M[i, j], ROUNDED_NOT, added=motors[i][j])
        assert set(found.terms) == set(expected), place
        for wave, value in expected.items():
            assert found.terms[wave] == pytest.approx(value, abs=1e-8)


def test_motor_inertias_survive_the_threshold(puma):
    found = written(puma.M[5, 5], ROUNDED_NOT, added=0.193)
    assert found.terms == {Harmonic(): 0.193}


def test_nothing_is_dropped_without_a_threshold(puma):
    assert written(puma.M[0, 1], Rule(multiple_angles=True)) == fourier_series(puma.M[0, 1])
    with pytest.raises(ArgumentError, match="the threshold is -1"):
        Rule(threshold=-1.0)


def without_wrist(series: FourierSeries) -> FourierSeries:
    """Clover's Tables III and IV leave the fifth joint's gravity terms out."""
    return FourierSeries({h: c for h, c in series.terms.items() if 4 not in dict(h.multiples)})


def abbreviated(form, matrix, index):
    (part,) = entry(form, matrix, index, CLOVER).parts
    return without_wrist(part.value) if matrix is Matrix.G_TORQUE else part.value


def test_operations_of_the_abbreviated_coefficients(puma):
    # Printed 59 / 42; common subexpressions reach 41 / 36.
    wanted = {}
    for matrix in (Matrix.M, Matrix.B, Matrix.D, Matrix.G_TORQUE):
        for found in entries(puma, matrix, CLOVER):
            value = abbreviated(puma, matrix, found.index)
            if value.terms:
                wanted[matrix, found.index] = Entry(matrix, found.index, (Part(value),))
    sums = SharedSums(wanted)

    def coefficients(q, qd, qdd):
        return {"all": list(sums.values(q, qd, qdd).values())}

    count = count_operations(trace("coefficients", coefficients, dict.fromkeys(("q", "qd", "qdd"), (6,))))
    assert count.mul <= 41
    assert count.add <= 36


def test_armstrong_keeps_what_matters_to_its_equation_or_its_joint(puma):
    short = armstrong_terms(puma)
    whole = sum(len(puma.christoffel(i, j, k)) for i in range(6) for j in range(6) for k in range(j, 6))
    assert short.terms < 0.5 * (whole + sum(puma.terms.values()))
    constants = [abs(float(puma.M[i, i].terms[()])) for i in range(6)]
    for (i, j), polynomial in short.mass.items():
        exact = puma.M[i, j]
        largest = max(abs(c) for _, c in exact)
        for monomial, c in exact:
            kept = monomial in polynomial.terms
            assert kept == (abs(c) >= max(0.01 * largest, 0.001 * min(constants[i], constants[j])))
    assert all(abs(c) >= 0.01 * max(abs(x) for _, x in puma.g[1]) for _, c in short.gravity[1])


def test_insignificant_parameters_go_and_the_rest_is_fitted_again():
    rng = np.random.default_rng(8)
    Y = rng.uniform(-1.0, 1.0, (400, 2, 4))
    Y[:, :, 3] = 0.5 * Y[:, :, 0] + 0.01 * Y[:, :, 3]  # nearly the first one over again
    phi = np.array([4.0, 2.0, 0.001, 0.02])
    found = significant_parameters(Y, phi)
    assert found.kept == (0, 1)
    assert found.values == pytest.approx([4.01, 2.0], abs=2e-3)  # what was dropped is taken over where it can be
    assert found.condition_after < found.condition_before
    assert np.all(found.residual < 2e-3)
    assert found.contributions.shape == (4, 2)


def test_measured_torques_and_a_lower_part():
    rng = np.random.default_rng(9)
    Y = rng.uniform(-1.0, 1.0, (300, 2, 3))
    phi = np.array([3.0, 1.0, 0.005])
    torque = Y @ phi + 1e-3 * rng.standard_normal((300, 2))
    assert significant_parameters(Y, phi, torque=torque).kept == (0, 1)
    everything = significant_parameters(Y, phi, torque=torque, part=1e-4)
    assert everything.kept == (0, 1, 2)
    assert everything.values == pytest.approx(phi, abs=1e-3)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((5, 2), (2,), None), "a regressor"),
        (((5, 2, 3), (2,), None), "a regressor"),
        (((5, 2, 3), (3,), (5, 3)), "torques"),
    ],
)
def test_shapes_are_checked(shapes, message):
    Y, phi, torque = (None if shape is None else np.ones(shape) for shape in shapes)
    with pytest.raises(ArgumentError, match=message):
        significant_parameters(Y, phi, torque=torque)


def test_what_cannot_be_judged_is_refused():
    Y = np.ones((5, 2, 2))
    with pytest.raises(ArgumentError, match="not finite"):
        significant_parameters(Y, np.array([1.0, np.nan]))
    with pytest.raises(ArgumentError, match="no torque along"):
        significant_parameters(Y, np.zeros(2))
    with pytest.raises(ArgumentError, match="no parameter reaches 2"):
        significant_parameters(Y, np.ones(2), part=2.0)
