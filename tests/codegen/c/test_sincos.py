"""The sine and cosine of generated C, bit by bit against the reference."""

from __future__ import annotations

import numpy as np
from tests.codegen.c.compiler import Library, needs_compiler

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
