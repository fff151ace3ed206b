import ctypes
import math

import pytest

from torquec.codegen.llvm import host_cpu
from torquec.codegen.llvm import load as load_file
from torquec.codegen.llvm.load import LoadedObject, libm_slots
from torquec.codegen.llvm.module import object_code
from torquec.errors import CompileError

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
