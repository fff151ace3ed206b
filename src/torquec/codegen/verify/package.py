"""`verify_package`: compare a package's results in Python, by every installed compiler and on every emulated processor.

(1)  states: ordinary ones, then two with angles beyond the range of the package's own sine, and one of NaN
(2)  Python evaluates the C text itself (:mod:`torquec.codegen.verify.c_package`)
(3)  every platform compiles the package without contraction, prints the bits of all results, and runs its self-test
(4)  differences are relative to the largest result of the same array and state; NaN must match NaN

Of an object package, the self-test is linked and run, where its processor is the host's or emulated.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from torquec.codegen.object.package import OBJECT_FORMAT
from torquec.codegen.object.triple import host_triple
from torquec.codegen.recorded import RECORDED_SEED
from torquec.codegen.verify.c_package import CPackageText, evaluate_c, read_c_package
from torquec.codegen.verify.verification import (
    COUNTED_CALLS,
    EMULATED_STATES,
    NANOSECONDS_A_TICK,
    PLATFORMS,
    PackageVerification,
    Platform,
    PlatformResult,
    PlatformStatus,
    branch_coverage,
    build_program,
    compile_source,
    driver_text,
    instruction_counts,
    run_program,
    stack_and_size,
)
from torquec.errors import ArgumentError
from torquec.foundation.arrays import AnyArray
from torquec.foundation.json_text import parse_json
from torquec.foundation.reading import FileKind, is_folder, read_text, to_path
from torquec.foundation.work import Work, as_work

STATES_TRIED = 64
_FIRST_LARGE, _NAN = 13, 15  # indices, within the states that emulated processors have time for
_BEYOND = {"double": 1e6, "float": 1e4}  # factor that scales angles beyond the range of the package's own sine

ALLOWED: Mapping[str, float] = {"double": 1e-12, "float": 1e-5}
"""Allowed relative differences: results are bit-identical unless a math library is involved."""


def verify_package(directory: str | os.PathLike[str], *, work: Work | None = None) -> PackageVerification:
    """Verify the package in a folder, (1)-(4).

    Raises `ArgumentError` where there is no package of Torquec in it, or its text is not what Torquec writes.
    """
    folder = to_path(directory)
    document = find_object_document(folder)
    if document is not None:
        return verify_object(folder, document)
    package, steps = read_c_package(folder), as_work(work)
    states = {function.name: _states(package, number) for number, function in enumerate(package.functions)}
    expected = {
        # A function without inputs gives the same at every state.
        (function.name, name): np.broadcast_to(values, (STATES_TRIED, values.shape[1]))
        for function in package.functions
        for name, values in evaluate_c(function, states[function.name], package.real).items()
    }
    with tempfile.TemporaryDirectory(prefix="torquec-verify-") as scratch:
        place = Path(scratch)
        driver = place / "driver.c"
        driver.write_text(driver_text(package, states, STATES_TRIED))
        results = []
        for platform in PLATFORMS:
            with steps.step(f"compile and run: {platform.name}"):
                results.append(_on_platform(platform, package, driver, expected, place))
        with steps.step("branch coverage"):
            coverage = branch_coverage(package, driver, place)
        with steps.step("instructions of every call"):
            counts = instruction_counts(package, driver, place)
        stack, size = {}, {}
        with steps.step("stack and size"):
            for name, compiler, words in _SIZED:
                found = stack_and_size(package, compiler, words, place)
                if found is not None:
                    stack[name], size[name] = found
    missing = [tool for platform in PLATFORMS for tool in platform.missing]
    missing += ["gcov"] if coverage is None else []
    missing += ["valgrind"] if counts is None else []
    names = tuple(function.name for function in package.functions)
    return PackageVerification(
        folder,
        package.prefix,
        package.real,
        names,
        tuple(results),
        coverage,
        stack,
        size,
        counts,
        tuple(dict.fromkeys(missing)),
    )


_SIZED = (
    ("this machine", "gcc", ()),
    ("Cortex-M7", "arm-none-eabi-gcc", ("-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-mthumb")),
)
"""Platforms on which stack and code size are measured."""


def _states(package: CPackageText, number: int) -> dict[str, AnyArray]:
    """The inputs (N, size) of a function (1)."""
    rng = np.random.default_rng([RECORDED_SEED, number])
    real = np.float32 if package.real == "float" else np.float64
    factors = np.ones((STATES_TRIED, 1))
    factors[_FIRST_LARGE] = _BEYOND[package.real]
    factors[_NAN] = np.nan
    found: dict[str, AnyArray] = {}
    for array in package.functions[number].inputs:
        values = factors * rng.uniform(-1.5, 1.5, (STATES_TRIED, array.size))
        values[_FIRST_LARGE + 1, ::2] *= _BEYOND[package.real]  # large ones beside others
        found[array.name] = values.astype(real)
    return found


def _on_platform(
    platform: Platform, package: CPackageText, driver: Path, expected: Mapping[tuple[str, str], AnyArray], scratch: Path
) -> PlatformResult:
    """(3) and (4) for one platform."""
    if platform.missing:
        why = f"not installed: {', '.join(platform.missing)}"
        return PlatformResult(platform.name, PlatformStatus.MISSING, why=why)
    place = scratch / platform.name.replace(" ", "_")
    place.mkdir()
    include = ("-I", str(package.directory.resolve()))
    words = [f"-DSTATES={EMULATED_STATES}"] if platform.emulator else []
    words += ["-DCOUNT"] if platform.is_cortex_m7 else []
    code = place / "package.o"
    problem = compile_source(platform, package.source, code) or build_program(
        platform, [code, driver], place / "driver", *include, *words
    )
    if problem:
        return PlatformResult(platform.name, PlatformStatus.FAILED, why=problem)
    shown = run_program(platform, place / "driver")
    if shown.returncode != 0:
        return PlatformResult(platform.name, PlatformStatus.FAILED, why=f"the program ended with {shown.returncode}")
    selftest = _selftest(platform, package, code, place)
    return _compared(platform, package, shown.stdout + shown.stderr, expected, selftest)


def _selftest(platform: Platform, package: CPackageText, code: Path, place: Path) -> bool | None:
    """Whether the package's own self-test passes; None where it has none."""
    test = package.directory / "selftest.c"
    if not test.is_file():
        return None
    if build_program(platform, [code, test], place / "selftest", "-I", str(package.directory.resolve())):
        return False
    return run_program(platform, place / "selftest").returncode == 0


