"""Garbage collection is off while a program is traced, and afterwards what it was."""

import gc

import pytest

from torquec.expr import trace
from torquec.foundation.paused_collection import paused_collection


def test_it_is_off_inside_and_as_before_afterwards():
    seen = []
    trace("f", lambda x: seen.append(gc.isenabled()) or {"y": x[0] * x[0]}, {"x": (1,)})
    assert seen == [False]
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), paused_collection():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off():
    gc.disable()
    try:
        with paused_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
