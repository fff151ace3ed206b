"""The Rust crate: golden text, the bits of C, its own test, hostile names."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.codegen.c.compiler import build, needs_compiler, run
from tests.codegen.programs import every_operation, random_function, random_inputs

import torquec as tq
from torquec.codegen.precision import Precision
from torquec.codegen.rust.package import rust_identifier, rust_package
from torquec.codegen.sincos import ROUND
from torquec.codegen.target import Target, generate_package
from torquec.codegen.verify.c_package import evaluate_c, read_c_package
from torquec.errors import ArgumentError
from torquec.expr import Function, trace
from torquec.expr.math import sincos

needs_rust = pytest.mark.skipif(shutil.which("rustc") is None, reason="no Rust compiler")
RUST = ("rustc", "--edition", "2021", "-O", "-Dwarnings")


def functions() -> list[Function]:
    model = tq.compile(tq.classics.puma560())
    robots = [model.function(name) for name in ("inverse_dynamics", "mass_matrix", "forward_dynamics")]
    return [every_operation(), *map(random_function, range(6)), *robots]


def test_golden_text(golden):
    texts = rust_package(
        [every_operation()], prefix="small", description="All operations.", notes={"every_operation": "SI."}
    )
    for name in ("src/lib.rs", "Cargo.toml"):
        golden(f"rust/{Path(name).name}", texts[name])


def test_golden_selftest(golden):
    """Without sines, which differ between platforms in the last digit."""
    function = trace("product", lambda a, b: {"y": [a[0] * b[1], a[1] - b[0]]}, {"a": (2,), "b": (2,)})
    golden("rust/recorded.rs", rust_package([function], prefix="small")["tests/recorded.rs"])


def printed_bits(folder: Path, made: list[Function], states: list[dict[str, np.ndarray]], real: str) -> list[str]:
    """The bits of all results of a crate, by a program that calls every function at every state."""
    lines = []
    for function in made:
        for state in states:
            given = [
                "&[" + ", ".join(f"{real}::from_bits({bits:#x})" for bits in words) + "]"
                for port in function.inputs
                for words in [state[port.name].reshape(-1).view("u4" if real == "f32" else "u8").tolist()]
            ]
            names = [f"y{k}" for k in range(len(function.outputs))]
            made_here = "".join(
                f"let mut {name}: [{real}; {port.size}] = [0.0; {port.size}];"
                for name, port in zip(names, function.outputs, strict=True)
            )
            arguments = ", ".join([*given, *(f"&mut {name}" for name in names)])
            lines.append(f"    {{ {made_here} {rust_identifier(function.name)}({arguments});")
            lines += [f'      for v in {name} {{ println!("{{:x}}", v.to_bits()); }}' for name in names]
            lines.append("    }")
    (folder / "main.rs").write_text("use p::*;\nfn main() {\n" + "\n".join(lines) + "\n}\n")
    build(*RUST, "--crate-name", "p", "--crate-type", "rlib", folder / "src/lib.rs", "--out-dir", folder)
    build(*RUST[:-1], folder / "main.rs", "--extern", f"p={folder / 'libp.rlib'}", "-o", folder / "main")
    return run(folder / "main").stdout.split()


@needs_rust
@pytest.mark.parametrize("precision", Precision)
def test_bits_are_those_of_c(tmp_path, precision):
    """The text of the C package, evaluated operation by operation; large angles and NaN among the states."""
    real, kind, words = ("f32", "f4", "u4") if precision is Precision.SINGLE else ("f64", "f8", "u8")
    turns = trace("turns", lambda x: {"y": [*sincos(x[0]), *sincos(3.0 * x[1])]}, {"x": (2,)})
    made = [turns, *(f for f in functions() if f.name != "every_operation")]
    made = [f for f in made if not {step.op.value for step in f.operations} & {"exp", "atan2"}]
    generate_package(made, tmp_path / "c", prefix="p", precision=precision)
    generate_package(made, tmp_path / "rust", prefix="p", target=Target.RUST, precision=precision)
    rng = np.random.default_rng(0)
    ports = {port.name: port.shape for f in made for port in f.inputs}
    states = [{name: rng.uniform(-2.0, 2.0, shape).astype(kind) for name, shape in ports.items()} for _ in range(8)]
    found = iter(printed_bits(tmp_path / "rust", made, states, real))
    package = read_c_package(tmp_path / "c")
    for function, own in zip(made, package.functions, strict=True):
        for state in states:
            shapes = {port.name: port.shape for port in function.inputs}
            given = {array.name: state[port].reshape(1, -1) for array, port in zip(own.inputs, shapes, strict=True)}
            for values in evaluate_c(own, given, package.real).values():
                expected = [f"{bits:x}" for bits in np.asarray(values, kind).reshape(-1).view(words).tolist()]
                assert [next(found) for _ in expected] == expected, function.name
    assert next(found, None) is None


@needs_rust
@needs_compiler
def test_library_functions_have_the_bits_of_compiled_c(tmp_path):
    """Exponentials, angles of points, square roots and far angles are those of the C library in both."""
    from tests.codegen.c.compiler import Library

    made = [every_operation(), *map(random_function, range(6))]
    library = Library(tmp_path / "c", made, "-O2", "-ffp-contract=off")
    generate_package(made, tmp_path / "rust", prefix="p", target=Target.RUST)
    drawn = random_inputs(5)
    states = [{name: np.array(values[k]) for name, values in drawn.items()} for k in range(3)]
    states.append({name: 1e6 * np.array(values[0]) for name, values in drawn.items()})
    found = printed_bits(tmp_path / "rust", made, states, "f64")
    expected = []
    for function in made:
        for state in states:
            for values in library(function.name, state).values():
                expected += [f"{bits:x}" for bits in np.asarray(values).reshape(-1).view("u8").tolist()]
    nan = {f"{sign | 0x7FF8 << 48:x}" for sign in (0, 1 << 63)}
    assert [a for a, b in zip(found, expected, strict=True) if a != b and not {a, b} <= nan] == []


@needs_rust
@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo")
@pytest.mark.parametrize("precision", Precision)
def test_its_own_test_passes_and_finds_a_wrong_number(tmp_path, precision):
    made = [every_operation(), tq.compile(tq.classics.planar2r()).function("forward_dynamics")]
    generate_package(made, tmp_path, prefix="My Arm", target=Target.RUST, precision=precision)
    command = ("cargo", "test", "--offline", "--quiet", "--manifest-path", tmp_path / "Cargo.toml")
    passed = run(*command)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    source = tmp_path / "src/lib.rs"
    source.write_text(source.read_text().replace("0.25", "0.26"))
    failed = run(*command)
    assert failed.returncode != 0
    assert "every_operation_agrees" in failed.stdout


@needs_rust
def test_hostile_names_are_escaped(tmp_path):
    hostile = ["fn", "self", "sincos", "*/ }", "v1", "\n#![x]"]
    made = [
        trace(name, lambda **x: {other: 2.0 * next(iter(x.values())) for other in ("v2", "mut")}, {name: ()})
        for name in hostile
    ]
    notes = dict.fromkeys(hostile, "a\nnote")
    generate_package(made, tmp_path, prefix='../"; rm', description="*/ #error\n\\", notes=notes, target=Target.RUST)
    source = tmp_path / "src/lib.rs"
    build(*RUST, "--crate-name", "p", "--crate-type", "rlib", source, "--out-dir", tmp_path)


def test_whole_turns_are_for_doubles_and_names_for_one_function():
    turns = trace("turns", lambda x: {"y": [(x[0] + ROUND) * 3.0]}, {"x": (1,)})
    assert rust_package([turns], prefix="p")
    with pytest.raises(ArgumentError, match="whole turns"):
        rust_package([turns], prefix="p", precision=Precision.SINGLE)
    with pytest.raises(ArgumentError, match="more than one function"):
        rust_package([turns, turns], prefix="p")
