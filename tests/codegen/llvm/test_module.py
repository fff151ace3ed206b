import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, inputs_of, random_program, same_bits

from torquec.codegen.llvm import compile_function, host_cpu
from torquec.codegen.llvm import kernel as kernel_file
from torquec.codegen.llvm import module as module_file
from torquec.codegen.llvm.cpu import plain_cpu
from torquec.codegen.llvm.load import LoadedObject
from torquec.codegen.llvm.module import compile_scalar, object_code
from torquec.errors import CompileError, ExpressionError
from torquec.expr import Function, Op, Operation, Port


@pytest.mark.parametrize("size", [1, 3, 10, 25])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("limit", ["MOST_OPERATIONS_IN_A_PART", "MOST_WRITES_IN_ONE"])
def test_cutting_a_function_into_parts_changes_nothing(monkeypatch, limit, size, seed):
    functions = [random_program(seed, steps=80), every_op(), arm(20)]
    wholes = [compile_function(f) for f in functions]
    monkeypatch.setattr(kernel_file, "MOST_OPERATIONS_IN_ONE", 1)
    monkeypatch.setattr(kernel_file, limit, size)
    for f, whole in zip(functions, wholes, strict=True):
        arrays = inputs_of(f, np.random.default_rng(seed), 11)
        parted = compile_function(f)
        assert same_bits(parted.call(*arrays), whole.call(*arrays))
        assert same_bits(parted.call(*(a[3] for a in arrays)), whole.call(*(a[3] for a in arrays)))


def test_waiting_slots_are_used_again(monkeypatch):
    taken = []
    assign = kernel_file._assign_slots

    def spy(*args):
        taken.append(assign(*args))
        return taken[-1]

    monkeypatch.setattr(kernel_file, "_assign_slots", spy)
    monkeypatch.setattr(kernel_file, "MOST_OPERATIONS_IN_ONE", 1)
    monkeypatch.setattr(kernel_file, "MOST_OPERATIONS_IN_A_PART", 20)
    compile_function(random_program(1, steps=400, ops=(Op.ADD, Op.MUL)))
    ((slots, count),) = taken
    assert count < len(slots) / 2


def test_the_same_function_gives_the_same_bytes():
    assert compile_scalar(arm(), host_cpu()) == compile_scalar(arm(), host_cpu())


def test_a_function_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(module_file, "MOST_OPERATIONS", 10)
    with pytest.raises(CompileError, match=r"function 'arm' has \d+ operations, more than 10"):
        compile_function(arm())


def test_a_malformed_function_is_refused():
    broken = Function("broken", (), (Port("y", ()),), (Operation(Op.ADD, (0, 1)),), ((0,),))
    with pytest.raises(ExpressionError, match="not yet defined"):
        compile_function(broken)


def test_what_llvm_refuses_is_our_error():
    with pytest.raises(CompileError, match="LLVM refused"):
        object_code("define nonsense", host_cpu())


def test_object_code_that_is_none_is_our_error():
    with pytest.raises(CompileError, match="not object code"):
        LoadedObject(b"not an object", host_cpu(), {})


def test_missing_symbols_are_our_error():
    loaded = LoadedObject(object_code("define void @f() { ret void }", host_cpu()), host_cpu(), {})
    with pytest.raises(CompileError, match="lacks 'g'"):
        loaded.address("g")
    with pytest.raises(CompileError, match="lacks the slot 'g'"):
        loaded.fill("g", 1)


def test_a_width_that_the_host_lacks_is_refused():
    with pytest.raises(CompileError, match="no vectors of 16 doubles"):
        plain_cpu(16)
