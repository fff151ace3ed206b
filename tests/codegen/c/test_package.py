"""The package as a whole: golden text, self-test, bytes, aliasing, agreement with the reference on random functions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.codegen.c.compiler import (
    COMPILERS,
    CXX,
    WARNINGS,
    Library,
    build,
    build_selftest,
    each_compiler,
    needs_compiler,
    run,
)
from tests.codegen.programs import evaluate_exactly, every_operation, random_function, random_inputs

import torquec
from torquec import dynamics
from torquec.codegen.c.package import c_package
from torquec.codegen.precision import Precision
from torquec.codegen.sincos import ROUND
from torquec.codegen.statements import check_rounding
from torquec.codegen.target import generate_package
from torquec.errors import ArgumentError
from torquec.expr import Function, evaluate, trace
from torquec.expr.math import absolute, sincos, sqrt
from torquec.model.quantities import QUANTITIES
from torquec.robot import classics

ROOT = Path(__file__).resolve().parents[3]


def pendulum() -> Function:
    return trace("torque", lambda q, qdd: {"tau": [2.0 * qdd[0] + 9.81 * sincos(q[0])[0]]}, {"q": (1,), "qdd": (1,)})


def test_golden_text(golden):
    texts = c_package(
        [every_operation()], prefix="small", description="All operations.", notes={"every_operation": "SI."}
    )
    for name in ("small.c", "small.h", "CMakeLists.txt"):
        golden(f"c/{name}", texts[name])


def test_golden_selftest(golden):
    """Without sines, which differ between platforms in the last digit."""
    function = trace("product", lambda a, b: {"y": [a[0] * b[1], a[1] - b[0]]}, {"a": (2,), "b": (2,)})
    golden("c/selftest.c", c_package([function], prefix="small")["selftest.c"])


@needs_compiler
def test_rounding_to_whole_turns_is_refused_in_floats_and_other_constants_are_not():
    plain = trace("f", lambda x: {"y": [2.5 * x[0]]}, {"x": (1,)})
    turns = trace("f", lambda x: {"y": [(x[0] + ROUND) * 3.0]}, {"x": (1,)})
    check_rounding(plain, Precision.SINGLE)
    check_rounding(turns, Precision.DOUBLE)
    with pytest.raises(ArgumentError, match="rounds to whole turns"):
        check_rounding(turns, Precision.SINGLE)


def test_known_answer(tmp_path):
    library = Library(tmp_path, [pendulum()])
    tau = library("torque", {"q": np.array([np.pi / 6]), "qdd": np.array([1.0])})["tau"]
    assert tau[0] == pytest.approx(2.0 + 9.81 / 2.0, rel=1e-15)


def test_signature_is_as_documented():
    function = trace(
        "inverse_dynamics",
        lambda q, qd, qdd: {"tau": [a + b + c for a, b, c in zip(q, qd, qdd, strict=True)]},
        {"q": (7,), "qd": (7,), "qdd": (7,)},
    )
    header = c_package([function], prefix="panda")["panda.h"]
    signature = (
        "void panda_inverse_dynamics(const double q[7], const double qd[7], const double qdd[7], double tau[7]);"
    )
    assert signature in re.sub(r"\s+", " ", header).replace("( ", "(")


@each_compiler
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_selftest_passes_without_a_warning(tmp_path, compiler, level):
    generate_package([every_operation(), *map(random_function, range(5))], tmp_path, prefix="robot")
    result = run(build_selftest(tmp_path, compiler, "robot", level))
    assert result.returncode == 0, result.stdout
    assert result.stdout.count("ok ") == 6
    assert "error" in result.stdout


@needs_compiler
def test_selftest_fails_when_a_recorded_number_is_changed(tmp_path):
    generate_package([pendulum()], tmp_path, prefix="robot")
    path = tmp_path / "selftest.c"
    text = path.read_text()
    start = text.index("recorded_tau[4]")
    number = re.search(r"-?\d+\.\d+", text[start:]).group()
    path.write_text(text[:start] + text[start:].replace(number, repr(float(number) * (1.0 + 1e-9)), 1))
    result = run(build_selftest(tmp_path, COMPILERS[0], "robot", "-O2"))
    assert result.returncode == 1
    assert "FAILED torque" in result.stdout


@needs_compiler
def test_selftest_fails_when_the_source_is_changed(tmp_path):
    generate_package([pendulum()], tmp_path, prefix="robot")
    path = tmp_path / "robot.c"
    path.write_text(path.read_text().replace("9.81*", "9.80665*"))
    assert run(build_selftest(tmp_path, COMPILERS[0], "robot", "-O2")).returncode == 1


@pytest.mark.skipif(CXX is None, reason="no C++ compiler")
def test_compiles_as_cpp_and_links_from_cpp(tmp_path):
    generate_package([every_operation(), random_function(3)], tmp_path, prefix="robot")
    build(CXX, "-x", "c++", *WARNINGS, "-c", tmp_path / "robot.c", "-o", tmp_path / "robot.o")
    main = "double x[5], t[1], A[4], y[5], M[4]; robot_every_operation(x, t, A, y, M); return y[0] != -0.25;"
    (tmp_path / "main.cpp").write_text(f'#include "robot.h"\nint main() {{ {main} }}\n'.replace("x[5],", "x[5] = {0},"))
    build(COMPILERS[0], "-std=c99", "-c", tmp_path / "robot.c", "-o", tmp_path / "robot.o")
    build(CXX, tmp_path / "main.cpp", tmp_path / "robot.o", "-lm", "-o", tmp_path / "main")


@needs_compiler
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
def test_cmake_builds_and_tests(tmp_path):
    generate_package([pendulum()], tmp_path / "package", prefix="robot")
    for command in (
        ("cmake", "-S", "package", "-B", "build"),
        ("cmake", "--build", "build"),
        ("ctest", "--test-dir", "build", "--output-on-failure"),
    ):
        result = run(*command, cwd=tmp_path)
        assert result.returncode == 0, result.stdout + result.stderr


@each_compiler
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_bit_identical_at_all_levels_and_to_the_reference(tmp_path_factory, compiler, seed):
    functions = [random_function(seed + k) for k in range(6)]
    path = tmp_path_factory.mktemp("random")
    slow = Library(path, functions, "-O0", "-ffp-contract=off", compiler=compiler)
    fast = Library(path, functions, "-O2", "-ffp-contract=off", compiler=compiler)
    inputs = random_inputs(seed)
    for function in functions:
        for k in range(3):
            state = {name: value[k] for name, value in inputs.items()}
            expected = evaluate_exactly(function, state)
            for library in (slow, fast):
                found = library(function.name, state)
                for name, value in expected.items():
                    np.testing.assert_array_equal(found[name], value, err_msg=f"{function.name}: {name}")


@each_compiler
def test_agrees_with_evaluate_where_products_are_fused(tmp_path, compiler):
    functions = [random_function(seed, smooth=True) for seed in range(10)]
    library = Library(tmp_path, functions, "-O3", "-march=native", compiler=compiler)
    inputs = random_inputs(7)
    for function in functions:
        expected = evaluate(function, inputs)
        for k in range(3):
            found = library(function.name, {name: value[k] for name, value in inputs.items()})
            for name, value in expected.items():
                np.testing.assert_allclose(found[name], value[k], rtol=1e-9, atol=1e-9)


@needs_compiler
def test_far_and_non_finite_angles_go_through_math_h(tmp_path):
    function = trace("f", lambda x: {"s": [sincos(a)[0] for a in x], "c": [sincos(a)[1] for a in x]}, {"x": (6,)})
    library = Library(tmp_path, [function], "-O2", "-ffp-contract=off")
    x = np.array([0.5, 1e22, -1e6, np.nan, np.inf, -3.0])
    found = library("f", {"x": x})
    expected = evaluate_exactly(function, {"x": x})
    np.testing.assert_allclose(found["s"], expected["s"], rtol=1e-15)
    np.testing.assert_allclose(found["c"], expected["c"], rtol=1e-15)
    near = [0, 5]
    np.testing.assert_array_equal(found["s"][near], expected["s"][near])
    assert np.isnan(found["s"][3:5]).all()


@needs_compiler
def test_outputs_may_overlap_inputs(tmp_path):
    function = trace("turn", lambda x: {"y": [x[1] + 0.5, x[0], x[2] * x[0]]}, {"x": (3,)})
    library = Library(tmp_path, [function], "-O2")
    both = np.array([2.0, 3.0, 5.0])
    library.raw("p_turn", both, both)
    assert both.tolist() == [3.5, 2.0, 10.0]
    shifted = np.array([2.0, 3.0, 5.0, 0.0])
    library.raw("p_turn", shifted[:3], shifted[1:])
    assert shifted.tolist() == [2.0, 3.5, 2.0, 10.0]


def test_bytes_do_not_depend_on_hash_seed_directory_or_locale(tmp_path):
    script = (
        "import locale, sys\n"
        "from pathlib import Path\n"
        "try:\n    locale.setlocale(locale.LC_ALL, '')\nexcept locale.Error:\n    pass\n"
        "from tests.codegen.programs import every_operation, random_function\n"
        "from torquec.codegen.target import Target, generate_package\n"
        "functions = [every_operation(), *map(random_function, range(4))]\n"
        "for target in (Target.C, Target.NUMPY):\n"
        "    generate_package(functions, Path(sys.argv[1]) / target.value, prefix='robot', target=target)\n"
    )
    found = []
    for k, (seed, language) in enumerate([("0", "C"), ("1", "de_DE.UTF-8"), ("4242", "C.UTF-8")]):
        where = tmp_path / str(k) / ("sub" * k or "plain")
        where.parent.mkdir()
        environment = os.environ | {
            "PYTHONHASHSEED": seed,
            "LC_ALL": language,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}",
        }
        command = [sys.executable, "-c", script, str(where)]
        subprocess.run(command, env=environment, cwd=where.parent, check=True, capture_output=True)
        files = [path for path in sorted(where.rglob("*")) if path.is_file()]
        found.append({path.relative_to(where): path.read_bytes() for path in files})
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 7


def test_hostile_names_and_texts_are_harmless(tmp_path):
    hostile = [
        '"; system("',
        "*/ int x; /*",
        "a\nb",
        "für",
        "??/",
        "for",
        "1st",
        "tab\t\\",
        "%s%n",
        "v1",
        "x0",
        "s0",
        "NAN",
    ]
    functions = [
        trace(name, lambda **inputs: {"out": [sincos(sum(a[0] for a in inputs.values()))[0]]}, {name: (1,), "q": (2,)})
        for name in hostile
    ]
    notes = {name: f"{name} */ #error {name}" for name in hostile}
    generate_package(functions, tmp_path, prefix='../"; rm', description="*/ #error ??/\n\\", notes=notes)
    source = next(tmp_path.glob("*.h")).with_suffix(".c")
    assert sorted(path.parent for path in tmp_path.iterdir()) == [tmp_path] * 5
    assert "system(" not in re.sub(r"/\*.*?\*/", "", source.read_text(), flags=re.DOTALL)
    if COMPILERS:
        build(COMPILERS[0], "-std=c99", *WARNINGS, source, tmp_path / "selftest.c", "-lm", "-o", tmp_path / "selftest")
        result = run(tmp_path / "selftest")
        assert result.returncode == 0
        assert result.stdout.count("ok ") == len(hostile)


def test_ports_of_no_elements_and_unused_inputs_compile(tmp_path):
    function = trace("f", lambda q, u: {"y": [], "z": [1.0]}, {"q": (0,), "u": (2,)}, shapes={"y": (0,)})
    generate_package([function], tmp_path, prefix="robot")
    if COMPILERS:
        assert run(build_selftest(tmp_path, COMPILERS[0], "robot")).returncode == 0


@needs_compiler
def test_ports_called_like_locals_of_the_selftest_compile(tmp_path):
    function = trace("report", lambda k, main: {"worst": k, "difference": main}, {"k": (), "main": ()})
    nothing = trace("main", dict, {})
    generate_package([function, nothing], tmp_path, prefix="robot")
    assert run(build_selftest(tmp_path, COMPILERS[0], "robot")).returncode == 0


def test_prefix_of_one_of_our_own_files_is_moved_aside(tmp_path):
    files = generate_package([pendulum()], tmp_path, prefix="selftest")
    assert [path.name for path in files] == ["selftest_.c", "selftest_.h", "selftest.c", "CMakeLists.txt"]


def test_two_functions_of_one_name_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match="more than one function is called 'torque'"):
        generate_package([pendulum(), pendulum()], tmp_path / "out", prefix="robot")
    assert not (tmp_path / "out").exists()


def test_no_function_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="no function"):
        generate_package([], tmp_path / "out", prefix="robot")


STACK = 8192
"""Bytes of stack that no function of an arm with six or seven joints may need."""


def stack_of(directory, compiler, prefix, *flags):
    """The largest stack [bytes] of the functions of a package."""
    build(compiler, *flags, "-fstack-usage", "-c", directory / f"{prefix}.c", "-o", directory / "part.o")
    rows = (directory / "part.su").read_text().splitlines()
    return max(int(row.split("\t")[1]) for row in rows)


@each_compiler
def test_derivatives_fit_a_small_stack(tmp_path, compiler):
    robot = classics.puma560()
    shapes = dict.fromkeys(("q", "qd", "tau"), (6,))
    slopes = trace("slopes", lambda **s: vars(dynamics.forward_dynamics_derivatives(robot, **s)), shapes)
    generate_package([slopes], tmp_path, prefix="p")
    for flags in (("-O2",), ("-O3", "-march=native")):
        assert stack_of(tmp_path, compiler, "p", *flags) < STACK


@pytest.mark.slow
@each_compiler
@pytest.mark.parametrize("name", ["puma560", "ur5", "panda"])
def test_every_function_fits_a_small_stack(tmp_path, compiler, name):
    models = ROOT.parent / "shared" / "bench" / "models"
    if not models.is_dir():
        pytest.skip("the model collection is not here")
    model = torquec.compile(torquec.load(models / f"{name}.urdf"))
    frame = model.robot.frames[-1].name
    quantities = [*model.served(), "base_regressor", "base_inverse_dynamics"]
    quantities += [f"{name}:{frame}" for name, row in QUANTITIES.items() if row.of_frame]
    torquec.generate(model, tmp_path / "c", quantities=quantities)
    for flags in (("-O1",), ("-Os",), ("-O2",), ("-O3",), ("-O3", "-march=native")):
        assert stack_of(tmp_path / "c", compiler, name, *flags) < STACK, flags


def test_what_counts_on_doubles_is_refused_in_single_precision():
    """Rounding by 1.5 * 2^52 gives whole numbers in doubles only; in floats it swallows every angle."""
    from torquec.codegen.sincos import ROUND

    turns = trace("turns", lambda x: {"y": absolute(x[0] + ROUND) - ROUND}, {"x": (1,)})
    with pytest.raises(ArgumentError, match="double precision only"):
        c_package([turns], prefix="p", precision=Precision.SINGLE)
    assert c_package([turns], prefix="p")


def test_a_float_package_states_what_a_call_takes_in_all():

    function = trace("f", lambda x: {"y": [sincos(x[0])[0] * x[1] + sincos(x[1])[1]]}, {"x": (2,)})
    header = " ".join(
        c_package([function], prefix="p", precision=Precision.SINGLE)["p.h"].replace("\n * ", " ").split()
    )
    assert "1 mul, 1 add, 2 sincos" in header
    assert "In all 43 mul, 39 add, at every state: a sincos is 21 mul, 19 add" in header


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
