"""Processors by their names."""

import pytest

from torquec.codegen.object.triple import KNOWN_TRIPLES, host_triple, machine_target
from torquec.errors import ArgumentError


def test_every_row_is_known_to_llvm():
    for triple, row in KNOWN_TRIPLES.items():
        assert machine_target(triple).cpu == row.cpu
    assert machine_target("x86_64-unknown-linux-gnu").cpu == "x86-64"
    assert machine_target(host_triple()).triple == host_triple()


def test_families():
    words = {"thumbv7em-none-eabihf": "arm", "arm64-apple-darwin": "aarch64", "x86_64-pc-windows-msvc": "x86"}
    assert {triple: machine_target(triple).family for triple in words} == words
    assert machine_target("x86_64-pc-windows-msvc").suffix == ".obj"


def test_an_unknown_triple_lists_those_that_were_tried():
    with pytest.raises(ArgumentError, match="does not know the triple 'tricore-none'") as caught:
        machine_target("tricore-none")
    assert "thumbv7em-none-eabihf (Cortex-M7" in str(caught.value.remedy)


def test_an_unknown_processor_lists_those_of_the_triple():
    with pytest.raises(ArgumentError, match="processor 'cortex-m99'") as caught:
        machine_target("thumbv7em-none-eabihf", "cortex-m99")
    assert "cortex-m4," in str(caught.value.remedy)
    assert machine_target("thumbv7em-none-eabihf", "cortex-m4").cpu == "cortex-m4"
