"""The self-test inside an object finds what is wrong, and which function it is."""

import ctypes
import struct

import pytest
from tests.codegen.object.machines import HostObject
from tests.codegen.programs import every_operation

from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.load import LoadedObject
from torquec.codegen.object.module import compile_text, object_text
from torquec.codegen.object.triple import host_triple, machine_target
from torquec.codegen.precision import Precision
from torquec.expr import trace
from torquec.expr.math import sqrt


@pytest.mark.parametrize("precision", Precision)
def test_functions_that_agree_give_zero(precision):
    odd = trace("odd", lambda x: {"y": [sqrt(x[0] - 10.0), x[0] / (x[0] - x[0] * 1.0), 2.0]}, {"x": (1,)})
    empty = trace("empty", lambda: {"y": [1.0]}, {})
    assert HostObject([every_operation(), odd, empty], precision).selftest() == 0


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_the_first_wrong_function_is_named_by_its_number(wrong):
    functions = [trace(f"f{k}", lambda x, k=k: {"y": [x[0] * (k + 0.375)]}, {"x": (1,)}) for k in (1, 2, 3)]
    text = object_text(functions, ["a", "b", "c"], selftest="s", precision=Precision.DOUBLE)

    def bits(value):
        return f"0x{struct.pack('>d', value).hex().upper()}"

    assert text.count(f", {bits(wrong + 0.375)}") + text.count(f"{bits(wrong + 0.375)},") == 1
    changed = text.replace(bits(wrong + 0.375), bits(wrong + 0.376))
    code = compile_text(changed, machine_target(host_triple()), precision=Precision.DOUBLE).code
    loaded = LoadedObject(code, host_cpu(), {})
    assert ctypes.CFUNCTYPE(ctypes.c_int)(loaded.address("s"))() == wrong
