from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, random_program
from tests.dynamics.random_robots import random_robot

from torquec.codegen.llvm import compile_function
from torquec.codegen.llvm_text import scalar
from torquec.codegen.llvm_text.arrange import (
    MOST_SCHEDULED,
    AngleGroup,
    PointGroup,
    Write,
    arrange,
    defines,
    needs,
    schedule,
)
from torquec.codegen.llvm_text.program import make_program
from torquec.expr import trace
from torquec.model.quantities import QUANTITIES, trace_quantity
from torquec.robot import classics


def test_joint_angles_are_one_group_at_the_beginning():
    items = arrange(make_program(arm(6), fuse=True), columns=1)
    assert isinstance(items[0], AngleGroup)
    assert len(items[0].angles) == 6
    assert sum(isinstance(item, AngleGroup) for item in items) == 1


def test_angles_that_need_angles_are_a_later_group():
    items = arrange(make_program(every_op(), fuse=True), columns=1)
    assert [len(item.angles) for item in items if isinstance(item, AngleGroup)] == [2, 1]


def test_everything_is_defined_once_and_before_it_is_needed():
    for seed in range(20):
        program = make_program(random_program(seed, steps=80), fuse=True)
        for columns in (1, 4, 8):
            known = {k for k, step in enumerate(program.steps) if step.is_leaf}
            for item in arrange(program, columns=columns):
                assert set(needs(program, item)) <= known
                assert not set(defines(item)) & known
                known |= set(defines(item))
            assert known == set(range(len(program.steps)))


def test_every_output_element_is_written_once():
    for seed in range(20):
        program = make_program(random_program(seed), fuse=True)
        for columns in (1, 4, 8):
            written = {}
            for item in arrange(program, columns=columns):
                if isinstance(item, Write):
                    assert len(item.steps) <= columns
                    assert item.first % columns == 0
                    for k, step in enumerate(item.steps):
                        assert (item.output, item.first + k) not in written
                        written[item.output, item.first + k] = step
            assert written == {(i, k): step for i, row in enumerate(program.results) for k, step in enumerate(row)}


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
    program, items, scheduled = _both(trace_quantity(classics.puma560(), "inverse_dynamics"))
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


@pytest.mark.parametrize("function", [every_op(), arm(6), *map(random_program, range(4))])
def test_results_keep_all_their_bits(function, monkeypatch):
    _check_bits(function, monkeypatch)


@pytest.mark.parametrize("name", [name for name, quantity in QUANTITIES.items() if not quantity.of_frame])
def test_quantities_of_an_arm_keep_all_their_bits(name, monkeypatch):
    _check_bits(trace_quantity(classics.puma560(), name), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_quantities_of_random_robots_keep_all_their_bits(seed, monkeypatch):
    robot = random_robot(seed)
    for name in ("inverse_dynamics", "mass_matrix", "forward_dynamics", "coriolis_matrix", "regressor"):
        _check_bits(trace_quantity(robot, name), monkeypatch)


def _check_bits(function, monkeypatch):
    draw = np.random.default_rng(1)
    states = [[draw.normal(size=port.shape) for port in function.inputs] for _ in range(5)]
    scheduled = compile_function(function).call
    with monkeypatch.context() as patch:
        patch.setattr(scalar, "schedule", lambda program, items, **_: items)
        plain = compile_function(function).call
    for state in states:
        for ours, theirs in zip(_outputs(scheduled(*state)), _outputs(plain(*state)), strict=True):
            assert ours.tobytes() == theirs.tobytes()


def _outputs(result):
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]
