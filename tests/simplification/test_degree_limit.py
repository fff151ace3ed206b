"""Degrees that a proof can manage: replacements and constants that would leave them are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torquec.expr import Op, trace
from torquec.expr.math import sincos
from torquec.robot.joints import PositionBasis
from torquec.simplification import degree_limit
from torquec.simplification.degree_limit import DegreeLimit, DegreeRoom
from torquec.simplification.refit_constants import fitted_constants
from torquec.simplification.replacements import Replacement
from torquec.simplification.tuning import TUNING


@pytest.fixture
def program():
    """Degree three cancels in 3.5 sin(q) qdd because two constants make the third; the inertia beside it is free."""

    def algorithm(q, qd, qdd):
        s, c = sincos(q[0])
        return {"tau": [qdd[0] * (3.5 * (s * s) + c * c) * s + 2.5 * (qdd[0] * (c * c) * s) + 0.7 * qdd[0]]}

    return trace("inverse_dynamics", algorithm, {"q": (1,), "qd": (1,), "qdd": (1,)})


def without_room(monkeypatch):
    monkeypatch.setattr(degree_limit, "TUNING", replace(TUNING, control_points=1, control_point_growth=1))


def test_points_of_a_box(program):
    assert DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC]).points(program) == 5
    assert DegreeLimit(program, program, [PositionBasis.POLYNOMIAL]).points(program) >= 3


def test_constants_that_keep_degrees_low_stay_where_there_is_no_room(program, monkeypatch):
    assert DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC]).constants_to_fit(program) == fitted_constants(
        program
    )
    without_room(monkeypatch)
    limit = DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC])
    assert [program.operations[k].value for k in limit.constants_to_fit(program)] == [0.7]


def test_replacements_that_raise_degrees_are_refused_where_there_is_no_room(program, monkeypatch):
    steps = program.operations
    sums = [k for k, step in enumerate(steps) if step.op is Op.ADD]
    left_out = [Replacement(k, steps[k].args[side], 1.0, 1) for k in sums for side in (0, 1)]
    choices = [[one] for one in left_out]
    assert all(DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC]).allows_replacing(program, choices))
    without_room(monkeypatch)
    limit = DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC])
    assert limit.allows(program)
    allowed = limit.allows_replacing(program, choices)
    assert any(allowed)
    assert not all(allowed)


def test_what_a_checker_would_refuse_is_not_allowed(program, monkeypatch):
    """One joint has three rows; with room for five points of them its own degree is allowed and no higher one."""
    monkeypatch.setattr(degree_limit, "TUNING", replace(TUNING, table_values=15))
    limit = DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC])
    assert limit.allows(program)
    assert [program.operations[k].value for k in limit.constants_to_fit(program)] == [0.7]


@pytest.mark.parametrize(
    "room",
    [DegreeRoom((0,), in_grid=100, in_box=1), DegreeRoom((0,), in_grid=1, in_box=100)],
    ids=["little time for the proof", "little time for the check"],
)
def test_in_a_short_time_degrees_stay_those_of_the_program(program, room):
    """Its own are always allowed, however short the time; with room enough for both the limit is as ever."""
    limit = DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC], room)
    assert limit.allows(program)
    assert [program.operations[k].value for k in limit.constants_to_fit(program)] == [0.7]
    wide = DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC], DegreeRoom((0,), in_grid=100, in_box=100))
    assert wide.constants_to_fit(program) == fitted_constants(program)


def test_degrees_that_the_grid_of_a_check_has_anyway_are_allowed(program):
    """Where rounded constants of the robot's own program make it of degree three, a third degree costs nothing."""
    limit = DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC], DegreeRoom((3,), in_grid=1, in_box=100))
    assert limit.constants_to_fit(program) == fitted_constants(program)


def test_memory_is_room_for_points_and_the_program_as_it_comes_is_always_allowed(program):
    """One joint has three numbers of eight bytes for each point of a box."""
    for points in (1, 5, 1000):
        room = DegreeRoom.in_memory(1, points * 3 * 8 + 7)
        assert room.in_box == points
        assert DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC], room).allows(program)
    small = DegreeLimit(program, program, [PositionBasis.TRIGONOMETRIC], DegreeRoom.in_memory(1, 5 * 3 * 8))
    assert [program.operations[k].value for k in small.constants_to_fit(program)] == [0.7]
