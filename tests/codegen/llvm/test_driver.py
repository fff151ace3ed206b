"""Drivers: loops in LLVM text around compiled functions, for one state and for batches."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.codegen.llvm import compile_function
from torquec.codegen.llvm.callable import CallPath
from torquec.codegen.llvm.driver import native_driver
from torquec.errors import ArgumentError, CompileError
from torquec.expr import trace

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
