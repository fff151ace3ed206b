"""Functions that are written together have different names."""

from __future__ import annotations

import pytest

from torquec.codegen.function_names import check_names
from torquec.errors import ArgumentError
from torquec.expr import Function


def test_there_are_functions_and_no_two_of_one_name():
    one, two = Function("one", (), (), (), ()), Function("two", (), (), (), ())
    check_names([one, two])
    with pytest.raises(ArgumentError, match="there is no function to write"):
        check_names([])
    with pytest.raises(ArgumentError, match="more than one function is called 'one'"):
        check_names([one, two, one])