def _compared(
    platform: Platform,
    package: CPackageText,
    shown: str,
    expected: Mapping[tuple[str, str], AnyArray],
    selftest: bool | None,
) -> PlatformResult:
    """Comparison of the printed bits with Python's results (4)."""
    kind, words = ("f4", "u4") if package.real == "float" else ("f8", "u8")
    worst, where, different, numbers, lines = 0.0, "", 0, 0, 0
    counts: dict[str, int] = {}
    for line in shown.splitlines():
        name, _, rest = line.partition(" ")
        if name == "count":
            function, _, ticks = rest.partition(" ")
            counts[function] = round(int(ticks) * NANOSECONDS_A_TICK / COUNTED_CALLS)
            continue
        function, _, array = name.partition(".")
        if (function, array) not in expected:
            continue
        state, *values = rest.split()
        found = np.array([int(value, 16) for value in values], words).view(kind).astype(float)
        wanted = expected[function, array][int(state)].astype(float)
        lines += 1
        numbers += found.size
        difference, unequal = _difference(found, wanted)
        different += unequal
        if difference > worst or not where:
            worst, where = max(worst, difference), f"{function}, {array}, state {state}"
    states = EMULATED_STATES if platform.emulator else STATES_TRIED
    if lines != states * len(expected):
        why = f"the program printed {lines} of {states * len(expected)} lines of results"
        return PlatformResult(platform.name, PlatformStatus.FAILED, selftest=selftest, why=why)
    agrees = worst <= ALLOWED[package.real] and selftest is not False
    why = "" if selftest is not False else "the self-test of the package fails"
    return PlatformResult(
        platform.name,
        PlatformStatus.AGREES if agrees else PlatformStatus.DIFFERS,
        worst,
        different,
        numbers,
        selftest,
        where if different else "",
        why,
        counts or None,
    )


