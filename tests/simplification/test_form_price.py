"""Prices of forms that are not built: what building them would give, but for signs."""

from __future__ import annotations

import math

import pytest

from torquec.dynamics.mechanism import mechanism
from torquec.expr import Op, count_operations, trace
from torquec.expr.math import sincos
from torquec.expr.replay import rebuilt
from torquec.robot import classics
from torquec.simplification.form_price import FormPrices
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.replacements import angle_steps


def program(algorithm, size=4):
    return trace("f", lambda x: {"y": algorithm(*x)}, {"x": (size,)})


def last_sum(function):
    return max(k for k, step in enumerate(function.operations) if step.op in (Op.ADD, Op.SUB))


def is_priced_as_built(function, step, form):
    prices = FormPrices(function)
    priced = prices.with_form(step, form(prices.values), same=math.inf)
    assert priced == count_operations(rebuilt(function, replaced={step: form})).cost
    return priced


@pytest.mark.parametrize("arm", [classics.planar2r, classics.scara, classics.puma560])
def test_a_sum_that_loses_a_term_costs_what_is_left(arm):
    function = rebuilt(torque_program(mechanism(arm())))  # which finds factors that the first trace does not
    before = count_operations(function).cost
    excess = []
    for k, step in enumerate(function.operations):
        if step.op is Op.ADD and k not in angle_steps(function):
            prices = FormPrices(function)
            priced = prices.with_form(k, prices.values[step.args[0]], same=math.inf)
            built = count_operations(rebuilt(function, replaced={k: lambda values, a=step.args[0]: values[a]})).cost
            assert built <= priced < before
            excess.append(priced - built)
    assert excess.count(0) >= 0.8 * len(excess)  # where it is more, sums share a factor now, which a build finds


def test_a_form_that_shares_what_is_there_costs_less():
    function = program(lambda w, x, y, z: [x * y, w + z * 3.0 + x])
    inputs = {step.element: k for k, step in enumerate(function.operations) if step.op is Op.INPUT}

    def shared(values):
        return values[inputs[1]] * values[inputs[2]] + values[inputs[0]]

    def new(values):
        return values[inputs[1]] * values[inputs[3]] + values[inputs[0]]

    step = last_sum(function)
    assert is_priced_as_built(function, step, shared) == 2
    assert is_priced_as_built(function, step, new) == 3


def test_sines_that_nobody_needs_any_more_cost_nothing():
    def algorithm(w, x, y, _):
        sine, cosine = sincos(w)
        return [sine * x + cosine * y + x]

    function = program(algorithm)
    assert count_operations(function).cost == 16 + 4
    inputs = {step.element: k for k, step in enumerate(function.operations) if step.op is Op.INPUT}
    assert is_priced_as_built(function, last_sum(function), lambda values: values[inputs[1]] * 2.5) == 1


def test_signs_are_no_operations():
    function = program(lambda w, x, y, z: [w * x - y * z + w])
    prices = FormPrices(function)
    first, second, third, _ = [prices.values[k] for k, step in enumerate(function.operations) if step.op is Op.INPUT]
    assert prices.with_form(last_sum(function), -(first * second) - third, same=math.inf) == 2


def test_the_form_that_is_there_is_told():
    function = program(lambda w, x, y, z: [w * x + y * z])
    prices = FormPrices(function)
    step = last_sum(function)
    arguments = [prices.values[a] for a in function.operations[step].args]
    assert prices.with_form(step, arguments[1] + arguments[0], same=-7.0) == -7.0


def test_a_form_is_forgotten():
    """The price of a form does not depend on those that were priced before."""
    function = program(lambda w, x, y, z: [w * x + y * z, w * z])
    prices = FormPrices(function)
    step = last_sum(function)
    inputs = [prices.values[k] for k, s in enumerate(function.operations) if s.op is Op.INPUT]

    def price():
        return prices.with_form(step, inputs[0] * inputs[2] + inputs[1], same=math.inf)

    first = price()
    prices.with_form(step, (inputs[0] * inputs[2]) * inputs[1] + inputs[3], same=math.inf)
    assert price() == first == 3
    assert prices.with_form(step, 0.0, same=math.inf) == 1
