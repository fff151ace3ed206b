from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.closedform import Coefficients, closed_form
from torquec.closedform.compiled_terms import compile_terms, numbers
from torquec.closedform.polynomial import TrigPolynomial
from torquec.errors import ArgumentError
from torquec.trajectory.motion_box import joint_box


@pytest.fixture(scope="module", params=["stanford", "puma560"])
def entries(request):
    robot = getattr(tq.classics, request.param)()
    form = closed_form(robot)
    return joint_box(robot), [form.M[0, 0], form.christoffel(1, 0, 0), form.g[1], form.M[5, 5]]


def test_values_gradients_and_curvatures_are_those_of_the_polynomial(entries):
    box, polynomials = entries
    for p in polynomials:
        terms, c = compile_terms(list(p.terms)), numbers(p)
        q = box.samples(range(6), 200)
        value, slope, curve = terms.expansion(c, q)
        assert np.allclose(value, p(q), rtol=0, atol=1e-12)
        assert np.allclose(terms.values(q) @ c, p(q), rtol=0, atol=1e-12)
        assert np.allclose(terms.combination(c, q), p(q), rtol=0, atol=1e-12)
        for i, j in enumerate(terms.joints):
            d = p.differentiate(j)
            assert np.allclose(slope[:, i], d(q), rtol=0, atol=1e-12)
            for k, m in enumerate(terms.joints):
                assert np.allclose(curve[:, i, k], d.differentiate(m)(q), rtol=0, atol=1e-12)


def test_a_subset_keeps_the_joints(entries):
    box, (p, *_) = entries
    terms, c = compile_terms(list(p.terms)), numbers(p)
    part = terms.subset(np.array([0, 2]))
    q = box.samples(range(6), 20)
    assert part.joints == terms.joints
    assert np.allclose(part.combination(c[[0, 2]], q), terms.values(q)[:, [0, 2]] @ c[[0, 2]])
    none = terms.subset(np.array([], dtype=int))
    assert not none.combination(np.zeros(0), q).any()
    assert none.expansion(np.zeros(0), q)[2].shape == (20, len(terms.joints), len(terms.joints))


def test_misuse():
    with pytest.raises(ArgumentError, match="given twice"):
        compile_terms([(), ()])
    parametric = closed_form(tq.classics.planar2r(), coefficients=Coefficients.PARAMETERS)
    with pytest.raises(ArgumentError, match="parameters, not numbers"):
        numbers(parametric.M[0, 0])
    assert len(numbers(TrigPolynomial())) == 0
