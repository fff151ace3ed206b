"""All solutions in one native call: the parts on known functions, and the whole against direct values of f."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinematics.arms import forward, turned_apart
from tests.kinematics.test_eliminant_roots import product
from tests.kinematics.test_eliminated_kinematics import ARMS, arm, positions

from torquec.expr import evaluate, trace
from torquec.kinematics import native_elimination as parts

ANGLES = 2.0 * np.pi * np.arange(parts.SAMPLES) / parts.SAMPLES


def interpolant_of(function):
    return np.array(parts._interpolant(function(ANGLES).tolist())["interpolant"])


def value(interpolant, angle):
    return parts._value(interpolant, np.cos(angle), np.sin(angle))


def test_the_interpolant_is_the_function_and_the_noise_covers_what_it_misses():
    rng = np.random.default_rng(0)
    angle = rng.uniform(-np.pi, np.pi, 200)
    for _ in range(20):
        function = product(rng.uniform(0.0, 2.0 * np.pi, 16))
        for error in (0.0, 1e-9):
            found = interpolant_of(lambda a, f=function, e=error: f(a) + e * rng.normal(size=a.shape))
            assert np.abs(value(found, angle) - function(angle)).max() <= found[-1]
            assert found[-1] <= 1e3 * max(error, 1e-14)


def test_a_function_of_a_higher_order_is_noise():
    found = interpolant_of(lambda a: np.cos(11.0 * a))
    assert found[-1] > 1.0


def test_cells_have_one_root_or_none_or_are_undecided():
    """The root 0.31 in cells of 0.001; all is undecided with much noise, and the cell of the double root 0.75."""
    function = product([0.31, 0.52, 0.75, 0.75])
    turns = np.array(parts._angles([0.0, 0.1])["turns"])
    np.testing.assert_allclose(np.arctan2(turns[:, 1], turns[:, 0]), 0.1 * np.arange(-1, 10), atol=1e-14)
    values = function(0.1 * np.arange(-1, 10))
    np.testing.assert_allclose(parts._interpolated(interpolant_of(function), turns)["values"], values, atol=1e-13)
    fine = function(0.3 + 0.001 * np.arange(-1, 10))
    assert parts._classify(function(0.3055 + 0.001 * np.arange(-1, 10)), 0.0)["kinds"][3:6] == [0.0, 1.0, 0.0]
    assert parts._classify(fine, 10.0 * np.abs(fine).max())["kinds"] == [3.0] * 9
    assert parts._classify(values, 0.0)["kinds"][7] == 2.0


def test_the_root_of_a_cell_by_newton_steps_and_by_false_position():
    function = product([0.3, 1.0, 2.0, 4.0])
    cell = [0.29, 0.02, float(function(0.29)), float(function(0.31))]
    assert abs(parts._root_in(interpolant_of(function), cell) - 0.3) < 1e-14
    bracket, f = [0.29, 0.31, cell[2], cell[3], 0.0, 0.31, 0.0, 0.0], cell[3]
    for _ in range(6):
        bracket = parts._narrow(bracket, f)["tighter"]
        np.testing.assert_allclose(bracket[6:], [np.cos(bracket[5]), np.sin(bracket[5])])
        f = float(function(bracket[5]))
    assert abs(bracket[5] - 0.3) < 1e-12
    # A cell without width is its root: so the direct search hands it on.
    assert parts._root_in(interpolant_of(function), [0.7, 0.0, 1.0, -1.0]) == 0.7


SOME = ("xarm6", "RRRRRR 101")  # every arm takes seconds to compile


@pytest.mark.parametrize(
    "name", [*SOME, *(pytest.param(one, marks=pytest.mark.slow) for one in ARMS if one not in SOME)]
)
def test_the_native_call_gives_the_solutions_of_the_direct_search(name):
    robot, ik = arm(name)
    q = positions(ik, 60, 21)
    rotation, position = forward(robot, ik.frame)(q)
    near = np.zeros_like(q)
    found, rest = ik._quick_all(rotation, position, near)
    careful, met, complete = ik._carefully_solved(rotation, position, near)
    whole = rest[:, -1, 2] > 0.0
    assert whole.mean() > 0.85
    assert (rest[:, -1, 0] < 1e-14).all()
    for k in np.flatnonzero(whole):
        ours, theirs = found[k][: int(rest[k, -1, 1])], careful[k][met[k]]
        if complete[k]:
            assert len(ours) == len(theirs)
        for one in theirs:
            assert turned_apart(robot, ours, one).min() < 1e-7
        one, alone = ik._quick_all(rotation[k], position[k], near[k])
        np.testing.assert_array_equal(one[: len(ours)], ours)
        np.testing.assert_array_equal(alone[-1], rest[k, -1])


def test_the_steps_are_those_of_the_traced_programs():
    rng = np.random.default_rng(3)
    function = trace("interpolant", parts._interpolant, {"samples": (parts.SAMPLES,)})
    samples = rng.normal(size=parts.SAMPLES)
    np.testing.assert_allclose(
        evaluate(function, {"samples": samples})["interpolant"],
        parts._interpolant(samples.tolist())["interpolant"],
        rtol=1e-12,
    )
