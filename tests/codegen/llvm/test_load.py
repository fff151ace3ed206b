"""Objects that LLVM made are whole; those that are cut off, emptied or of another kind are not."""

from __future__ import annotations

import ctypes
import math
import random
import struct

import pytest
from tests.codegen.llvm.programs import arm

from torquec.codegen.llvm import load as load_file
from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.load import MACH_O, LoadedObject, is_whole_object, libm_slots
from torquec.codegen.llvm.module import KERNEL, PACKED, compile_scalar, object_code
from torquec.errors import CompileError


@pytest.fixture(scope="module")
def code():
    return compile_scalar(arm(), host_cpu())


def test_what_llvm_makes_is_whole(code):
    assert is_whole_object(code, [KERNEL, PACKED])
    assert not is_whole_object(code, ["no_such_kernel"])


def test_what_is_cut_off_is_not(code):
    for length in {0, 1, 4, 63, 64, *range(65, len(code), 97), len(code) - 1}:
        assert not is_whole_object(code[:length], [KERNEL]), length


def test_what_is_garbage_is_not(code):
    rng = random.Random(1)
    for _ in range(100):
        assert not is_whole_object(code[:4] + rng.randbytes(4000) + KERNEL.encode() + b"\0", [KERNEL])
    assert not is_whole_object(b"garbage", [])
    assert not is_whole_object(code[:64] + bytes(len(code) - 64), [KERNEL])


def test_segments_of_mach_o():
    """Header, one segment of 16 bytes behind it."""
    segment = struct.pack("<II16sQQQQ", 0x19, 72, b"__TEXT", 0, 16, 104, 16) + bytes(16)
    whole = MACH_O + struct.pack("<IIIIIII", 0, 0, 1, 1, 72, 0, 0) + segment + b"_kernel\0".ljust(16, b"\0")
    assert is_whole_object(whole, ["kernel"])
    assert not is_whole_object(whole[:-1], ["kernel"])
    assert not is_whole_object(whole[:60], [])
    assert not is_whole_object(MACH_O + bytes(100), [])


TEXT = """
@answer = global ptr null
define i64 @get() {
  %p = load ptr, ptr @answer
  %i = ptrtoint ptr %p to i64
  ret i64 %i
}
"""


def test_slots_are_filled():
    loaded = LoadedObject(object_code(TEXT, host_cpu()), host_cpu(), {"answer": 42})
    get = ctypes.CFUNCTYPE(ctypes.c_int64)(loaded.address("get"))
    assert get() == 42
    loaded.fill("answer", 43)
    assert get() == 43


def test_the_platforms_functions_are_found():
    sine = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(libm_slots()["libm_sin"])
    assert sine(1e6) == math.sin(1e6)


def test_without_a_c_library_python_serves():
    sine = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(load_file._python_function("sin"))
    assert sine(1e6) == math.sin(1e6)
    assert math.isnan(sine(math.inf))


def test_object_code_that_is_none_is_our_error():
    with pytest.raises(CompileError, match="not object code"):
        LoadedObject(b"not an object", host_cpu(), {})


def test_missing_symbols_are_our_error():
    loaded = LoadedObject(object_code("define void @f() { ret void }", host_cpu()), host_cpu(), {})
    with pytest.raises(CompileError, match="lacks 'g'"):
        loaded.address("g")
    with pytest.raises(CompileError, match="lacks the slot 'g'"):
        loaded.fill("g", 1)
