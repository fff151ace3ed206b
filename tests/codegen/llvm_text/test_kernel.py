import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, inputs_of, random_program, same_bits

from torquec.codegen.llvm import compile_function
from torquec.codegen.llvm.cpu import Cpu
from torquec.codegen.llvm_text import kernel as kernel_file
from torquec.expr import Op, trace


@pytest.fixture(autouse=True)
def _leave_all_to_llvm(monkeypatch):
    """Instructions that are written here are in one function, however long."""
    monkeypatch.setattr(Cpu, "assembled_registers", 0)


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


def test_many_outputs_are_written_in_parts():
    f = trace("wide", lambda x: {"y": [x[0] * (k + 0.5) + x[1] for k in range(1000)]}, {"x": (2,)})
    native = compile_function(f)
    rows = np.random.default_rng(0).standard_normal((19, 2))
    expected = rows[:, :1] * (np.arange(1000) + 0.5) + rows[:, 1:]
    assert np.allclose(native.call(rows), expected, rtol=1e-14, atol=1e-12)
    assert same_bits(native.call(rows)[7], native.call(rows[7]))
