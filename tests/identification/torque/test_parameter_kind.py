"""Kinds of parameters: which belong to friction, dissipate, refine; and every friction column has one."""

from __future__ import annotations

import pytest

from torquec.dynamics.friction import TERMS
from torquec.identification.torque.parameter_kind import ParameterKind
from torquec.identification.torque.torque_columns import FrictionModel, friction_kinds, friction_names
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
