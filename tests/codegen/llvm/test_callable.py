"""Native functions, and drivers: loops in LLVM text around them; for one state and for batches."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, inputs_of, same_bits

from torquec.codegen.llvm import CompileOptions, compile_function
from torquec.codegen.llvm.callable import CallPath, native_driver
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


TEXT = """
@halve = global ptr null

define void @packed(ptr %inputs, ptr %outputs) nounwind {
entry:
  %from = alloca [2 x double]
  %in = alloca ptr
  %x_at = load ptr, ptr %inputs
  %y = load ptr, ptr %outputs
  %steps_slot = getelementptr ptr, ptr %outputs, i64 1
  %steps = load ptr, ptr %steps_slot
  store double 0.0, ptr %steps
  %x = load double, ptr %x_at
  store double %x, ptr %y
  br label %look
look:
  %now = load double, ptr %y
  %large = fcmp ogt double %now, 1.0
  br i1 %large, label %step, label %end
step:
  store double %now, ptr %from
  store ptr %from, ptr %in
  %code = load ptr, ptr @halve
  call void %code(ptr %in, ptr %outputs)
  %count = load double, ptr %steps
  %more = fadd double %count, 1.0
  store double %more, ptr %steps
  br label %look
end:
  ret void
}
"""


def driver(text=TEXT, **options):
    """x -> x halved until it is at most 1, and how often."""
    halve = compile_function(trace("halve", lambda x: {"y": 0.5 * x}, {"x": ()}))
    signature = trace("halved", lambda x: {"y": x, "steps": 0.0}, {"x": ()})
    return native_driver(signature, text, {"halve": halve}, **options)


@pytest.mark.parametrize("call_path", CallPath)
def test_a_loop_around_a_function_serves_one_state_and_batches(call_path):
    call = driver(call_path=call_path)
    assert [float(a) for a in call(np.array(12.0))] == [0.75, 4.0]
    x = np.array([1.0, 3.0, 1000.0] * 3000)
    for threads in (1, 2):
        y, steps = call(x, threads=threads)
        np.testing.assert_array_equal(y[:3], [1.0, 0.75, 1000.0 / 1024.0])
        np.testing.assert_array_equal(steps, [0.0, 2.0, 10.0] * 3000)
    with pytest.raises(ArgumentError, match="argument 'x' has shape"):
        call(np.zeros((2, 2)))


def test_text_that_llvm_refuses_and_slots_that_are_missing_are_named():
    with pytest.raises(CompileError, match="LLVM refused"):
        driver(TEXT.replace("ret void", "ret"))
    with pytest.raises(CompileError, match="this is not object code"):
        driver(TEXT.replace("@halve", "@other"))
