"""Parts of a torque program: M, c, C and g are told from anything that only looks like them."""

from __future__ import annotations

import pytest

import torquec as tq
from torquec.errors import CheckError
from torquec.expr import trace
from torquec.expr.math import sincos
from torquec.expr.replay import replay
from torquec.proof.checker.check_parts import check_parts, is_same_torque
from torquec.trajectory.motion_box import joint_box

PARTS = ("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix")


@pytest.fixture(scope="module")
def case():
    """The exact model by coefficients of a closed form, whose C is the one that follows from its torque."""
    robot = tq.classics.planar3r()
    short = tq.abbreviated_model(robot)
    return robot, short.function("inverse_dynamics"), {name: short.function(name) for name in PARTS}


def test_parts_of_the_program_pass(case):
    robot, program, parts = case
    check_parts(robot, program, parts, joint_box(robot))


def with_bump(part, bump):
    """The first result with something added."""
    shapes = {port.name: port.shape for port in part.inputs}

    def algorithm(**inputs):
        ((name, values),) = replay(part, inputs).items()
        nested = isinstance(values[0], list | tuple)
        rows = [list(row) if nested else row for row in values]
        if nested:
            rows[0][0] = rows[0][0] + bump(inputs)
        else:
            rows[0] = rows[0] + bump(inputs)
        return {name: rows}

    return trace(part.name, algorithm, shapes)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_differs_is_refused(case, name):
    robot, program, parts = case
    bumps = [lambda inputs: 1e-7 * sincos(inputs["q"][1])[0], lambda inputs: 3.0 * sincos(5.0 * inputs["q"][1])[0]]
    if "qd" in {port.name for port in parts[name].inputs}:
        bumps = [lambda inputs, wave=wave: wave(inputs) * inputs["qd"][0] for wave in bumps]
    if name == "velocity_torque":
        bumps = [lambda inputs, wave=wave: wave(inputs) * inputs["qd"][1] for wave in bumps]
    for bump in bumps:
        with pytest.raises(CheckError):
            check_parts(robot, program, {name: with_bump(parts[name], bump)}, joint_box(robot))


def test_speeds_and_rest_are_told_apart(case):
    """A velocity torque with a term at rest, and gravity without it, add up to the right torque."""
    robot, program, parts = case
    false = with_bump(parts["velocity_torque"], lambda inputs: sincos(inputs["q"][1])[0])
    with pytest.raises(CheckError, match="velocity_torque"):
        check_parts(robot, program, {"velocity_torque": false}, joint_box(robot))


def test_a_coriolis_matrix_with_the_same_product_is_refused(case):
    """C qd alone does not determine C: [qd2, -qd1, 0] times qd is zero."""
    robot, program, parts = case

    def algorithm(q, qd):
        C = [list(row) for row in replay(parts["coriolis_matrix"], {"q": q, "qd": qd})["C"]]
        C[0][0], C[0][1] = C[0][0] + qd[1], C[0][1] - qd[0]
        return {"C": C}

    false = trace("coriolis_matrix", algorithm, {"q": (3,), "qd": (3,)})
    with pytest.raises(CheckError, match="coriolis_matrix"):
        check_parts(robot, program, {"coriolis_matrix": false}, joint_box(robot))


def test_torques_are_the_same_but_for_rounding(case):
    robot, program, _ = case
    box = joint_box(robot)
    assert is_same_torque(robot, program, program, box)
    for size, same in ((1e-12, True), (1e-6, False)):
        bumped = with_bump(program, lambda inputs, size=size: size * sincos(inputs["q"][1])[0])
        assert is_same_torque(robot, program, bumped, box) is same
