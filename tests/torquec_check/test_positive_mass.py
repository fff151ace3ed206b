"""Mass matrices above a diagonal: what holds at all positions is proven, what fails at one is refused."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from tests.torquec_check.documents import program_document

from torquec_check import positive_mass as module
from torquec_check.document import RefusedError
from torquec_check.positive_mass import check_positive_mass, eigenvalue_exceeds
from torquec_check.program import torque_program
from torquec_check.robot import Box
from torquec_check.rounding import DOUBLE, SINGLE

TURNS = (True, True)
BOX = Box((-3.0, -3.0), (3.0, 3.0), (), ())


def _check(program, least, box=BOX, precision=DOUBLE, **options):
    check_positive_mass(torque_program(program, 2), TURNS, box, least, precision, lambda _part: None, **options)


def _planar(q2):
    """M of the planar arm of two links of one metre and one kilogram each."""
    c = np.cos(q2)
    return np.array([[5.0 / 3.0 + c, 1.0 / 3.0 + 0.5 * c], [1.0 / 3.0 + 0.5 * c, 1.0 / 3.0]])


def _shifted(m1, m2):
    """The program of planar2r with m qdd taken away: M - diag(m)."""
    document = program_document()
    values = document["outputs"][0]["values"]
    for joint, m in enumerate((m1, m2)):
        last = len(document["operations"])
        document["operations"] += [["const", m], ["input", "qdd", joint], ["mul", last, last + 1]]
        document["operations"] += [["sub", values[joint], last + 2]]
        values[joint] = last + 3
    return document


@pytest.mark.parametrize("ends", [(-3.0, 3.0), (0.5, 1.0), (-4.0, 4.0)])
def test_the_largest_diagonal_below_m_is_the_limit(ends):
    """t (1, 1/4): the largest t is where M - t diag(1, 1/4) becomes singular somewhere."""
    box = Box((-3.0, ends[0]), (3.0, ends[1]), (), ())
    weights = np.array([1.0, 0.5])
    matrices = [_planar(q) * np.outer(weights, weights) ** -1 for q in np.linspace(*ends, 4001)]
    largest = min(np.linalg.eigvalsh(matrix)[0] for matrix in matrices)
    _check(program_document(), [0.999 * largest, 0.999 * largest / 4.0], box)
    with pytest.raises(RefusedError, match="M is not proven to be at least"):
        _check(program_document(), [1.001 * largest, 1.001 * largest / 4.0], box)


def test_a_mass_matrix_that_is_singular_somewhere_is_refused():
    for m1, m2, fits in ((1.0, 0.0, False), (0.0, 0.25, False), (0.2, 0.05, True)):
        if fits:
            _check(_shifted(m1, m2), [1e-4, 1e-4])
        else:
            with pytest.raises(RefusedError):
                _check(_shifted(m1, m2), [1e-4, 1e-4])


@pytest.mark.parametrize("least", [[0.0, 0.01], [-1.0, 0.01], [0.01, float("nan")]])
def test_least_inertias_are_positive(least):
    with pytest.raises(RefusedError, match="not positive"):
        _check(program_document(), least)


def test_a_program_without_inertia_is_refused():
    document = program_document() | {"operations": [["const", 0.0]]}
    document["outputs"][0]["values"] = [0, 0]
    with pytest.raises(RefusedError, match="not positive"):
        _check(document, [1e-9, 1e-9])


def test_rounding_of_the_program_counts():
    """M is right in real numbers; in doubles 1e12 that cancels may change it by 1e-4."""
    document = program_document()
    last = len(document["operations"])
    document["operations"] += [["const", 1e12], ["input", "qdd", 1], ["mul", last, last + 1]]
    document["operations"] += [["add", document["outputs"][0]["values"][1], last + 2], ["sub", last + 3, last + 2]]
    document["outputs"][0]["values"][1] = last + 4
    _check(document, [0.01, 0.01])
    with pytest.raises(RefusedError):
        _check(document, [0.01, 0.01], precision=SINGLE)
    _check(program_document(), [0.01, 0.01], precision=SINGLE)
    document["operations"][last] = ["const", 1e15]
    with pytest.raises(RefusedError):
        _check(document, [0.01, 0.01])


def test_an_unsymmetric_matrix_counts_with_its_symmetric_part():
    """x'M x has the mean of M_12 and M_21: 2 qdd_2 more in tau_1 and less in tau_2 changes nothing."""
    document = program_document()
    values = document["outputs"][0]["values"]
    for joint, other, factor in ((0, 1, 2.0), (1, 0, -2.0)):
        last = len(document["operations"])
        document["operations"] += [["const", factor], ["input", "qdd", other], ["mul", last, last + 1]]
        document["operations"] += [["add", values[joint], last + 2]]
        values[joint] = last + 3
    _check(document, [0.05, 0.02])
    document["operations"][last] = ["const", 2.0]
    with pytest.raises(RefusedError):
        _check(document, [0.05, 0.02])


