"""Programs of documents: exact ports, and operations that only use what is there."""

from __future__ import annotations

import pytest
from tests.torquec_check.documents import program_document

from torquec_check.document import RefusedError
from torquec_check.program import program_of, torque_program


def test_a_torque_program_is_read():
    program = torque_program(program_document(), 2)
    assert [port.name for port in program.inputs] == ["q", "qd", "qdd"]
    assert program.outputs[0].size == len(program.results[0]) == 2


def test_ports_in_another_order_are_refused():
    """Generated code has its arguments in the order of the ports."""
    document = program_document()
    document["inputs"].reverse()
    with pytest.raises(RefusedError, match="in this order"):
        torque_program(document, 2)


def test_another_name_is_refused():
    with pytest.raises(RefusedError, match="exact_inverse_dynamics"):
        torque_program(program_document() | {"name": "exact_inverse_dynamics"}, 2)


@pytest.mark.parametrize(
    "operation",
    [
        ["add", 0],
        ["add", 0, 10**6],
        ["input", "q", 2],
        ["input", "x", 0],
        ["const", True],
        ["pow", 0, 0],
        [],
        ["neg", -1],
    ],
)
def test_malformed_operations_are_refused(operation):
    document = program_document()
    document["operations"].append(operation)
    with pytest.raises(RefusedError, match="program"):
        program_of(document)


def test_an_output_that_is_no_value_is_refused():
    document = program_document()
    document["outputs"][0]["values"][0] = len(document["operations"])
    with pytest.raises(RefusedError, match="no value"):
        program_of(document)


def test_two_inputs_of_one_name_are_refused():
    document = program_document()
    document["inputs"][1]["name"] = "q"
    with pytest.raises(RefusedError, match="two inputs have one name"):
        program_of(document)
