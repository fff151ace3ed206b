"""Units that save multiplications: the same values with fewer operations."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.dynamics.mechanism import mechanism
from torquec.expr import count_operations, evaluate, trace
from torquec.robot import classics
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.rescale import rescaled


def program(algorithm, size=4):
    return trace("f", lambda x: {"y": algorithm(*x)}, {"x": (size,)})


def same_values(before, after, inputs):
    a, b = evaluate(before, inputs), evaluate(after, inputs)
    return all(np.allclose(a[name], b[name], rtol=1e-13, atol=1e-13) for name in a)


def at_random(function, seed=1):
    rng = np.random.default_rng(seed)
    return {port.name: rng.uniform(-2.0, 2.0, (20, port.size)) for port in function.inputs}


def test_a_constant_on_the_way_in_goes_out_with_another():
    # 3 (x y) and 3 z are measured in thirds; the 5 and the 7 that follow take it up.
    before = program(lambda x, y, z, w: [5.0 * (3.0 * (x * y) + w * (3.0 * z)), 7.0 * (3.0 * (x * y) - w)])
    after = rescaled(before)
    assert count_operations(after).mul < count_operations(before).mul
    assert same_values(before, after, at_random(before))


def test_terms_on_the_other_side_are_multiplied_once():
    before = program(lambda x, y, z, w: [2.5 * (x * y) + 2.5 * (y * z) * w + 2.5 * (z * w) * x + w])
    after = rescaled(before)
    assert count_operations(after).mul <= count_operations(before).mul - 2
    assert same_values(before, after, at_random(before))


def test_what_cannot_be_shorter_stays():
    before = program(lambda x, y, z, w: [2.0 * x + 3.0 * y, x * y - 0.5 * (z * w)])
    assert rescaled(before) is before


@pytest.mark.parametrize("seed", range(12))
def test_values_are_the_same_for_random_programs(seed):
    rng = np.random.default_rng(seed)
    constants = rng.choice([0.3, 2.5, -2.5, 7.0, 1.0], 12)

    def algorithm(x, y, z, w):
        values = [x, y, z, w]
        for constant in constants:
            a, b = (values[k] for k in rng.integers(0, len(values), 2))
            values.append(float(constant) * a)
            values.append([a + b, a - b, a * b, -a][rng.integers(0, 4)])
        return values[-4:]

    before = program(algorithm)
    after = rescaled(before)
    assert count_operations(after).cost <= count_operations(before).cost
    a, b = (evaluate(f, at_random(before, seed))["y"] for f in (before, after))
    assert np.allclose(a, b, rtol=1e-11, atol=1e-11 * (1.0 + np.abs(a).max()))


def test_the_torques_of_an_arm_are_the_same():
    before = torque_program(mechanism(classics.puma560()))
    after = rescaled(before)
    inputs = at_random(before)
    size = np.abs(evaluate(before, inputs)["tau"]).max()
    assert np.abs(evaluate(before, inputs)["tau"] - evaluate(after, inputs)["tau"]).max() < 1e-13 * size
