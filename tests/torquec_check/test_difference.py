"""Robot minus program on a grid; waves of known polynomials, and what bounds them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.torquec_check.documents import program_document, robot_document

from torquec_check import difference as module_of_waves
from torquec_check import rows as module
from torquec_check.balls import Ball, exact
from torquec_check.difference import Box, amplitude, difference, largest, product_error, waves_of
from torquec_check.document import RefusedError
from torquec_check.program import torque_program
from torquec_check.robot import robot_of
from torquec_check.rows import Rows, grid_of

BOX = Box((-3.0, -3.0), (3.0, 3.0), (1.0, 1.0), (1.0, 1.0))


def test_the_exact_program_differs_by_rounding():
    robot = robot_of(robot_document())
    found = difference(robot, torque_program(program_document(), 2), BOX)
    assert set(found.robot[0]) >= {(), (~0,), (~1,)}
    for rows in found.error:
        for ball in rows.values():
            assert np.abs(ball.mid).max() < 1e-14
            assert ball.rad.max() < 1e-13


def test_joints_that_nothing_depends_on_have_one_node():
    """The mass matrix does not depend on the first joint; here gravity does not, either."""
    document = robot_document() | {"gravity": [0.0, 0.0, 0.0]}
    program = program_document() | {"operations": [["const", 0.0]]}
    program["outputs"][0]["values"] = [0, 0]
    found = difference(robot_of(document), torque_program(program, 2), BOX)
    assert found.grid.counts == (1, 5)


def test_waves_and_their_bounds():
    """3 + 2 cos(a) d^2 with d = sin p: d^2 = (1 - cos 2p)/2."""
    grid = grid_of((True, False), (1, 2), (0.0, -1.0), (0.0, 1.0))
    angle, d = 2.0 * np.pi * np.arange(3) / 3, grid.position(1)[()].mid
    values = 3.0 + 2.0 * np.cos(angle)[:, None] * d**2
    waves, noise = waves_of(Ball(values, np.full(values.shape, 1e-9)), grid)
    assert np.allclose(waves[0], [3.0, 0.0, 0.0, 0.0, 0.0])
    assert np.allclose(waves[1], [0.5, 0.0, -0.25, -0.25, 0.0])
    assert amplitude(waves) == pytest.approx(5.0)
    assert np.sqrt(15.0) * 1e-9 < noise == pytest.approx(np.sqrt(15.0) * 1e-9, rel=1e-3, abs=0.0)
    exactly = waves_of(Ball(values, np.zeros(values.shape)), grid)[1]
    assert exactly == pytest.approx((4 * 7 + 4 * 9) * 2.0**-53 * 15 * np.abs(values).max(), rel=1e-6, abs=0.0)
    assert amplitude(waves) + noise <= largest(Ball(values, np.full(values.shape, 1e-9)), grid) < 5.0001


def test_noise_bounds_what_radii_allow():
    """No polynomial whose values on the grid are at most the radii is larger than the noise."""
    rng = np.random.default_rng(0)
    grid = grid_of((True, True), (2, 1), (0.0, 0.0), (0.0, 0.0))
    rad = rng.uniform(0.0, 1.0, (5, 3))
    _, noise = waves_of(Ball(np.zeros((5, 3)), rad), grid)
    for _ in range(50):
        waves, _ = waves_of(Ball(rad * rng.choice([-1.0, 1.0], rad.shape), np.zeros(())), grid)
        assert amplitude(waves) <= noise


def test_large_grids_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_POINTS", 4)
    with pytest.raises(RefusedError, match="too many"):
        difference(robot_of(robot_document()), torque_program(program_document(), 2), BOX)


def test_a_torque_of_first_degree_in_a_speed_is_refused():
    document = program_document()
    document["operations"].append(["input", "qd", 0])
    document["outputs"][0]["values"][0] = len(document["operations"]) - 1
    with pytest.raises(RefusedError, match="first degree"):
        difference(robot_of(robot_document()), torque_program(document, 2), BOX)
    assert Rows({(): exact(1.0)})


def test_a_degree_beyond_all_grids_is_refused_before_its_nodes_are_made():
    """Sixty squares of a cosine have the degree 2^60."""
    document = program_document()
    document["operations"] = [["input", "q", 0], ["cos", 0], *(["mul", k, k] for k in range(1, 61))]
    document["outputs"][0]["values"] = [61, 61]
    with pytest.raises(RefusedError, match="too many"):
        difference(robot_of(robot_document()), torque_program(document, 2), BOX)


def test_small_radii_count():
    """The square of 1e-205 is no double: a robot of 1e-200 kg was proven to a millionth of its error."""
    grid = grid_of((True,), [1], [-1.0], [1.0])
    assert waves_of(Ball(np.zeros(3), np.full(3, 1e-205)), grid)[1] >= 1e-205


def test_products_with_matrices_err_by_their_columns():
    assert product_error(5, 3) == pytest.approx(4.0 * (9 + 7) * 2.0**-53, rel=1e-8, abs=0.0)
    assert product_error(5, 3) > 4.0 * (9 + 7) * 2.0**-53
    rng = np.random.default_rng(2)
    for m in (3, 7, 21):
        a, x = rng.uniform(-1.0, 1.0, (50, m)), rng.uniform(-1.0, 1.0, m)
        a /= np.abs(a).sum(axis=1, keepdims=True)
        wanted = [sum(Fraction(p) * Fraction(q) for p, q in zip(row, x, strict=True)) for row in a.tolist()]
        off = max(abs(float(Fraction(float(y)) - w)) for y, w in zip(a @ x, wanted, strict=True))
        assert off <= product_error(m) * np.abs(x).max()


def test_slack_counts(monkeypatch):
    monkeypatch.setattr(module_of_waves, "UP", 2.0)
    grid = grid_of((True,), [1], [-1.0], [1.0])
    waves, noise = waves_of(Ball(np.zeros(3), np.full(3, 1.0)), grid)
    assert noise == pytest.approx(2.0 * np.sqrt(3.0))
    assert amplitude(np.array([1.0, 2.0j])) == 6.0
    assert largest(Ball(np.zeros(3), np.full(3, 1.0)), grid) == 2.0 * noise
    assert product_error(3) == 2.0 * 28.0 * 2.0**-53
    assert not waves.any()
