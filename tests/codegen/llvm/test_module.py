import pytest
from tests.codegen.llvm.programs import arm

from torquec.codegen.llvm import compile_function, host_cpu
from torquec.codegen.llvm import module as module_file
from torquec.codegen.llvm.module import compile_batch, compile_scalar, object_code
from torquec.errors import CompileError, ExpressionError
from torquec.expr import Function, Op, Operation, Port


def test_the_same_function_gives_the_same_bytes():
    assert compile_scalar(arm(), host_cpu()) == compile_scalar(arm(), host_cpu())
    assert compile_batch(arm(), host_cpu()) == compile_batch(arm(), host_cpu())


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
