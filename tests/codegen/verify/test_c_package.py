"""Reading packages back, and folders that hold none."""

import shutil

import pytest
from tests.codegen.programs import every_operation

from torquec.codegen.c import write_c_package
from torquec.codegen.verify.c_package import CArray, read_c_package
from torquec.errors import ArgumentError


def test_functions_with_their_arrays(tmp_path):
    write_c_package([every_operation()], tmp_path, prefix="my arm")
    package = read_c_package(tmp_path)
    assert (package.prefix, package.real) == ("my_arm", "double")
    function = package.functions[0]
    assert function.name == "my_arm_every_operation"
    assert function.inputs == (CArray("x", 5), CArray("t", 1), CArray("A", 4))
    assert function.outputs == (CArray("y", 6), CArray("M", 4))
    assert not any(";" in statement for statement in function.statements)


def test_folders_without_a_package(tmp_path):
    with pytest.raises(ArgumentError, match="no such folder"):
        read_c_package(tmp_path / "gone")
    (tmp_path / "a.c").write_text("int x;")
    (tmp_path / "a.h").write_text("extern int x;")
    with pytest.raises(ArgumentError, match="no C package of Torquec"):
        read_c_package(tmp_path)
    for prefix in ("p", "q"):
        for file in write_c_package([every_operation()], tmp_path / prefix, prefix=prefix):
            shutil.copy(file, tmp_path)
    with pytest.raises(ArgumentError, match="more than one C package: p, q"):
        read_c_package(tmp_path)


def test_a_package_that_was_changed(tmp_path):
    write_c_package([every_operation()], tmp_path, prefix="p")
    header = tmp_path / "p.h"
    text = header.read_text()
    header.write_text(text.replace("const double x[5]", "const char *x"))
    with pytest.raises(ArgumentError, match=r"has the parameter 'const char \*x'"):
        read_c_package(tmp_path)
    header.write_text(text.replace("p_every_operation(", "p_other("))
    with pytest.raises(ArgumentError, match="declared and not defined"):
        read_c_package(tmp_path)
