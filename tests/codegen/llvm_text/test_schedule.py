import itertools

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, random_program

from torquec.codegen.llvm import compile_function
from torquec.codegen.llvm_text import scalar
from torquec.codegen.llvm_text.arrange import AngleGroup, PointGroup, Write, arrange, defines, needs
from torquec.codegen.llvm_text.program import make_program
from torquec.codegen.llvm_text.schedule import MOST_SCHEDULED, schedule
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.expr import trace
from torquec.robot import classics


def _both(function):
    program = make_program(function, fuse=True)
    items = arrange(program, columns=1)
    return program, items, schedule(program, items)


def _most_waiting(program, items):
    """The largest number of results that wait for a reader at one time."""
    uses = {}
    for item in items:
        for step in set(needs(program, item)):
            uses[step] = uses.get(step, 0) + 1
    waiting, most = set(), 0
    for item in items:
        for step in set(needs(program, item)):
            uses[step] -= 1
            if not uses[step]:
                waiting.discard(step)
        waiting |= {step for step in defines(item) if uses.get(step)}
        most = max(most, len(waiting))
    return most


def _arm_dynamics():
    robot = classics.puma560()
    n = robot.n

    def algorithm(q, qd, qdd):
        return {"tau": inverse_dynamics(robot, q, qd, qdd)}

    return trace("inverse_dynamics", algorithm, {"q": (n,), "qd": (n,), "qdd": (n,)})


def test_everything_is_done_once_and_before_it_is_needed():
    for function in (every_op(), arm(6), *(random_program(seed, steps=80) for seed in range(30))):
        program, items, scheduled = _both(function)
        known = {k for k, step in enumerate(program.steps) if step.is_leaf}
        for item in scheduled:
            assert set(needs(program, item)) <= known
            assert not set(defines(item)) & known
            known |= set(defines(item))
        assert sorted(map(repr, scheduled)) == sorted(map(repr, items))


def test_groups_keep_their_order_and_writes_follow_at_once():
    for seed in range(10):
        program, items, scheduled = _both(random_program(seed, steps=80))
        groups = [[i for i in order if isinstance(i, AngleGroup | PointGroup)] for order in (items, scheduled)]
        assert groups[0] == groups[1]
        for before, item in itertools.pairwise(scheduled):
            if isinstance(item, Write) and not program.steps[item.steps[0]].is_leaf:
                assert isinstance(before, Write) or set(item.steps) & set(defines(before))


def test_fewer_values_wait_in_the_dynamics_of_an_arm():
    program, items, scheduled = _both(_arm_dynamics())
    assert _most_waiting(program, scheduled) < 0.8 * _most_waiting(program, items)


def test_a_long_program_keeps_its_order():
    def algorithm(x):
        total = x[0]
        for k in range(MOST_SCHEDULED):
            total = total * x[k % 3] + x[1]
        return {"y": [total / x[2]]}

    _, items, scheduled = _both(trace("long", algorithm, {"x": (3,)}))
    assert len(items) > MOST_SCHEDULED
    assert scheduled == items


@pytest.mark.parametrize("function", [every_op(), arm(6), _arm_dynamics(), *map(random_program, range(4))])
def test_results_keep_all_their_bits(function, monkeypatch):
    draw = np.random.default_rng(1)
    states = [[draw.normal(size=port.shape) for port in function.inputs] for _ in range(5)]
    scheduled = compile_function(function).call
    monkeypatch.setattr(scalar, "schedule", lambda program, items: items)
    plain = compile_function(function).call
    for state in states:
        for ours, theirs in zip(_outputs(scheduled(*state)), _outputs(plain(*state)), strict=True):
            assert ours.tobytes() == theirs.tobytes()


def _outputs(result):
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]
