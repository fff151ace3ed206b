"""`to_jax` and `to_torch`: the functions of a model in other libraries; `tests/codegen/test_jax.py` has their rules."""

from __future__ import annotations

import sys

import pytest

import torquec as tq
from torquec.errors import ArgumentError, MissingExtraError


@pytest.mark.parametrize(("name", "extra"), [("to_jax", "jax"), ("to_torch", "torch")])
def test_without_its_library_the_extra_is_named(monkeypatch, name, extra):
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(MissingExtraError, match=rf"torquec\[{extra}\]"):
        getattr(tq, name)(tq.classics.planar2r(), "mass_matrix")


@pytest.mark.parametrize("name", ["to_jax", "to_torch"])
def test_an_unknown_quantity_is_refused_first(name):
    with pytest.raises(ArgumentError, match="no_such"):
        getattr(tq, name)(tq.classics.planar2r(), "no_such")