def _difference(found: AnyArray, wanted: AnyArray) -> tuple[float, int]:
    """(largest relative difference, how many numbers are not equal) (4)."""
    if found.shape != wanted.shape:
        return np.inf, found.size
    equal = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    if equal.all():
        return 0.0, 0
    finite = np.abs(wanted[np.isfinite(wanted)])
    scale = finite.max(initial=0.0) or 1.0
    with np.errstate(invalid="ignore"):
        apart = np.abs(found - wanted)[~equal] / scale
    return (float(apart.max()) if np.isfinite(apart).all() else np.inf), int((~equal).sum())


def find_object_document(directory: Path) -> dict[str, Any] | None:
    """The document of the object package in a folder, or None where there is none."""
    if not is_folder(directory):
        return None
    for path in sorted(directory.glob("*.json")):
        text = read_text(path, FileKind.PACKAGE)
        if f'"format": "{OBJECT_FORMAT}"' in text[:200]:
            document = parse_json(text, where=str(path), error=ArgumentError)
            if isinstance(document, dict) and isinstance(document.get("object"), str):
                return document
    return None


def verify_object(directory: Path, document: dict[str, Any]) -> PackageVerification:
    """Verify an object package. Raises `ArgumentError` where its document is incomplete."""
    try:
        prefix = Path(document["object"]).stem
        functions = dict(document["functions"])
        triple, selftest = str(document["triple"]), str(document["selftest"])
        stack = {name: int(row["stack"]) for name, row in functions.items() if row["stack"] is not None}
        size, real = int(document["code_bytes"]), "float" if document["precision"] == "single" else "double"
    except (KeyError, TypeError, ValueError):
        raise ArgumentError(
            "the document of the object is incomplete", where=str(directory), remedy="generate the package again"
        ) from None
    platform = _platform_of(triple)
    if platform is None or platform.missing:
        why = "this processor is neither here nor emulated" if platform is None else ", ".join(platform.missing)
        missing = [] if platform is None else platform.missing
        row = PlatformResult(platform.name if platform else triple, PlatformStatus.MISSING, why=why)
    else:
        missing = []
        why = _run_selftest(directory, document["object"], prefix, selftest, platform)
        status = PlatformStatus.FAILED if why else PlatformStatus.AGREES
        row = PlatformResult(platform.name, status, selftest=not why, why=why)
    return PackageVerification(
        directory, prefix, real, tuple(functions), (row,), None, {triple: stack}, {triple: size}, None, tuple(missing)
    )


def _platform_of(triple: str) -> Platform | None:
    """The platform that runs the code of a triple."""
    words = {"thumbv7em-none-eabihf": "Cortex-M7 (qemu)", "aarch64-linux-gnu": "aarch64 (qemu)"}
    plain = triple.replace("-unknown-", "-")
    name = "gcc -O2" if plain == host_triple().replace("-unknown-", "-") else words.get(plain, "")
    return next((platform for platform in PLATFORMS if platform.name == name), None)


def _run_selftest(directory: Path, file: str, prefix: str, selftest: str, platform: Platform) -> str:
    """Link and run the self-test of an object; gives the error, or an empty text."""
    if "/" in file or "\\" in file or not (directory / file).is_file() or not selftest.isidentifier():
        return f"there is no {file}"
    with tempfile.TemporaryDirectory(prefix="torquec-verify-") as scratch:
        main = Path(scratch) / "main.c"
        main.write_text(f'#include "{prefix}.h"\n\nint main(void)\n{{\n    return {selftest}();\n}}\n')
        include = ("-I", str(directory.resolve()), "-Wl,-z,noexecstack")
        problem = build_program(platform, [main, directory / file], main.with_suffix(".out"), *include)
        if problem:
            return problem
        status = run_program(platform, main.with_suffix(".out")).returncode
        return "" if status == 0 else f"the self-test gives {status}: the number of the first function that differs"
