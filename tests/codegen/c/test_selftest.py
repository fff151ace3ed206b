"""The self-test's tolerance follows from the function."""

from __future__ import annotations

import re

from tests.codegen.c.compiler import COMPILERS, build, needs_compiler, run

from torquec.codegen.c import c_package
from torquec.codegen.c.scalar import DOUBLE, SINGLE
from torquec.expr import trace
from torquec.expr.math import sqrt


def tolerance(algorithm) -> float:
    text = c_package([trace("f", algorithm, {"x": (2,)})], prefix="p")["selftest.c"]
    return float(re.search(r'report\("f", worst, (.*)\);', text).group(1))


def test_well_conditioned_functions_are_held_to_1e_12():
    assert tolerance(lambda x: {"y": [x[0] * x[1]]}) == 1e-12


def test_cancellation_widens_the_tolerance():
    assert 1e-10 < tolerance(lambda x: {"y": [(x[0] + 1e6) - sqrt(x[0] * x[0] + 1e12)]}) < 1e-3


def test_what_is_printed_is_a_double():
    function = trace("f", lambda x: {"y": [2.0 * x[0]]}, {"x": (1,)})
    for scalar, casts in ((DOUBLE, False), (SINGLE, True)):
        assert ("(double)" in c_package([function], prefix="p", scalar=scalar)["selftest.c"]) == casts


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
