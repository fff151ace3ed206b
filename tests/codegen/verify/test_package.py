"""Packages through every platform that is here: those that are right agree, planted errors are found."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
from tests.codegen.c.compiler import needs_compiler
from tests.codegen.programs import every_operation

import torquec as tq
from torquec.codegen.precision import Precision
from torquec.codegen.target import Target, generate_package
from torquec.codegen.verify import package as module
from torquec.codegen.verify.package import verify_package
from torquec.codegen.verify.verification import PLATFORMS, Platform, PlatformStatus
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.realtime.package import write_two_rate_package

write_object_package = partial(generate_package, target=Target.OBJECT)


def few(monkeypatch, *platforms):
    monkeypatch.setattr(module, "PLATFORMS", platforms)


def cheap(monkeypatch):
    """Without what is measured beside the comparison."""
    monkeypatch.setattr(module, "branch_coverage", lambda *_: None)
    monkeypatch.setattr(module, "instruction_counts", lambda *_: None)
    monkeypatch.setattr(module, "_SIZED", ())


def on_host(*words):
    return Platform("host", "gcc" if shutil.which("gcc") else "clang", words)


@needs_compiler
@pytest.mark.parametrize("precision", [Precision.SINGLE, pytest.param(Precision.DOUBLE, marks=pytest.mark.slow)])
def test_every_operation_agrees_wherever_it_can_be_tried(tmp_path, precision):
    generate_package([every_operation()], tmp_path, prefix="p", precision=precision)
    found = verify_package(tmp_path)
    assert found.ok, found.platforms
    for row in found.platforms:
        if row.status is not PlatformStatus.MISSING:
            # exp and atan2 are the library's: in floats NumPy's and C's last digits differ.
            assert row.selftest
            assert row.difference <= 3e-7
    if found.coverage is not None:
        assert found.coverage.branches_reached >= found.coverage.branches - 1
        # In floats angles go one by one: there is no group of four that is near together.
        assert found.coverage.branches >= (12 if precision is Precision.SINGLE else 14)
        assert found.coverage.lines_reached == found.coverage.lines
    if found.instructions is not None:
        count = found.instructions["p_every_operation"]
        assert 100 < count.fewest <= count.most < 4000
    emulated = next((row for row in found.platforms if row.instructions), None)
    if emulated is not None and precision is Precision.SINGLE:
        assert 100 < emulated.instructions["p_every_operation"] < 2000
    installed = {tool for platform in PLATFORMS for tool in (platform.compiler, *platform.emulator[:1])}
    assert {tool for tool in installed if not shutil.which(tool)} <= set(found.missing)


@needs_compiler
def test_a_wrong_coefficient_fails_the_self_test(tmp_path, monkeypatch):
    few(monkeypatch, on_host("-O1"))
    cheap(monkeypatch)
    generate_package([every_operation()], tmp_path, prefix="p")
    source = tmp_path / "p.c"
    before, function, body = source.read_text().partition("void p_every")
    assert "0.25" in body
    source.write_text(before + function + body.replace("0.25", "0.26", 1))
    found = verify_package(tmp_path)
    assert not found.ok
    assert "self-test" in found.platforms[0].why


@needs_compiler
def test_a_function_without_inputs(tmp_path, monkeypatch):
    few(monkeypatch, on_host("-O1"))
    cheap(monkeypatch)
    generate_package([trace("nominal", lambda: {"y": [1.5, -2.0]}, {})], tmp_path, prefix="p")
    found = verify_package(tmp_path)
    assert found.ok
    assert (found.platforms[0].numbers, found.platforms[0].different_numbers) == (128, 0)


@needs_compiler
def test_a_compiler_that_computes_something_else_is_found(tmp_path, monkeypatch):
    few(monkeypatch, on_host("-O1", "-Dsqrt=fabs"))
    cheap(monkeypatch)
    generate_package([every_operation()], tmp_path, prefix="p")
    (tmp_path / "selftest.c").unlink()
    found = verify_package(tmp_path)
    assert found.platforms[0].status is PlatformStatus.DIFFERS
    assert found.platforms[0].difference > 1e-3
    assert "p_every_operation, y" in found.platforms[0].worst


@needs_compiler
def test_what_does_not_compile_or_is_not_there_is_said(tmp_path, monkeypatch):
    cheap(monkeypatch)
    few(monkeypatch, on_host("-ffast-math"), Platform("moon", "moon-gcc", (), ("qemu-moon",)))
    generate_package([every_operation()], tmp_path, prefix="p")
    found = verify_package(tmp_path)
    assert [row.status for row in found.platforms] == [PlatformStatus.FAILED, PlatformStatus.MISSING]
    assert "moon-gcc" in found.missing
    assert "qemu-moon" in found.platforms[1].why
    assert not found.ok


@needs_compiler
@pytest.mark.parametrize(
    "triple", [None, "aarch64-linux-gnu", pytest.param("thumbv7em-none-eabihf", marks=pytest.mark.slow)]
)
def test_objects_run_their_self_test(tmp_path, triple):
    write_object_package([every_operation()], tmp_path, prefix="p", triple=triple, precision=Precision.SINGLE)
    found = verify_package(tmp_path)
    row = found.platforms[0]
    assert row.status is PlatformStatus.MISSING or (row.status is PlatformStatus.AGREES and row.selftest), row
    assert next(iter(found.size.values())) > 1000


def test_an_object_for_a_processor_that_nothing_emulates_is_not_called_right(tmp_path):
    write_object_package([every_operation()], tmp_path, prefix="p", triple="riscv32-unknown-elf")
    found = verify_package(tmp_path)
    assert found.platforms[0].status is PlatformStatus.MISSING
    assert not found.ok


def test_a_damaged_document(tmp_path):
    write_object_package([every_operation()], tmp_path, prefix="p", triple="riscv32-unknown-elf")
    document = tmp_path / "p.json"
    document.write_text(document.read_text().replace('"code_bytes"', '"code"'))
    with pytest.raises(ArgumentError, match="is incomplete"):
        verify_package(tmp_path)


def test_no_package(tmp_path: Path):
    with pytest.raises(ArgumentError, match="no C package"):
        verify_package(tmp_path)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("name", ["puma560", "puma260", "scara"])
def test_two_rate_packages_agree_bit_by_bit_and_take_the_same_time_everywhere(tmp_path, name, precision):
    """Without a library in it a package gives the same bits everywhere; instructions vary by less than 15 %."""
    write_two_rate_package(tq.classics.load_classic(name), tmp_path, precision=precision, update=["load"])
    found = verify_package(tmp_path)
    assert found.ok
    # Sines and cosines of angles beyond the package's own are the library's, whose last digit in floats is not NumPy's:
    # twelve of them, each off by half a unit. All platforms differ from NumPy alike, and in nothing else.
    tried = [row for row in found.platforms if row.status is not PlatformStatus.MISSING]
    assert all(row.different_numbers == 0 if precision == "double" else row.difference < 12 * 2.0**-24 for row in tried)
    assert len({(row.difference, row.different_numbers, row.worst) for row in tried}) == 1
    assert all(row.different_numbers == 0 or row.worst.endswith(("state 13", "state 14")) for row in tried)
    if found.coverage is not None:
        assert found.coverage.branches_reached == found.coverage.branches
    for count in (found.instructions or {}).values():
        assert count.spread < 0.15 or count.most - count.fewest < 8  # a few instructions of a friction's sign
