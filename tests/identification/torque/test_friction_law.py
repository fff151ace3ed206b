"""Shapes of Coulomb friction at reversals: known values, hysteresis, and what stands still."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.dynamics.friction import TERMS
from torquec.errors import ArgumentError
from torquec.identification.torque.friction_law import (
    STEP,
    CoulombShape,
    FrictionModel,
    ParameterKind,
    Turnover,
    friction_kinds,
    friction_names,
)
from torquec.identification.torque.torque_model import torque_model
from torquec.robot import classics
from torquec.robot.friction import FRICTION_WORDS, FrictionSign, FrictionWord


@pytest.mark.parametrize("friction", FrictionModel)
def test_every_friction_column_has_a_kind_of_friction(friction):
    shafts = torque_model(classics.planar2r(), friction=friction).shafts
    kinds = friction_kinds(shafts, friction)
    assert len(kinds) == len(friction_names(shafts, friction))
    assert all(kind.is_friction for kind in kinds)


def test_what_is_no_friction_does_not_dissipate():
    for kind in (ParameterKind.BASE, ParameterKind.COLUMN):
        assert not any((kind.is_friction, kind.is_dissipative, kind.is_refinement))


def test_every_term_but_the_offset_is_dissipative():
    assert not ParameterKind.OFFSET.is_dissipative
    assert all(ParameterKind(name).is_dissipative for name in set(TERMS) - {"offset"})


def test_a_new_term_is_what_the_sign_of_its_word_says(monkeypatch):
    for sign, kind in ((FrictionSign.MAGNITUDE, ParameterKind.DISSIPATION), (FrictionSign.ANY, ParameterKind.FRICTION)):
        monkeypatch.setitem(FRICTION_WORDS, "steep", FrictionWord("friction with the third power", "-", sign))
        assert ParameterKind.of_friction("steep") is kind
        assert kind.is_refinement
        assert kind.is_dissipative is (sign is FrictionSign.MAGNITUDE)


def test_the_terms_beside_the_usual_ones_are_refinements():
    refined = {name for name in TERMS if ParameterKind(name).is_refinement}
    assert refined == set(TERMS) - {"viscous", "coulomb", "offset"}


def test_a_step_and_a_smooth_one():
    speed = np.array([-2.0, 0.0, 0.5])
    assert STEP.direction(None, speed).tolist() == [-1.0, 0.0, 1.0]
    assert np.allclose(CoulombShape(Turnover.SPEED, 0.5).direction(None, speed), np.tanh(2.0 * speed))


def test_a_bent_one_has_the_solution_of_its_differential_equation():
    width, t = 0.1, np.linspace(0.0, 6.0, 60001)
    x = np.sin(t) + 0.3 * np.sin(3.1 * t)
    z, expected = 0.0, []
    for step in np.diff(x):  # Euler, on a fine grid
        expected.append(z)
        z += (np.sign(step) - z) * abs(step) / width
    found = CoulombShape(Turnover.DISTANCE, width).direction(x, np.gradient(x, t))
    assert np.abs(found[:-1] - expected).max() < 2e-3


def test_it_does_not_depend_on_speed_and_keeps_its_value_at_rest():
    shape = CoulombShape(Turnover.DISTANCE, 0.05)
    x = np.array([0.0, 0.1, 0.2, 0.2, 0.2, 0.19])
    z = shape.direction(x, np.zeros(6))
    assert z[2] == z[3] == z[4]
    assert z[5] < z[4]
    fine = shape.direction(np.interp(np.linspace(0.0, 5.0, 501), np.arange(6.0), x), np.zeros(501))
    assert np.allclose(fine[::100], z)


def test_small_widths_are_the_step():
    t = np.linspace(0.0, 10.0, 1000)
    x = np.sin(t)[:, None] * [1.0, -2.0]
    speed = np.cos(t)[:, None] * [1.0, -2.0]
    moving = np.abs(speed).min(axis=1) > 0.05
    z = CoulombShape(Turnover.DISTANCE, 1e-6).direction(x, speed)
    assert np.allclose(z[1:][moving[1:]], np.sign(speed)[1:][moving[1:]])


def test_words_and_misuse():
    assert [str(STEP), str(CoulombShape(Turnover.DISTANCE, 0.001))] == ["at once", "over 0.001 rad"]
    with pytest.raises(ArgumentError, match="width"):
        CoulombShape(Turnover.SPEED)
    with pytest.raises(ArgumentError, match="positions"):
        CoulombShape(Turnover.DISTANCE, 0.1).direction(None, np.ones(3))


def test_a_way_in_pieces_is_the_whole_way():
    """Also where a piece begins at rest, or at a reversal."""
    rng = np.random.default_rng(4)
    x = np.cumsum(rng.normal(size=(300, 2)) * (rng.uniform(size=(300, 1)) > 0.3), axis=0)
    shape = CoulombShape(Turnover.DISTANCE, 2.0)
    whole = shape.direction(x, np.zeros_like(x))
    for cut in range(1, 299):
        rest = shape.direction(x[cut:], np.zeros_like(x[cut:]), before=(x[cut], whole[cut]))
        assert rest == pytest.approx(whole[cut:], abs=1e-12)
        behind = shape.direction(x[cut + 1 :], np.zeros_like(x[cut + 1 :]), before=(x[cut], whole[cut]))
        assert behind == pytest.approx(whole[cut + 1 :], abs=1e-12)
