"""The sine and cosine of generated C, bit by bit against the reference."""

from __future__ import annotations

import re

import numpy as np
from tests.codegen.c.compiler import Library, needs_compiler

from torquec.codegen.c.names import SINGLE, package_names
from torquec.codegen.c.sincos import ADDITIONS, MULTIPLICATIONS, sincos_source
from torquec.codegen.sincos import LARGEST_ANGLE, sincos_reference
from torquec.expr import trace
from torquec.expr.math import sincos


@needs_compiler
def test_every_bit_is_that_of_the_reference(tmp_path):
    n = 64
    function = trace("f", lambda x: dict(zip("sc", zip(*map(sincos, x), strict=True), strict=True)), {"x": (n,)})
    libraries = [Library(tmp_path, [function], level, "-ffp-contract=off") for level in ("-O0", "-O3")]
    rng = np.random.default_rng(3)
    quarter = np.arange(-n // 2, n // 2) * (np.pi / 4)
    edges = np.resize([0.0, 5e-324, 1e-300, -1e-9, LARGEST_ANGLE, -LARGEST_ANGLE, np.nextafter(LARGEST_ANGLE, 0)], n)
    for x in (quarter, edges, rng.uniform(-4, 4, n), rng.uniform(-1e5, 1e5, n), rng.normal(size=n) * 1e-5):
        sine, cosine = sincos_reference(x)
        for library in libraries:
            found = library("f", {"x": x})
            np.testing.assert_array_equal(found["s"], sine)
            np.testing.assert_array_equal(found["c"], cosine)


def test_the_stated_cost_of_a_single_one_is_what_stands_in_its_text():
    text = sincos_source(package_names([], "p", scalar=SINGLE))
    body = text.partition("#else")[2].partition("#endif")[0]
    plain = re.sub(r"e-\d+f", "f", body)
    assert plain.count("*") == MULTIPLICATIONS
    assert len(re.findall(r" [+-] |^ +- ", plain, re.MULTILINE)) == ADDITIONS
    assert "sincos4" not in text
    assert "[4]" not in text
