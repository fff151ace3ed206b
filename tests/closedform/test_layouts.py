"""Layouts of the papers: Clover's Appendix A and Tables V-VII, Chang & Lee's Table 1."""

from __future__ import annotations

import numpy as np
import pytest
from tests.closedform.reference import oracle, recursion
from tests.clover import appendix_a

from torquec.closedform import Coefficients, closed_form
from torquec.closedform.equations import friction_laws
from torquec.closedform.fourier import CLOVER, EXACT, Rule
from torquec.closedform.layouts import TITLES, Matrix, entries, entry, indices, unit
from torquec.errors import ArgumentError
from torquec.robot.classics import load_classic

TABLES = ("V", "VI", "VII")


@pytest.fixture(scope="module")
def puma():
    return closed_form(load_classic("puma560"))


@pytest.fixture(scope="module")
def stanford():
    return closed_form(load_classic("stanford"))


def matrix_at(form, matrix, rule, state):
    """A square matrix of a rule at one state, (n, n)."""
    found = np.zeros((form.n, form.n))
    for each in entries(form, matrix, rule):
        found[each.index] = each.at(*state)
        if matrix is Matrix.M:
            found[each.index[::-1]] = found[each.index]
    return found


def viscous(robot, qd):
    """The viscous coefficients of the branches that qd is in."""
    slopes = np.zeros(robot.n)
    for law in friction_laws(robot):
        slopes[law.joint] = law.own.viscous_positive if qd[law.joint] >= 0 else law.own.viscous_negative
    return np.diag(slopes)


# --- Clover ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("letter", "matrix"), [("M", "M"), ("B", "B"), ("D", "D"), ("G", "g")])
def test_coefficients_of_appendix_a(puma, letter, matrix):
    """Every coefficient that the rule keeps, and no other; before rounding to four digits."""
    expected = appendix_a(letter)
    found = {}
    for each in entries(puma, Matrix(matrix), Rule(multiple_angles=True, threshold=0.01)):
        place = each.key[2:-1] if letter == "B" else each.key[2:-1].replace(",", "")
        for harmonic, value in each.parts[0].value.terms.items():
            found[place, harmonic.multiples, harmonic.sine] = value
    assert found.keys() == expected.keys()
    assert all(abs(found[key] - expected[key]) < 1e-8 for key in found)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("rule", "kind"), [(CLOVER, "abbreviated"), (EXACT, "unabbreviated")])
def test_linear_models_of_tables_v_to_vii(puma, table, rule, kind):
    case = oracle("clover_tables")["ch2"][table]
    state = [np.array(case[name]) for name in ("q", "qd", "qdd")]
    printed = {name: np.array(value) for name, value in case[f"printed_{kind}"].items()}
    np.testing.assert_allclose(matrix_at(puma, Matrix.M, rule, state), printed["M"], atol=1e-4)
    speeds = matrix_at(puma, Matrix.DTAU_DQD, rule, state) + viscous(puma.robot, state[1])
    np.testing.assert_allclose(speeds, printed["C"], atol=1e-4)
    np.testing.assert_allclose(matrix_at(puma, Matrix.DTAU_DQ, rule, state), printed["K"], atol=1e-4)


@pytest.mark.parametrize("table", TABLES)
def test_abbreviated_models_to_the_last_digit(puma, table):
    """The same against unrounded figures."""
    case = oracle("clover_tables")["ch2"][table]
    state = [np.array(case[name]) for name in ("q", "qd", "qdd")]
    for matrix, letter in ((Matrix.M, "M"), (Matrix.DTAU_DQ, "K")):
        expected = np.array(case["computed_abbreviated_4sig"][letter])
        np.testing.assert_allclose(matrix_at(puma, matrix, CLOVER, state), expected, atol=1e-8)


# --- Chang & Lee ----------------------------------------------------------------------------------------------------


def chang_lee_box(rng, size):
    """Positions in the paper's box (N, 6)."""
    q = rng.uniform(-np.pi, np.pi, (size, 6))
    q[:, 2] = rng.uniform(0.15, 0.9, size)
    q[:, 4] = np.radians(rng.uniform(-110.0, 110.0, size))
    return q


def printed_value(expression, q):
    """A formula of the table at positions (N, 6): products of numbers, C2, S2, q3, C4, .. and powers, added up."""
    letters = {"one": np.ones(len(q)), "q3": q[:, 2]}
    for joint in (2, 4, 5):
        letters |= {f"C{joint}": np.cos(q[:, joint - 1]), f"S{joint}": np.sin(q[:, joint - 1])}
    total = np.zeros(len(q))
    for term in expression.replace("-", "+-").split("+"):
        product = np.full(len(q), 1.0)
        for word in filter(None, term.replace("**", "^").split("*")):
            if word.startswith("-") and not word[1:2].isdigit():
                product, word = -product, word[1:]
            name, _, power = word.partition("^")
            product = product * (letters[name] ** int(power or 1) if name in letters else float(name))
        total += product if term else 0.0
    return total


def test_rows_of_table_1_are_as_far_off_as_they_should_be(stanford):
    """The printed expressions miss our coefficients by no more than their suprema, and nearly by those."""
    q = chang_lee_box(np.random.default_rng(5), 40_000)
    rows = [row for row in oracle("chang_lee_table1")["rows"] if row["reproduced"]]
    assert len(rows) > 30
    for row in rows:
        letter, index = row["coefficient"][0], tuple(int(digit) - 1 for digit in row["coefficient"][1:])
        exact = entry(stanford, Matrix(letter), index).at(q)
        error = np.abs(printed_value(row["expression"], q) - exact)
        supremum = row["computed_error_of_printed_expression_q3_0.15_0.9"]
        if row["relative"]:
            error = error / np.abs(exact)
        assert error.max() <= supremum + 2e-6, row["row"]
        assert error.max() >= 0.6 * supremum - 1e-6, row["row"]


