"""The self-test's tolerance follows from the function."""

from __future__ import annotations

import re

from torquec.codegen.c import c_package
from torquec.expr import trace
from torquec.expr.math import sqrt


def tolerance(algorithm) -> float:
    text = c_package([trace("f", algorithm, {"x": (2,)})], prefix="p")["selftest.c"]
    return float(re.search(r'report\("f", worst, (.*)\);', text).group(1))


def test_well_conditioned_functions_are_held_to_1e_12():
    assert tolerance(lambda x: {"y": [x[0] * x[1]]}) == 1e-12


def test_cancellation_widens_the_tolerance():
    assert 1e-10 < tolerance(lambda x: {"y": [(x[0] + 1e6) - sqrt(x[0] * x[0] + 1e12)]}) < 1e-3


def test_results_that_are_not_finite_are_recorded():
    text = c_package([trace("f", lambda x: {"y": [sqrt(x[0]), 1.0 / (x[1] - x[1] * 1.0)]}, {"x": (2,)})], prefix="p")
    assert "(double)NAN" in text["selftest.c"]
