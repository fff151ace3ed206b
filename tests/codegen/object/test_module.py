"""The self-test inside an object finds what is wrong, and which function it is."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, build, needs_compiler
from tests.codegen.object.machines import HostObject, each_triple
from tests.codegen.programs import evaluate_exactly, every_operation, random_function, random_inputs

from torquec.codegen.c.package import c_package
from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.load import LoadedObject
from torquec.codegen.object.module import check_single, compile_object, compile_text, object_text
from torquec.codegen.object.triple import host_triple, machine_target
from torquec.codegen.precision import Precision
from torquec.errors import CompileError
from torquec.expr import trace
from torquec.expr.math import atan2, exp, sincos, sqrt
from torquec.foundation.writing import write_package


@pytest.mark.parametrize("precision", Precision)
def test_functions_that_agree_give_zero(precision):
    odd = trace("odd", lambda x: {"y": [sqrt(x[0] - 10.0), x[0] / (x[0] - x[0] * 1.0), 2.0]}, {"x": (1,)})
    empty = trace("empty", lambda: {"y": [1.0]}, {})
    assert HostObject([every_operation(), odd, empty], precision).selftest() == 0


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_the_first_wrong_function_is_named_by_its_number(wrong):
    functions = [trace(f"f{k}", lambda x, k=k: {"y": [x[0] * (k + 0.375)]}, {"x": (1,)}) for k in (1, 2, 3)]
    text = object_text(functions, ["a", "b", "c"], selftest="s", precision=Precision.DOUBLE)

    def bits(value):
        return f"0x{struct.pack('>d', value).hex().upper()}"

    assert text.count(f", {bits(wrong + 0.375)}") + text.count(f"{bits(wrong + 0.375)},") == 1
    changed = text.replace(bits(wrong + 0.375), bits(wrong + 0.376))
    code = compile_text(changed, machine_target(host_triple()), precision=Precision.DOUBLE).code
    loaded = LoadedObject(code, host_cpu(), {})
    assert ctypes.CFUNCTYPE(ctypes.c_int)(loaded.address("s"))() == wrong


M7 = "thumbv7em-none-eabihf"


@each_triple
@pytest.mark.parametrize("precision", Precision)
def test_every_known_processor_has_an_object_of_every_operation(triple, precision):
    made = compile_object(
        [every_operation()], ["p_f"], machine_target(triple), selftest="p_selftest", precision=precision
    )
    software = triple.startswith("thumbv6m") or (triple.startswith("thumbv8m") and precision is Precision.DOUBLE)
    assert set(made.needs) - {"_fltused"} == set() or software
    assert 0 < made.stack["p_f"] < 1024
    assert 0 < made.text_bytes < 8192


@pytest.mark.parametrize("seed", range(3))
def test_bits_are_those_of_the_reference(seed):
    function = random_function(seed, smooth=True)
    if any(step.op.value in ("exp", "atan2") for step in function.operations):
        function = trace(function.name, lambda x, t, A: {"y": [sincos(x[0] * t)[0] / (2.0 + A[0][1])]},
                         {"x": (5,), "t": (), "A": (2, 2)})  # fmt: skip
    native = HostObject([function])
    inputs = random_inputs(seed)
    for k in range(3):
        state = {name: value[k] for name, value in inputs.items()}
        for name, value in evaluate_exactly(function, state).items():
            np.testing.assert_array_equal(native(function.name, state)[name], value)


@needs_compiler
def test_floats_are_those_of_the_c_package(tmp_path):
    """Sines, roots, choices and quotients in single precision: gcc or clang without contraction, the same bits."""

    def algorithm(x):
        s, c = zip(*map(sincos, x), strict=True)
        return {"y": [*s, *c, s[0] / (2.0 + c[1]) - x[2] * x[3], s[1] * c[2] + x[0] * s[3]]}

    function = trace("f", algorithm, {"x": (8,)})
    native = HostObject([function], Precision.SINGLE)
    write_package(
        tmp_path, c_package([function], prefix="p", precision=Precision.SINGLE), name="p", target="c", force=True
    )
    library = tmp_path / "p.so"
    build(COMPILERS[-1], "-O2", "-ffp-contract=off", "-shared", "-fPIC", tmp_path / "p.c", "-lm", "-o", library)
    compiled = ctypes.CDLL(str(library)).p_f
    rng = np.random.default_rng(5)
    for scale in (1.0, 30.0, 4000.0, 1e-6):
        x = rng.uniform(-scale, scale, 8).astype(np.float32)
        y = np.zeros(18, np.float32)
        compiled(x.ctypes.data_as(ctypes.c_void_p), y.ctypes.data_as(ctypes.c_void_p))
        np.testing.assert_array_equal(native("f", {"x": x})["y"], y)


def test_exponentials_and_angles_of_points_in_floats():
    function = trace("f", lambda x: {"y": [exp(x[0]), atan2(x[0], x[1])]}, {"x": (2,)})
    native = HostObject([function], Precision.SINGLE)
    rng = np.random.default_rng(1)
    cases = [*rng.normal(scale=20.0, size=(400, 2)), [0.0, -1.0], [0.0, 0.0], [-100.0, 1e-3], [90.0, 1.0], [1.0, 1.0]]
    for x in np.array(cases, np.float32):
        wide = x.astype(float)
        with np.errstate(over="ignore"):
            expected = np.array([np.exp(wide[0]), np.arctan2(wide[0], wide[1])]).astype(np.float32)
        np.testing.assert_allclose(native("f", {"x": x})["y"], expected, rtol=4e-7, atol=1e-44)
    assert np.isnan(native("f", {"x": np.array([np.nan, 1.0])})["y"]).all()


@pytest.mark.parametrize("precision", Precision)
def test_large_and_odd_angles_need_no_library(precision):
    real = np.float32 if precision is Precision.SINGLE else np.float64
    function = trace("f", lambda x: {"y": list(sincos(x[0]))}, {"x": (1,)})
    native = HostObject([function], precision)
    rng = np.random.default_rng(2)
    largest = float(np.finfo(real).max)
    angles = [*(10.0 ** rng.uniform(3, 37, 300)), 4096.5, -5000.0, largest, -largest, 1e5, -1.00001e5]
    for angle in np.array(angles, real):
        wide = np.array([np.sin(np.float64(angle)), np.cos(np.float64(angle))])
        tolerance = 3e-7 if precision is Precision.SINGLE else 1e-15
        np.testing.assert_allclose(native("f", {"x": np.array([angle])})["y"], wide, rtol=0, atol=tolerance)
    for angle in (np.inf, -np.inf, np.nan):
        assert np.isnan(native("f", {"x": np.array([angle])})["y"]).all()


def test_the_same_bytes_again():
    made = [
        compile_object([every_operation()], ["p_f"], machine_target(M7), selftest="p_s", precision=Precision.SINGLE)
        for _ in range(2)
    ]
    assert made[0].code == made[1].code


def test_arrays_may_overlap():
    function = trace("f", lambda x: {"y": [x[1], x[0]], "z": [x[0] * x[1]]}, {"x": (2,)})
    native = HostObject([function])
    memory = np.array([2.0, 3.0, 0.0])
    native.raw("p_f", memory, memory, memory[2:])
    np.testing.assert_array_equal(memory, [3.0, 2.0, 6.0])


def planted(text: str) -> str:
    """The module with one product computed in doubles: the bug that users of float packages meet."""
    first = next(line for line in text.splitlines() if " = fmul float" in line)
    name, _, operands = first.partition(" = fmul float ")
    a, b = operands.split(", ")
    name = name.strip()
    lines = [
        f"  {name}_a = fpext float {a} to double",
        f"  {name}_b = fpext float {b} to double",
        f"  {name}_c = fmul double {name}_a, {name}_b",
        f"  {name} = fptrunc double {name}_c to float",
    ]
    return text.replace(first, "\n".join(lines), 1)


@each_triple
def test_float_means_float(triple):
    """A double operation planted in a float package is refused, as an instruction or as a call of software."""
    text = object_text([every_operation()], ["p_f"], selftest="p_s", precision=Precision.SINGLE)
    compile_text(text, machine_target(triple), precision=Precision.SINGLE)
    with pytest.raises(CompileError, match="is to compute floats, and computes with doubles") as caught:
        compile_text(planted(text), machine_target(triple), precision=Precision.SINGLE)
    # Seen in the machine code itself, not in the text that it was made from.
    assert "fpext" not in str(caught.value).split(";")[0]


def test_an_unchecked_family_has_no_floats():
    with pytest.raises(CompileError, match="cannot be checked"):
        check_single("", "", (), machine_target("powerpc64le-linux-gnu"))
    assert compile_object(
        [every_operation()], ["p_f"], machine_target("powerpc64le-linux-gnu"), selftest="p_s"
    ).code.startswith(b"\x7fELF")


def test_what_llvm_cannot_do_is_an_error_not_a_crash():
    """LLVM ends the process on some processors: another process takes that."""
    with pytest.raises(CompileError, match="LLVM fails on code"):
        compile_object([every_operation()], ["p_f"], machine_target("bpf"), selftest="p_s")