def test_gravity_has_the_sign_of_the_paper(stanford):
    q = chang_lee_box(np.random.default_rng(6), 100)
    for name, expression in oracle("chang_lee_table1")["exact"].items():
        if name.startswith("G") and "(" not in expression:
            found = entry(stanford, Matrix.G, (int(name[1:]) - 1,)).at(q)
            np.testing.assert_allclose(found, printed_value(expression, q), atol=2e-5)


# --- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara"])
def test_the_layouts_add_up_to_the_torque(name):
    robot = load_classic(name)
    form, rng = closed_form(robot), np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-2, 2, (3, 20, robot.n))
    torque = np.zeros(q.shape)
    for each in entries(form, Matrix.M):
        i, j = each.index
        torque[:, i] += each.at(q) * qdd[:, j]
        torque[:, j] += each.at(q) * qdd[:, i] if i != j else 0.0
    for each in entries(form, Matrix.B):
        i, j, k = each.index
        torque[:, i] += each.at(q) * qd[:, j] * qd[:, k]
    for each in entries(form, Matrix.D):
        torque[:, each.index[0]] += each.at(q) * qd[:, each.index[1]] ** 2
    for each in entries(form, Matrix.G_TORQUE):
        torque[:, each.index[0]] += each.at(q)
    np.testing.assert_allclose(torque, recursion(robot, "inverse_dynamics", q=q, qd=qd, qdd=qdd), atol=1e-10)


def test_sensitivities_are_the_derivatives_of_the_recursion(stanford):
    from torquec.expr import evaluate
    from torquec.model.quantities import trace_quantity

    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 6))
    function = trace_quantity(stanford.robot, "inverse_dynamics_derivatives")
    expected = evaluate(function, {"q": q, "qd": qd, "qdd": qdd})
    for matrix in (Matrix.DTAU_DQ, Matrix.DTAU_DQD):
        found = matrix_at(stanford, matrix, EXACT, (q, qd, qdd))
        np.testing.assert_allclose(found, expected[str(matrix)], atol=1e-10)
    np.testing.assert_allclose(
        matrix_at(stanford, Matrix.C, EXACT, (q, qd, qdd)),
        recursion(stanford.robot, "coriolis_matrix", q=q[None], qd=qd[None])[0],
        atol=1e-11,
    )


def test_multiple_angles_are_the_same_function(stanford):
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 10, 6))
    for matrix in (Matrix.M, Matrix.B, Matrix.G_TORQUE):
        for each in entries(stanford, matrix):
            other = entry(stanford, matrix, each.index, Rule(multiple_angles=True))
            np.testing.assert_allclose(other.at(q, qd, qdd), each.at(q, qd, qdd), atol=1e-13)
            assert set(other.depends_on) <= set(each.depends_on)


@pytest.mark.parametrize("name", ["puma560", "puma260", "stanford", "scara"])
def test_what_cancels_is_zero(name):
    """Equal derivatives leave nothing behind, not even rounding."""
    form = closed_form(load_classic(name))
    for matrix in (Matrix.B, Matrix.D, Matrix.C):
        for each in entries(form, matrix):
            assert all(abs(c) > 1e-9 for part in each.parts for c in part.value.terms.values()), each.key


def test_motors_are_neither_dropped_nor_rounded(puma):
    (part,) = entry(puma, Matrix.M, (3, 3), Rule(threshold=0.5, digits=1)).parts
    assert str(part.value) == "0.2"
    assert str(entry(puma, Matrix.M, (2, 2), CLOVER).parts[0].value) == "1.1636"


def test_units_of_mixed_joints(stanford):
    units = [unit(stanford, Matrix.M, index) for index in ((0, 0), (0, 2), (2, 2))]
    assert units == ["kg m^2", "kg m", "kg"]
    assert [unit(stanford, Matrix.G_TORQUE, (i,)) for i in (1, 2)] == ["N m", "N"]
    assert unit(stanford, Matrix.B, (2, 0, 1)) == "kg m"
    assert unit(stanford, Matrix.DTAU_DQ, (2, 2)) == "N/m"
    assert unit(stanford, Matrix.C, (0, 0)) == "N m s"


def test_names_of_entries(puma):
    assert [entry(puma, Matrix.B, (0, 1, 2)).key, entry(puma, Matrix.M, (0, 1)).key] == ["B[1,23]", "M[1,2]"]
    assert len(indices(6, Matrix.B)) == 6 * 15
    assert set(TITLES) == set(Matrix)


# --- misuse ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [(0,), (0, 6), (-1, 0), (0, 0, 0)])
def test_no_such_entry(puma, index):
    with pytest.raises(ArgumentError, match="robot with 6 joints"):
        entry(puma, Matrix.M, index)


def test_pairs_rise(puma):
    with pytest.raises(ArgumentError, match="not an entry"):
        entry(puma, Matrix.B, (0, 2, 1))


def test_friction_is_no_polynomial(puma):
    with pytest.raises(ArgumentError, match="friction_laws"):
        entry(puma, Matrix.V, (0,))


def test_parameters_are_not_compared_with_numbers():
    form = closed_form(load_classic("planar2r"), coefficients=Coefficients.PARAMETERS)
    with pytest.raises(ArgumentError, match="parameters"):
        entries(form, Matrix.M, CLOVER)
