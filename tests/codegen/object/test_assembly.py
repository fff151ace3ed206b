"""Reading assembly: frames of known sizes, double operations of known functions."""

from __future__ import annotations

import pytest
from tests.codegen.object.machines import each_triple

from torquec.codegen.object.assembly import (
    double_operations,
    foreign_symbols,
    software_doubles,
    stack_of_functions,
    undefined_symbols,
)
from torquec.codegen.object.module import emit_machine_code
from torquec.codegen.object.triple import machine_target
from torquec.errors import CompileError

TEXT = """
declare void @outside(ptr)
define void @leaf(ptr %x) nounwind noinline {
  %place = alloca [100 x i32], align 4
  call void @outside(ptr %place)
  ret void
}
define void @root(ptr %x) nounwind {
  %place = alloca [50 x i32], align 4
  call void @outside(ptr %place)
  call void @leaf(ptr %x)
  ret void
}
"""
DOUBLES = "define double @f(double %a, double %b) nounwind {\n  %c = fdiv double %a, %b\n  ret double %c\n}\n"
FLOATS = "define float @f(float %a, float %b) nounwind {\n  %c = fdiv float %a, %b\n  ret float %c\n}\n"


@each_triple
def test_a_frame_holds_its_arrays_and_those_of_what_it_calls(triple):
    target = machine_target(triple)
    _, assembly = emit_machine_code(TEXT, target)
    stack = stack_of_functions(assembly, target.family, ["leaf", "root"])
    assert 400 <= stack["leaf"] <= 500
    assert stack["leaf"] + 200 <= stack["root"] <= stack["leaf"] + 300


@each_triple
def test_a_division_of_doubles_is_seen_and_one_of_floats_is_not(triple):
    target = machine_target(triple)
    if triple.startswith(("thumbv6m", "thumbv8m")):  # software: see below
        return
    assert len(double_operations(emit_machine_code(DOUBLES, target)[1], target.family)) == 1
    assert double_operations(emit_machine_code(FLOATS, target)[1], target.family) == []


def test_software_and_foreign_names():
    assert software_doubles(("__divdf3", "__aeabi_ddiv", "__aeabi_f2d", "__divsf3", "__aeabi_fdiv")) == [
        "__divdf3",
        "__aeabi_ddiv",
        "__aeabi_f2d",
    ]
    assert foreign_symbols(("__aeabi_memcpy", "memset", "__muldi3", "sqrtf", "_fltused")) == [
        "__aeabi_memcpy",
        "memset",
    ]
    assert double_operations("", "powerpc") is None


CALLS = """
declare void @quite_a_long_name_from_outside(i32)
declare void @short()
define void @own(i32 %x) nounwind {
  call void @quite_a_long_name_from_outside(i32 %x)
  call void @short()
  ret void
}
"""


@each_triple
def test_what_is_called_and_not_defined(triple):
    code, _ = emit_machine_code(CALLS, machine_target(triple))
    plain = {name.removeprefix("_") for name in undefined_symbols(code)}
    assert plain == {"quite_a_long_name_from_outside", "short"}


def test_nothing_else_is_an_object():
    with pytest.raises(CompileError, match="unknown kind"):
        undefined_symbols(b"MZ" + bytes(100))
