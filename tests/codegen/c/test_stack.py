"""The stated stack is never less than what compilers report."""

from __future__ import annotations

import re
import shutil

import pytest
from tests.codegen.c.compiler import build

import torquec as tq
from torquec.codegen.c.names import package_names
from torquec.codegen.c.package import c_package
from torquec.codegen.c.scalar import SCALARS
from torquec.codegen.c.source import written_program
from torquec.codegen.c.stack import stack_bytes
from torquec.codegen.precision import Precision
from torquec.expr import Op, trace
from torquec.expr.math import sincos

ARM = ("arm-none-eabi-gcc", "-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-mthumb")


@pytest.mark.parametrize("compiler", [("gcc",), ("gcc", "-march=native"), ARM], ids=["gcc", "native", "cortex-m7"])
@pytest.mark.parametrize("precision", Precision)
def test_never_below_what_gcc_reports(tmp_path, compiler, precision):
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not here")
    model = tq.compile(tq.classics.puma560())
    functions = [
        model.function(name) for name in ("inverse_dynamics", "forward_dynamics", "regressor", "friction_torque")
    ]
    scalar = SCALARS[precision]
    names = package_names(functions, "p", scalar=scalar)
    for name, text in c_package(functions, prefix="p", scalar=scalar).items():
        (tmp_path / name).write_text(text)
    stated = {symbol: stack_bytes(f, names) for symbol, f in zip(names.functions, functions, strict=True)}
    for level in ("-O0", "-O2", "-O3"):
        build(*compiler, "-std=c99", level, "-fstack-usage", "-c", tmp_path / "p.c", "-o", tmp_path / "p.o")
        found = dict(re.findall(r":(p_\w+)\t(\d+)", (tmp_path / "p.su").read_text()))
        inner = sum(int(size) for symbol, size in found.items() if symbol not in stated)
        for symbol, most in stated.items():
            turning = any(step.op is Op.SIN for step in functions[names.functions.index(symbol)].operations)
            assert int(found[symbol]) + inner * turning <= most, (level, symbol)


def test_the_bound_by_hand():
    """A place for each statement and each input, and a frame; with angles 12 more for four of them, 112, two frames."""
    plain = trace("f", lambda x: {"y": [x[0] * x[1]]}, {"x": (2,)})
    turned = trace("g", lambda x: {"y": [sincos(x[0])[0]]}, {"x": (1,)})
    for precision, size in ((Precision.DOUBLE, 8), (Precision.SINGLE, 4)):
        names = package_names([plain, turned], "p", scalar=SCALARS[precision])
        few = len(written_program(plain, names).statements)
        assert stack_bytes(plain, names) == 256 + size * (few + 2)
        several = len(written_program(turned, names).statements)
        assert stack_bytes(turned, names) == 3 * 256 + size * (several - 1 + 12 + 1 + 112)
