"""Programs factored again: the same values with fewer operations, never with more."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.dynamics.mechanism import mechanism
from torquec.expr import count_operations, evaluate, trace
from torquec.robot import classics
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.refactor import refactored


def program(algorithm, size=5):
    return trace("f", lambda x: {"y": algorithm(*x)}, {"x": (size,)})


def largest_difference(before, after, seed=1):
    rng = np.random.default_rng(seed)
    inputs = {port.name: rng.uniform(-2.0, 2.0, (30, port.size)) for port in before.inputs}
    a, b = evaluate(before, inputs), evaluate(after, inputs)
    return max(float((np.abs(a[name] - b[name]) / (1.0 + np.abs(a[name]))).max()) for name in a)


def test_products_of_sums_are_multiplied_out_where_that_is_shorter():
    # v w x stands in both products of a sum, as in the mass matrix of a recursion's turned vectors.
    before = program(lambda v, w, x, y, z: [w * (v * x - y * z) + x * (w * v + y * z) + 3.0 * (v * y)])
    after = refactored(before, patience=20)
    assert count_operations(after).cost < count_operations(before).cost
    assert largest_difference(before, after) < 1e-13


def test_a_product_that_is_there_is_used():
    # v w x stands in the second result as well, once this is multiplied out.
    before = program(lambda v, w, x, y, z: [v * x * w, (v + y * z) * x * w + (z + 1.0) * y])
    after = refactored(before, patience=30)
    assert count_operations(after).cost < count_operations(before).cost
    assert largest_difference(before, after) < 1e-13


def test_a_value_times_a_constant_stands_for_the_value():
    def algorithm(v, w, x, y, z):
        u = 3.5 * v
        return [u * w + 2.1 * v * x + y * z, u * y + z]

    before = program(algorithm)
    after = refactored(before, patience=30)
    assert count_operations(after).mul < count_operations(before).mul
    assert largest_difference(before, after) < 1e-13


def test_small_coefficients_are_no_rounding():
    """Terms may be far apart in their units: where the large one is zero, the small ones are all there is."""

    def algorithm(v, w, x, y, z):
        return [w * (v * x - 2e-15 * (y * z)) + x * (w * v + 5e-15 * (y * z)) + 7e-15 * (w * x * y)]

    before = program(algorithm)
    after = refactored(before, patience=20)
    assert count_operations(after).cost < count_operations(before).cost
    at = np.random.default_rng(1).uniform(-2.0, 2.0, (30, 5)) * [0.0, 1.0, 1.0, 1.0, 1.0]
    a, b = (evaluate(function, {"x": at})["y"] for function in (before, after))
    assert np.abs(a - b).max() < 1e-12 * np.abs(a).max()


def test_what_is_refused_is_not_taken():
    before = program(lambda v, w, x, y, z: [w * (v * x - y * z) + x * (w * v + y * z) + 3.0 * (v * y)])
    assert refactored(before, patience=20, accept=lambda _: False) is before


def test_programs_without_sums_stay():
    before = program(lambda v, w, x, y, z: [v * w, x * y, 2.0 * z])
    assert refactored(before) is before


def test_the_same_seed_gives_the_same_form():
    before = torque_program(mechanism(classics.planar2r()))
    assert refactored(before, seed=3) == refactored(before, seed=3)


@pytest.mark.parametrize("seed", range(12))
def test_values_are_the_same_for_random_programs(seed):
    rng = np.random.default_rng(seed)
    constants = rng.choice([0.3, 2.5, -2.5, 7.0, 1.0], 16)

    def algorithm(v, w, x, y, z):
        values = [v, w, x, y, z]
        for constant in constants:
            a, b = (values[k] for k in rng.integers(max(0, len(values) - 9), len(values), 2))
            values.append(float(constant) * a)
            values.append([a + b, a - b, a * b, -a][rng.integers(0, 4)])
        return values[-5:]

    before = program(algorithm)
    after = refactored(before, seed=seed)
    assert count_operations(after).cost <= count_operations(before).cost
    assert largest_difference(before, after) < 1e-11


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford", "puma560"])
def test_torques_of_an_arm_are_the_same(name):
    before = torque_program(mechanism(getattr(classics, name)()))
    after = refactored(before, patience=1)
    assert count_operations(after).cost <= count_operations(before).cost
    assert largest_difference(before, after) < 1e-13
