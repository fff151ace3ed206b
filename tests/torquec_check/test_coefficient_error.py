"""Coefficient errors: one bound for each, and one of their joint for those that are not named."""

from __future__ import annotations

import pytest
from tests.torquec_check.documents import program_document, robot_document
from tests.torquec_check.test_program_error import BOX, _added

from torquec_check import program_error as module
from torquec_check.document import RefusedError
from torquec_check.program import torque_program
from torquec_check.program_error import CoefficientClaim, check_coefficients
from torquec_check.robot import Box, robot_of


def _check(document, *claims, robot=None, others=(1e-12, 1e-12)):
    own = robot_of(robot or robot_document())
    return check_coefficients(own, torque_program(document, 2), BOX, claims, others, lambda *_: None)


def test_the_exact_program_needs_no_claims_but_for_rounding():
    _check(program_document())
    for others in ((1e-16, 1e-12), (1e-12, 1e-17)):
        with pytest.raises(RefusedError, match="has no bound of its own"):
            _check(program_document(), others=others)


MORE = [["const", 0.01], ["input", "qdd", 1], ["mul", 0, 1]]


def test_a_named_coefficient_has_its_bound_in_both_places():
    _check(_added(MORE), CoefficientClaim("M", (0, 1), False, 0.0101))
    with pytest.raises(RefusedError, match=r"M\[1,2\]: the bound 0.0099"):
        _check(_added(MORE), CoefficientClaim("M", (0, 1), False, 0.0099))
    with pytest.raises(RefusedError, match=r"M\[1,2\] has no bound of its own"):
        _check(_added(MORE))
    _check(_added(MORE), others=(0.0101, 1e-12))
    with pytest.raises(RefusedError, match=r"M\[1,2\] has .* that of its joint, 0.0099, is not proven"):
        _check(_added(MORE), others=(0.0099, 1.0))


def test_a_coefficient_that_neither_has_is_zero():
    _check(program_document(), CoefficientClaim("H", (1, 1, 1), False, 1e-12))
    with pytest.raises(RefusedError, match=r"H\[2,2,2\]"):
        _check(program_document(), CoefficientClaim("H", (1, 1, 1), True, 0.1))


def test_mixed_products_of_speeds_count_half():
    more = [["const", 0.01], ["input", "qd", 0], ["input", "qd", 1], ["mul", 1, 2], ["mul", 0, 3]]
    _check(_added(more), CoefficientClaim("H", (0, 0, 1), False, 0.0051))
    with pytest.raises(RefusedError, match=r"H\[1,1,2\]"):
        _check(_added(more), CoefficientClaim("H", (0, 0, 1), False, 0.0049))


def test_relative_bounds_are_those_of_the_robots_coefficient():
    """M_22 of planar2r is 1/3 everywhere."""
    more = [["const", 0.01], ["input", "qdd", 1], ["mul", 0, 1]]
    _check(_added(more, joint=1), CoefficientClaim("M", (1, 1), True, 0.0301))
    with pytest.raises(RefusedError, match=r"M\[2,2\]"):
        _check(_added(more, joint=1), CoefficientClaim("M", (1, 1), True, 0.0299))


def test_a_small_coefficient_is_not_exact_by_the_measure_of_a_large_one():
    """A finger on a 100 t rail: its inertia is wrong by a part of itself, and by 1e-12 of the rail's."""
    document = robot_document()
    document["bodies"][0]["inertia"] |= {"m": 1e5, "xx": 1e5, "yy": 1e5, "zz": 1e5}
    from torquec.expr import function_to_dict
    from torquec.model.quantities import trace_quantity
    from torquec.robot.robot_document import robot_from_dict

    program = function_to_dict(trace_quantity(robot_from_dict(document), "inverse_dynamics"))
    _check(program, robot=document, others=(1e-4, 1e-9))
    program["operations"] += [["const", 9e-8], ["input", "qdd", 1]]
    last = len(program["operations"])
    program["operations"] += [["mul", last - 2, last - 1], ["add", program["outputs"][0]["values"][1], last]]
    program["outputs"][0]["values"][1] = last + 1
    with pytest.raises(RefusedError, match=r"M\[2,2\] has no bound"):
        _check(program, robot=document, others=(1e-4, 1e-9))


@pytest.mark.parametrize(
    "large",
    [
        [["const", 2.0**41], ["add", 3, 4], ["cos", 5], ["const", 1e-200], ["mul", 6, 7]],
        [["cos", 3], ["const", 1e20], ["add", 4, 5], ["sub", 6, 5], ["sub", 7, 4]],
        [["cos", 3], ["const", 1e200], ["add", 4, 5], ["sub", 6, 5], ["sub", 7, 4]],
    ],
)
def test_a_program_does_not_choose_the_noise_that_hides_its_errors(large):
    """M[1,1] is 1000 too large, beside cosines of far angles or cancelled numbers, whose rounding is larger still."""
    more = [["const", 1000.0], ["input", "qdd", 0], ["mul", 0, 1], ["input", "q", 0], *large, ["add", 2, 8]]
    with pytest.raises(RefusedError, match="has no bound of its own"):
        _check(_added(more), others=(999.9, 1e-12))


def test_rounding_has_a_factor_for_its_own(monkeypatch):
    """The exact program's rounding is a few 1e-15: with a factor of 1e4 it exceeds 1e-12."""
    claim = CoefficientClaim("M", (0, 0), False, 1e-12)
    _check(program_document(), claim)
    monkeypatch.setattr(module, "UP", 1e4)
    with pytest.raises(RefusedError, match=r"M\[1,1\]: the bound 1e-12"):
        _check(program_document(), claim)
    with pytest.raises(RefusedError, match="has no bound of its own"):
        _check(program_document())


@pytest.mark.parametrize(
    "zero",
    [
        [["const", 1e15], ["const", 0.3], ["add", 3, 4], ["sub", 5, 3], ["sub", 6, 4]],
        [["input", "q", 0], ["const", 1e15], ["add", 3, 4], ["sub", 5, 4], ["sub", 6, 3]],
        [["input", "qd", 0], ["const", 1e15], ["mul", 3, 4], ["add", 5, 3], ["sub", 6, 5], ["sub", 7, 3]],
    ],
)
def test_what_cancels_exactly_but_not_in_doubles_counts_in_coefficients_that_are_zero(zero):
    """One joint without gravity: only M is not zero, and named; compiled, the torque is off by 0.05."""
    document = robot_document() | {"gravity": [0.0, 0.0, 0.0]}
    robot = robot_of(document | {"bodies": document["bodies"][:1]})
    operations = [["input", "qdd", 0], ["const", 1.0 / 3.0], ["mul", 0, 1], *zero]
    ports = [{"name": name, "shape": [1]} for name in ("q", "qd", "qdd")]
    claim, box = CoefficientClaim("M", (0, 0), False, 5.0), Box((-3.0,), (3.0,), (), ())

    def check(operations, others):
        tau = {"name": "tau", "shape": [1], "values": [len(operations) - 1]}
        values = {"name": "inverse_dynamics", "inputs": ports, "outputs": [tau], "operations": operations}
        check_coefficients(robot, torque_program(values, 1), box, [claim], [others], lambda *_: None)

    check(operations[:3], 1e-12)
    added = [*operations, ["add", 2, len(operations) - 1]]
    check(added, 5.0)
    with pytest.raises(RefusedError, match="has no bound of its own"):
        check(added, 0.04)
