"""The runtime as a library: compiled once, and a clear word where it cannot be."""

from __future__ import annotations

import pytest
from tests.codegen.c.compiler import COMPILERS, needs_compiler

from torquec.errors import CompileError
from torquec.realtime.runtime.library import (
    check_layout,
    compile_sources,
    find_compiler,
    layout,
    runtime_library,
    runtime_sources,
)


@needs_compiler
def test_structures_are_those_of_the_sources():
    check_layout(runtime_library())
    assert layout()[0] % 8 == 0


def test_without_a_compiler_the_remedy_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(CompileError, match="there is no C compiler") as refused:
        find_compiler()
    assert "apt install gcc" in str(refused.value)
    assert "--target rt-c" in str(refused.value)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CompileError, match="CC names 'no-such-compiler'"):
        find_compiler()


def test_another_system_is_told(monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(CompileError, match="needs Linux"):
        find_compiler()


@needs_compiler
def test_sources_that_do_not_compile_are_told_in_the_compilers_words():
    with pytest.raises(CompileError, match="did not compile"):
        compile_sources(COMPILERS[0], {**runtime_sources(), "broken.c": "int f(void) { return 1 }"})


def test_a_compiler_that_cannot_run(tmp_path):
    with pytest.raises(CompileError, match="could not be run"):
        compile_sources(str(tmp_path / "nothing"), {})


class _OtherLayout:
    @staticmethod
    def torquec_loop_layout(found):
        found[0] = 1


def test_a_layout_that_differs_is_refused():
    with pytest.raises(CompileError, match="other structures"):
        check_layout(_OtherLayout())
