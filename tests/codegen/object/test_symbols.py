"""Symbol tables of three kinds of objects, against what was asked from outside."""

import pytest
from tests.codegen.object.machines import each_triple

from torquec.codegen.object.module import emit_machine_code
from torquec.codegen.object.symbols import undefined_symbols
from torquec.codegen.object.triple import machine_target
from torquec.errors import CompileError

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
