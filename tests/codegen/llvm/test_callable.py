import ctypes
import gc

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, inputs_of, same_bits

from torquec.codegen.llvm import CompileOptions, compile_function
from torquec.errors import ArgumentError, CompileError
from torquec.expr import trace


def test_it_says_what_it_is():
    native = compile_function(every_op())
    assert repr(native) == "<NativeFunction every_op(a, b, *, out=None, threads=None)>"
    assert (native.name, native.inputs, native.outputs) == ("every_op", every_op().inputs, every_op().outputs)
    assert native.function == every_op()


def test_the_object_can_be_called_too():
    native = compile_function(arm())
    arrays = inputs_of(arm(), np.random.default_rng(0))
    assert same_bits(native(*arrays), native.call(*arrays))


def test_the_batch_kernel_can_be_called_from_c():
    native = compile_function(arm())
    q, qd = inputs_of(arm(), np.random.default_rng(1), 21)
    tau = np.empty((21, 5))
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(native.batch_address)
    inputs = (ctypes.c_void_p * 2)(q.ctypes.data, qd.ctypes.data)
    outputs = (ctypes.c_void_p * 1)(tau.ctypes.data)
    kernel(21, inputs, outputs)
    assert same_bits(tau, native.call(q, qd))


def test_an_address_outlives_its_function():
    """A bare address keeps nothing alive by itself; before, this was code that had been freed."""
    function = trace("f", lambda x: {"y": [x[0] * 3.0]}, {"x": (1,)})
    address = compile_function(function).address
    gc.collect()
    others = [compile_function(arm()) for _ in range(3)]  # which would take the place of what is free
    x, y = np.array([2.0]), np.zeros(1)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)(x.ctypes.data, y.ctypes.data)
    assert y[0] == 6.0
    assert others


@pytest.mark.parametrize("name", ["out", "threads"])
def test_an_input_cannot_have_a_keywords_name(name):
    f = trace("f", lambda **x: {"y": x[name][0]}, {name: (1,)})
    with pytest.raises(CompileError, match=f"has an input '{name}'"):
        compile_function(f)


def test_threads_must_be_positive():
    with pytest.raises(ArgumentError, match="threads is 0"):
        compile_function(arm(), options=CompileOptions(threads=0))


def test_more_ports_than_the_trampoline_takes():
    inputs = {f"x{k}": (1,) for k in range(40)}
    f = trace("many", lambda **x: {"y": sum(value[0] for value in x.values())}, inputs)
    native = compile_function(f)
    assert float(native.call(*np.arange(40.0).reshape(40, 1))) == 780.0
    assert native.call(*np.ones((40, 9, 1))).tolist() == [40.0] * 9


def test_odd_names():
    f = trace("a name", lambda **x: {"y 1": x["x-1"][0]}, {"x-1": (1,)})
    assert compile_function(f).call(np.array([2.0])) == 2.0
