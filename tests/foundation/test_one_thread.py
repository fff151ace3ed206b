"""Linear algebra on one thread, and how often its libraries are searched."""

import sys
import types

import numpy as np
import pytest

from torquec.foundation import one_thread as module
from torquec.foundation.one_thread import one_thread

threadpoolctl = pytest.importorskip("threadpoolctl")


def threads():
    return [library["num_threads"] for library in threadpoolctl.threadpool_info()]


def test_libraries_have_one_thread_inside_and_their_own_number_afterwards():
    np.linalg.inv(np.eye(2))
    before = threads()
    with one_thread():
        assert set(threads()) == {1}
        with one_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert threads() == before


def test_libraries_are_searched_again_only_after_an_import(monkeypatch):
    with one_thread():
        pass
    searches = []
    real = threadpoolctl.ThreadpoolController
    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", lambda: searches.append(1) or real())
    for _ in range(3):
        with one_thread():
            pass
    assert not searches
    monkeypatch.setitem(sys.modules, "a_library_of_linear_algebra", types.ModuleType("a_library_of_linear_algebra"))
    with one_thread():
        pass
    assert len(searches) == 1
    module._libraries.cache_clear()


def test_without_threadpoolctl_nothing_is_limited(monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    module._libraries.cache_clear()
    before = threads()
    with one_thread():
        assert threads() == before
