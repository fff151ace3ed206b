"""What computing in doubles can change: known answers, never too little, and honest programs far below the limit."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.parameters.serial_arms import random_arm
from tests.proof.arms import arm, motions, programs
from tests.proof.raw_steps import RawSteps

from torquec.errors import CheckError
from torquec.expr import Op, evaluate, trace
from torquec.model.quantities import trace_quantity
from torquec.proof.checker.allowances import DOUBLES
from torquec.proof.checker.check_doubles import check_doubles, in_doubles, largest_size
from torquec.trajectory.motion_box import MotionBox

BOX = MotionBox((-2.0, -1.0), (1.0, 3.0), (4.0, 5.0), (6.0, 7.0))


def traced(formula):
    shapes = dict.fromkeys(("q", "qd", "qdd"), (2,))
    return trace("f", lambda q, qd, qdd: {"tau": [formula(q, qd, qdd)]}, shapes)


def test_sizes_by_hand():
    (value,) = in_doubles(traced(lambda q, qd, qdd: q[0] * q[1] - 3.0 * qd[1] * qdd[0]), BOX)
    assert value.size == pytest.approx(2.0 * 3.0 + 3.0 * 5.0 * 6.0)
    # two products of one operation, one of two, and a sum
    assert value.distance == pytest.approx(2.0**-53 * (6.0 + 2.0 * 90.0 + 96.0), rel=1e-6)
    (alone,) = in_doubles(traced(lambda q, qd, qdd: qd[1] * qdd[0]), BOX.positions)
    assert alone.size == 1.0


def test_rounding_is_never_more():
    """Sums and products of random doubles, beside the same in fractions."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        steps = RawSteps(traced(lambda q, qd, qdd: q[0] + qd[1]))
        values = [steps.read("q", 0), steps.read("q", 1), steps.read("qd", 0), steps.read("qdd", 1)]
        for _ in range(12):
            op = (Op.ADD, Op.SUB, Op.MUL)[int(rng.integers(3))]
            a, b = (values[int(k)] for k in rng.integers(len(values), size=2))
            values.append(steps.append(op, a, b))
            if rng.random() < 0.3:
                values.append(steps.number(float(rng.choice([1e8, 0.1, -3e-5, 7.0]))))
        program = steps.with_result(0, values[-1])
        state = {
            "q": rng.uniform(BOX.lower, BOX.upper),
            "qd": rng.uniform(-1.0, 1.0, 2) * BOX.velocity,
            "qdd": rng.uniform(-1.0, 1.0, 2) * BOX.acceleration,
        }
        found = float(evaluate(program, state)["tau"][0])
        (value,) = in_doubles(program, BOX)
        assert abs(Fraction(found) - exactly(program, state)) <= value.distance
        assert abs(found) <= value.size + value.distance


def exactly(program, state):
    """The first result in fractions."""
    meaning = {Op.ADD: lambda a, b: a + b, Op.SUB: lambda a, b: a - b, Op.MUL: lambda a, b: a * b}
    values = []
    for step in program.operations:
        if step.op is Op.CONST:
            values.append(Fraction(step.value))
        elif step.op is Op.INPUT:
            values.append(Fraction(float(state[step.port][step.element])))
        else:
            values.append(meaning[step.op](*(values[k] for k in step.args)))
    return values[program.results[0][0]]


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford", "puma560"])
def test_honest_programs_are_far_below_the_limit(name):
    robot = arm(name)
    box, own = motions(robot), trace_quantity(robot, "inverse_dynamics")
    for program in (own, *programs(robot, robot.n - 1, 0.9)):
        check_doubles(program, box, 1e-3 * DOUBLES * largest_size(own, box))


@pytest.mark.parametrize("seed", range(8))
def test_random_arms_are_far_below_the_limit(seed):
    robot = random_arm(seed)
    box, own = motions(robot), trace_quantity(robot, "inverse_dynamics")
    check_doubles(own, box, 1e-3 * DOUBLES * largest_size(own, box))


@pytest.mark.parametrize("factors", [(1e200, 1e200, 0.0), (1e308, 10.0, 1.0)])
def test_what_is_too_large_for_doubles_is_refused(factors):
    steps = RawSteps(traced(lambda q, qd, qdd: qdd[0]))
    term = steps.product(steps.read("qdd", 1), *(steps.number(each) for each in factors))
    with pytest.raises(CheckError, match="terms of it cancel, or are too large"):
        check_doubles(steps.with_result(0, term), BOX, 1e300)


def test_operations_that_are_not_known_are_refused():
    with pytest.raises(CheckError, match="nothing is known of the operation 'div'"):
        check_doubles(traced(lambda q, qd, qdd: qdd[0] / qd[1]), BOX, math.inf)