def test_sizes_of_all_kinds_are_seen():
    """Joints of 1e8 and 1e-8 kg m^2: the small one is wrong, and is refused."""
    for sign in (1.0, -1.0):
        steps = [["input", "qdd", 0], ["const", 1e8], ["mul", 0, 1]]
        steps += [["input", "qdd", 1], ["const", sign * 1e-8], ["mul", 3, 4]]
        document = program_document() | {"operations": steps}
        document["outputs"][0]["values"] = [2, 5]
        if sign > 0.0:
            _check(document, [0.9e8, 0.9e-8])
            with pytest.raises(RefusedError):
                _check(document, [0.9e8, 1.1e-8])
        else:
            with pytest.raises(RefusedError):
                _check(document, [1.0, 1e-12])


def test_it_ends():
    with pytest.raises(RefusedError, match="limit of subdivisions"):
        _check(program_document(), [0.2049, 0.0512], most_values=12)
    _check(program_document(), [0.2049, 0.0512])


def test_the_functional_is_the_smallest_eigenvalue():
    rng = np.random.default_rng(0)
    entries = ((0, 0), (0, 1), (1, 1), (1, 2), (2, 2))
    h = functools.partial(eigenvalue_exceeds, 3, entries)
    rows = rng.normal(size=(5, 40))
    matrices = np.zeros((40, 3, 3))
    for (i, j), row in zip(entries, rows, strict=True):
        matrices[:, i, j] = matrices[:, j, i] = row if i == j else row / 2.0
    wanted = -np.linalg.eigvalsh(matrices)[:, 0]
    for k in range(40):
        assert not h(rows[:, k : k + 1], wanted[k : k + 1] + 1e-9)
        assert h(rows[:, k : k + 1], wanted[k : k + 1] - 1e-9)
    assert h(rows, wanted - 1e-9 * (np.arange(40) == 17))
    assert h(np.full((5, 1), np.nan), np.ones(1))
    assert h(np.zeros((5, 1)), np.array([np.nan]))
    assert h(np.zeros((5, 1)), np.array([np.inf]))


def test_what_cholesky_rounds_is_taken_off():
    """4 (n + 2)^2 u of the trace: 7.1e-9 here, and more than theory asks for at 100 joints, where 1e-12 was less."""
    h = functools.partial(eigenvalue_exceeds, 2, ((0, 0), (1, 1)))
    assert h(np.array([[1e6], [7.0e-9]]), np.zeros(1))
    assert not h(np.array([[1e6], [7.2e-9]]), np.zeros(1))
    assert h(np.array([[0.0], [0.0]]), np.array([-1e-30]))
    many = functools.partial(eigenvalue_exceeds, 100, tuple((k, k) for k in range(100)))
    assert many(np.array([[1.0]] * 99 + [[1.1 * 100 * 101 * 2.0**-53 * 99.0]]), np.zeros(1))


def test_rounding_has_a_factor_for_its_own(monkeypatch):
    _check(program_document(), [0.01, 0.01])
    monkeypatch.setattr(module, "UP", 1e16)
    with pytest.raises(RefusedError):
        _check(program_document(), [0.01, 0.01])


def test_the_limit_itself_is_rounded_too():
    """4 (n + 2)^2 u of the trace and of n limits, 72 u together."""
    h = functools.partial(eigenvalue_exceeds, 1, ((0, 0),))
    assert h(np.array([[-1.0 + 60.0 * 2.0**-53]]), np.array([1.0]))
    assert not h(np.array([[-1.0 + 76.0 * 2.0**-53]]), np.array([1.0]))
