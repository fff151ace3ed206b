"""What compilers do to the arithmetic: refused, taken back by the file, or the same to the last bit."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, Library, build, each_compiler, needs_compiler, run
from tests.codegen.programs import random_function

from torquec import dynamics
from torquec.codegen.c.package import c_package
from torquec.codegen.precision import Precision
from torquec.codegen.target import generate_package
from torquec.expr import trace
from torquec.expr.math import sincos, sqrt
from torquec.robot import classics

REORDERING = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math")
"""What -fassociative-math needs beside it to have an effect."""

REFUSED = {
    "gcc": [
        ("-ffast-math",),
        ("-Ofast",),
        ("-funsafe-math-optimizations",),
        REORDERING,
        ("-freciprocal-math",),
        ("-ffinite-math-only",),
    ],
    "clang": [("-ffast-math",), ("-Ofast",), ("-ffinite-math-only",)],
}
UNDONE = {"gcc": [("-fassociative-math",)], "clang": [("-funsafe-math-optimizations",), REORDERING]}
"""Options without a macro, on sums: gcc's has no effect alone, clang's is taken back."""

FAILING = {
    "gcc": [("-fno-signed-zeros",)],
    "clang": [
        ("-funsafe-math-optimizations",),
        REORDERING,
        ("-freciprocal-math",),
        ("-fno-signed-zeros",),
        ("-fno-honor-nans",),
    ],
}
"""Options without a macro that change divisions, the sign of zero or NaN: the self-test sees them."""

HARMLESS = {
    "gcc": [(), ("-fno-trapping-math",), ("-fno-math-errno",), ("-march=native",)],
    "clang": [(), ("-fassociative-math",), ("-fno-math-errno",), ("-march=native",), ("-ffp-contract=fast",)],
}


def energy():
    """The potential energy of the PUMA 560: sines, long sums, no division."""
    robot = classics.puma560()
    return trace("U", lambda q: {"U": [dynamics.potential_energy(robot, q)]}, {"q": (6,)})


@each_compiler
def test_options_that_break_the_arithmetic_are_refused(tmp_path, compiler):
    generate_package([energy()], tmp_path, prefix="p")
    for flags in REFUSED[compiler]:
        for file in ("p.c", "selftest.c"):
            result = run(compiler, "-O2", *flags, "-c", tmp_path / file, "-o", tmp_path / "p.o")
            assert result.returncode, (flags, file)
            assert re.search(r"#error.*(sums in their order|its divisions|handles NaN)", result.stderr), flags


def selftest_with(folder, compiler, *flags):
    files = (folder / "p.c", folder / "selftest.c")
    built = run(compiler, "-std=c99", *flags, *files, "-lm", "-o", folder / "selftest")
    assert built.returncode == 0, built.stderr
    return run(folder / "selftest")


@each_compiler
@pytest.mark.parametrize("precision", Precision)
def test_the_self_test_sees_options_that_leave_no_macro(tmp_path, compiler, precision):
    """clang replaces divisions by one number by a reciprocal, and passed the self-test."""
    quotients = trace("f", lambda x: {"y": [x[0] / x[3], x[1] / x[3], x[2] / x[3]]}, {"x": (4,)})
    generate_package([quotients], tmp_path, prefix="p", precision=precision)
    for level in ("-O1", "-O2", "-O3"):
        for flags in HARMLESS[compiler]:
            done = selftest_with(tmp_path, compiler, level, *flags)
            assert (done.returncode, "FAILED" in done.stdout) == (0, False), (level, flags)
        for flags in FAILING[compiler]:
            done = selftest_with(tmp_path, compiler, level, *flags)
            assert done.returncode == 1, (level, flags)
            assert "FAILED arithmetic: compile without -ffast-math and its parts" in done.stdout


@each_compiler
def test_reordering_without_a_macro_changes_no_bit(tmp_path, compiler):
    """Without the pragma clang is wrong by 25 % here."""
    plain = Library(tmp_path, [energy()], "-O3", "-ffp-contract=off", compiler=compiler)
    q = np.random.default_rng(1).uniform(-3.0, 3.0, (50, 6))
    for flags in UNDONE[compiler]:
        # gcc says by a warning that the option alone does nothing
        silent = ("-Wno-error", "-w") if compiler == "gcc" else ()
        library = Library(tmp_path, [energy()], "-O3", "-ffp-contract=off", *flags, *silent, compiler=compiler)
        for state in q:
            assert library("U", {"q": state})["U"] == plain("U", {"q": state})["U"], flags


@each_compiler
def test_bits_are_the_same_for_the_processor_at_hand(tmp_path, compiler):
    """The promise of the header: with gcc 12 also its vectorizer has to be told not to fuse."""
    functions = [random_function(seed) for seed in range(6)]
    robot = classics.puma560()
    n = dict.fromkeys(("q", "qd", "qdd"), (6,))
    functions.append(trace("tau", lambda **state: {"tau": dynamics.inverse_dynamics(robot, **state)}, n))
    functions.append(trace("J", lambda q: {"J": dynamics.jacobian(robot, "link6", q)}, {"q": (6,)}))
    still = ("-fno-tree-slp-vectorize",) if compiler == "gcc" else ()
    plain = Library(tmp_path, functions, "-O0", "-ffp-contract=off", compiler=compiler)
    fast = Library(tmp_path, functions, "-O3", "-march=native", "-ffp-contract=off", *still, compiler=compiler)
    rng = np.random.default_rng(2)
    for function in functions:
        for _ in range(10):
            state = {port.name: rng.uniform(-1.5, 1.5, port.shape) for port in function.inputs}
            expected = plain(function.name, state)
            for name, value in fast(function.name, state).items():
                np.testing.assert_array_equal(value, expected[name], err_msg=f"{function.name}: {name}")


@each_compiler
def test_large_angles_are_as_good_as_the_mathematical_library(tmp_path, compiler):
    """The library's own are within an ulp; ours beyond the range of the reduction are the library's."""
    n = 48
    function = trace("f", lambda x: dict(zip("sc", zip(*map(sincos, x), strict=True), strict=True)), {"x": (n,)})
    library = Library(tmp_path, [function], "-O3", "-march=native", compiler=compiler)
    rng = np.random.default_rng(3)
    for size in (1e3, 9.9e4, 1e5, 1e7, 1e10, 1e15, 1e22):
        x = rng.uniform(-size, size, n)
        found = library("f", {"x": x})
        for name, exact in (("s", np.sin(x)), ("c", np.cos(x))):
            assert np.abs(found[name] - exact).max() <= 2.0**-52, size


@pytest.mark.skipif(len(COMPILERS) < 2, reason="needs gcc and clang")
def test_both_compilers_give_the_same_bits(tmp_path):
    robot = classics.stanford()
    function = trace("M", lambda q: {"M": dynamics.mass_matrix(robot, q)}, {"q": (6,)})
    libraries = [Library(tmp_path / name, [function], "-O2", "-ffp-contract=off", compiler=name) for name in COMPILERS]
    q = np.random.default_rng(4).uniform(-1.5, 1.5, 6)
    first, second = (library("M", {"q": q})["M"] for library in libraries)
    np.testing.assert_array_equal(first, second)


def tolerance(algorithm) -> float:
    text = c_package([trace("f", algorithm, {"x": (2,)})], prefix="p")["selftest.c"]
    return float(re.search(r'report\("f", worst, (.*)\);', text).group(1))


def test_well_conditioned_functions_are_held_to_1e_12():
    assert tolerance(lambda x: {"y": [x[0] * x[1]]}) == 1e-12


def test_cancellation_widens_the_tolerance():
    assert 1e-10 < tolerance(lambda x: {"y": [(x[0] + 1e6) - sqrt(x[0] * x[0] + 1e12)]}) < 1e-3


def test_what_is_printed_is_a_double():
    function = trace("f", lambda x: {"y": [2.0 * x[0]]}, {"x": (1,)})
    for precision, casts in ((Precision.DOUBLE, False), (Precision.SINGLE, True)):
        assert ("(double)" in c_package([function], prefix="p", precision=precision)["selftest.c"]) == casts


def test_results_that_are_not_finite_are_recorded():
    text = c_package([trace("f", lambda x: {"y": [sqrt(x[0]), 1.0 / (x[1] - x[1] * 1.0)]}, {"x": (2,)})], prefix="p")
    assert "(double)NAN" in text["selftest.c"]


@needs_compiler
def test_a_self_test_passes_and_sees_a_change_of_any_output(tmp_path):
    function = trace(
        "f", lambda x, k: {"y": [x[0] * x[1], x[1] - 2.0, 0.25 * k[0]], "z": [x[0] + k[0]]}, {"x": (2,), "k": (1,)}
    )
    texts = c_package([function], prefix="p")
    assert re.search(r"given_x\[\d+\]\[2\]", texts["selftest.c"])
    assert re.search(r"recorded_y\[\d+\]\[3\]", texts["selftest.c"])
    for k, (old, new) in enumerate([("", ""), ("0.25", "0.26"), ("2.0", "2.1")]):
        place = tmp_path / str(k)
        place.mkdir()
        for name, text in texts.items():
            (place / name).write_text(text.replace(old, new) if name == "p.c" and old else text)
        build(COMPILERS[0], "-std=c99", place / "p.c", place / "selftest.c", "-lm", "-o", place / "test")
        assert run(place / "test").returncode == (1 if old else 0), old
