"""Programs of M, c, C and g beside the torque that they are parts of."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.proof.arms import arm, motions

from torquec.errors import CheckError
from torquec.expr import Op
from torquec.model.quantities import trace_quantity
from torquec.proof.check_parts import check_parts, is_same_torque

PARTS = ("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix")


@pytest.mark.parametrize("name", ["planar2r", "scara"])
def test_honest_parts_are_accepted(name):
    robot = arm(name)
    program = trace_quantity(robot, "inverse_dynamics")
    check_parts(robot, program, {part: trace_quantity(robot, part) for part in PARTS}, motions(robot))


@pytest.mark.parametrize("part", PARTS)
def test_a_changed_part_is_refused(part):
    robot = arm("planar2r")
    program, own = trace_quantity(robot, "inverse_dynamics"), trace_quantity(robot, part)
    k = max(k for k, step in enumerate(own.operations) if step.op is Op.CONST and abs(step.value) > 0.1)
    changed = replace(own.operations[k], value=own.operations[k].value * (1.0 + 1e-6))
    false = replace(own, operations=(*own.operations[:k], changed, *own.operations[k + 1 :]))
    with pytest.raises(CheckError, match=part):
        check_parts(robot, program, {part: false}, motions(robot))


def test_the_same_torque_in_another_order():
    robot = arm("planar2r")
    program = trace_quantity(robot, "inverse_dynamics")
    heavier = replace(robot, gravity=tuple(1.001 * g for g in robot.gravity))
    assert is_same_torque(robot, program, program, motions(robot))
    assert not is_same_torque(robot, program, trace_quantity(heavier, "inverse_dynamics"), motions(robot))
