"""Whether M has an inverse everywhere: shown where it has, refused where it has not, with the place."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from tests.model.kinds import model_of

from torquec.errors import RefusedQuantityError
from torquec.expr import trace
from torquec.expr.math import sincos
from torquec.model.model import Model
from torquec.model.model_parameters import ModelKind
from torquec.proof.inertia.nonsingular_mass_matrix import mass_matrix_regularity
from torquec.robot.classics import load_classic

TURN = ((-np.pi, -np.pi), (np.pi, np.pi))


def matrix(entries):
    def algorithm(q):
        (s1, c1), (s2, c2) = sincos(q[0]), sincos(q[1])
        return {"M": entries(s1, c1, s2, c2)}

    return trace("mass_matrix", algorithm, {"q": (2,)})


def test_a_dominant_diagonal_is_shown():
    found = mass_matrix_regularity(matrix(lambda s, c, t, d: [[2.0 + d, 0.5 * c], [0.4 * s, 1.0]]), *TURN)
    assert found.shown
    assert found.where is None


def test_a_singular_place_is_named():
    found = mass_matrix_regularity(matrix(lambda s, c, t, d: [[1.0, c], [c, 1.0 - 0.01 * t]]), *TURN)
    assert not found.shown
    lower, upper = found.where
    middle = 0.5 * (np.array(lower) + upper)
    assert abs(np.cos(middle[0]) ** 2 - (1.0 - 0.01 * np.sin(middle[1]))) < 0.02


def test_a_regular_matrix_whose_last_block_vanishes_is_not_shown():
    """Elimination without exchanging rows would divide by zero."""
    assert not mass_matrix_regularity(matrix(lambda s, c, t, d: [[0.0, 1.0], [1.0, s]]), *TURN).shown


def test_a_constant_singular_matrix_is_found_at_once():
    found = mass_matrix_regularity(matrix(lambda s, c, t, d: [[1.0, 1.0], [1.0, 1.0]]), *TURN)
    assert (found.shown, found.boxes) == (False, 1)


def test_what_is_shown_agrees_with_samples():
    rng = np.random.default_rng(0)
    verdicts = set()
    for k in range(30):
        a = rng.uniform(-1.0, 1.0, 6)
        size = 0.5 + 0.1 * k
        function = matrix(
            lambda s, c, t, d, a=a, size=size: [
                [size + a[0] * c, a[1] * s + a[2] * d],
                [a[3] * t, size + a[4] * c * d + a[5] * s],
            ]
        )
        found = mass_matrix_regularity(function, *TURN)
        verdicts.add(found.shown)
        if found.shown:
            q = rng.uniform(-np.pi, np.pi, (2, 20_000))
            (s, c), (t, d) = ((np.sin(x), np.cos(x)) for x in q)
            det = (size + a[0] * c) * (size + a[4] * c * d + a[5] * s) - (a[1] * s + a[2] * d) * a[3] * t
            assert det.min() > 0.0
    assert verdicts == {True, False}


def test_forward_dynamics_is_refused_there_and_had_only_by_its_long_name():
    robot = load_classic("planar2r")

    def program(q, qd, qdd):
        _, c = sincos(q[1])
        return {"tau": [qdd[0] + c * qdd[1], c * qdd[0] + qdd[1]]}

    function = trace("inverse_dynamics", program, dict.fromkeys(("q", "qd", "qdd"), (2,)))
    model = Model(robot, MappingProxyType({"inverse_dynamics": function}), kind=ModelKind.ABBREVIATED)
    for quantity in ("forward_dynamics", "forward_dynamics_derivatives"):
        with pytest.raises(RefusedQuantityError, match="may be singular with joint1 from") as caught:
            model.function(quantity)
        assert "assuming_regular_mass_matrix" in caught.value.remedy
        assert quantity in model.refused()
    anyway = model.assuming_regular_mass_matrix()
    q, qd, tau = np.array([0.1, 1.0]), np.zeros(2), np.array([1.0, 2.0])
    qdd = anyway.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(anyway.inverse_dynamics(q, qd, qdd), tau, atol=1e-14)
    with pytest.raises(RefusedQuantityError):
        _ = replace(anyway, assumed_regular=False).forward_dynamics


@pytest.mark.parametrize("name", ["puma560", "scara"])
@pytest.mark.parametrize("kind", [kind for kind in ModelKind if kind.follows_program])
def test_simplified_arms_are_shown(name, kind):
    assert model_of(name, kind).regularity.shown
