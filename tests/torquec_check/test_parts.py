"""Parts of a torque: M, c, C and g of a program, compared coefficient by coefficient."""

from __future__ import annotations

import dataclasses

import pytest
from tests.torquec_check.documents import program_document
from tests.torquec_check.test_program_error import BOX, _added

from torquec_check import parts as module
from torquec_check.document import RefusedError
from torquec_check.parts import check_parts, check_same
from torquec_check.program import program_of
from torquec_check.rows import Rows, as_ball, grid_of

TURNS = (True, True)


def _part(name):
    from torquec.expr import function_to_dict
    from torquec.model.quantities import trace_quantity
    from torquec.robot.classics import load_classic

    return program_of(function_to_dict(trace_quantity(load_classic("planar2r"), name)))


@pytest.mark.parametrize("name", ["mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix"])
def test_parts_are_those_of_the_program_and_of_no_other(name):
    program = program_of(program_document())
    check_parts(program, {name: _part(name)}, TURNS, BOX)
    more = [
        ["const", 1e-6],
        ["input", "qd", 0],
        ["input", "q", 1],
        ["cos", 2],
        ["mul", 1, 1],
        ["mul", 0, 4],
        ["mul", 3, 5],
    ]
    more += [["input", "qdd", 0], ["mul", 0, 7], ["mul", 0, 3], ["add", 6, 8], ["add", 9, 10]]
    with pytest.raises(RefusedError, match=name):
        check_parts(program_of(_added(more)), {name: _part(name)}, TURNS, BOX)


def test_what_is_no_part_is_refused():
    with pytest.raises(RefusedError, match="no part"):
        check_parts(program_of(program_document()), {"energy": _part("gravity_torque")}, TURNS, BOX)
    with pytest.raises(RefusedError, match="its ports"):
        check_parts(program_of(program_document()), {"mass_matrix": _part("gravity_torque")}, TURNS, BOX)


def test_the_same_torques():
    program = program_of(program_document())
    check_same(program, program, TURNS, BOX)
    with pytest.raises(RefusedError, match="output 1 differs"):
        check_same(program, program_of(_added([["const", 1e-6]])), TURNS, BOX)


def test_rounding_of_a_part_is_bounded():
    document = program_document()
    start = len(document["operations"])
    value = document["outputs"][0]["values"]
    document["operations"] += [["const", 1e9], ["add", value[0], start], ["sub", start + 1, start]]
    value[0] = start + 2
    with pytest.raises(RefusedError, match="rounding"):
        check_same(program_of(program_document()), program_of(document), TURNS, BOX)


def test_parts_have_the_documented_ports():
    """Inputs in another order, or a second output, would be what the C computes, and nobody compares."""
    program = program_of(program_document())
    for name in ("velocity_torque", "gravity_torque"):
        part = _part(name)
        check_parts(program, {name: part}, TURNS, BOX)
        more = dataclasses.replace(part, outputs=part.outputs * 2, results=part.results * 2)
        for other in (dataclasses.replace(part, inputs=part.inputs[::-1] * 2), more):
            with pytest.raises(RefusedError, match="its ports"):
                check_parts(program, {name: other}, TURNS, BOX)


def test_noise_that_a_program_makes_itself_hides_nothing():
    """cos q + 1e20 - 1e20 - cos q in a torque: g may not differ by a hundred times its noise."""
    more = [["input", "q", 0], ["cos", 0], ["const", 1e20], ["add", 1, 2], ["sub", 3, 2], ["sub", 4, 1]]
    with pytest.raises(RefusedError, match="differs"):
        check_parts(program_of(_added(more)), {"gravity_torque": _part("gravity_torque")}, TURNS, BOX)


def test_a_torque_that_is_zero_has_parts():
    nothing = program_document() | {"operations": [["const", 0.0]]}
    nothing["outputs"][0]["values"] = [0, 0]
    part = nothing | {"name": "gravity_torque", "inputs": nothing["inputs"][:1]}
    assert check_parts(program_of(nothing), {"gravity_torque": program_of(part)}, TURNS, BOX) == {
        "gravity_torque": [0.0, 0.0]
    }


def test_what_parts_differ_by_is_a_bound(monkeypatch):
    found = check_parts(program_of(program_document()), {"mass_matrix": _part("mass_matrix")}, TURNS, BOX)
    assert all(0.0 <= error < 1e-13 for error in found["mass_matrix"])
    assert max(found["mass_matrix"]) > 1e-17
    monkeypatch.setattr(module, "UP", 2.0)
    twice = check_parts(program_of(program_document()), {"mass_matrix": _part("mass_matrix")}, TURNS, BOX)
    assert twice["mass_matrix"][0] > 1.01 * found["mass_matrix"][0]


def test_a_coefficient_that_the_program_lacks_is_no_part_of_it():
    """Next to M, c and g of any size: 1e-10 where the program has nothing is refused."""
    nothing = program_document() | {"operations": [["const", 0.0], ["input", "qdd", 0]]}
    nothing["outputs"][0]["values"] = [1, 0]
    part = nothing | {"name": "gravity_torque", "inputs": nothing["inputs"][:1], "operations": [["const", 1e-10]]}
    part["outputs"] = [{"name": "tau", "shape": [2], "values": [0, 0]}]
    with pytest.raises(RefusedError, match="output 1 differs by up to 1e-10"):
        check_parts(program_of(nothing), {"gravity_torque": program_of(part)}, TURNS, BOX)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_wave_that_vanishes_on_the_nodes_of_the_other_program_is_seen(swapped):
    """sin 5 q is zero at the five nodes of second degree."""
    wave = program_of(_added([["input", "q", 1], ["const", 5.0], ["mul", 0, 1], ["sin", 2]]))
    pair = [program_of(program_document()), wave]
    with pytest.raises(RefusedError, match="output 1 differs"):
        check_same(*(pair[::-1] if swapped else pair), TURNS, BOX)


def test_coefficients_that_are_zero_are_equal():
    grid = grid_of(TURNS, (1, 1), BOX.lower, BOX.upper)
    assert 0.0 < module._compare(Rows({(): as_ball(0.0)}), Rows(), grid, 0, 0.0) < 1e-140


def test_a_torque_that_is_zero_has_no_part_that_rounds():
    """sin q - sin q where the program has nothing."""
    nothing = program_document() | {"operations": [["const", 0.0]]}
    nothing["outputs"][0]["values"] = [0, 0]
    steps = [["const", 0.0], ["input", "q", 0], ["sin", 1], ["sub", 2, 2]]
    part = nothing | {"name": "gravity_torque", "inputs": nothing["inputs"][:1], "operations": steps}
    part["outputs"] = [{"name": "tau", "shape": [2], "values": [0, 3]}]
    with pytest.raises(RefusedError, match="rounding may change output 2"):
        check_parts(program_of(nothing), {"gravity_torque": program_of(part)}, TURNS, BOX)
