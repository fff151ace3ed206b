"""Operation counts of real programs as a table: one row a function, the numbers that `count` gives."""

from __future__ import annotations

import dataclasses

import pytest

from torquec.expr import count_operations
from torquec.model.model import compile
from torquec.report.operation_text import operations_table
from torquec.robot import classics


def test_rows_hold_the_counts_of_the_functions():
    arm = compile(classics.planar2r())
    counts = {
        name: dataclasses.asdict(count_operations(arm.function(name))) for name in ("mass_matrix", "inverse_dynamics")
    }
    header, *rows = (line.split() for line in operations_table(counts).splitlines())
    assert header == ["function", "mul", "add", "div", "sincos", "other"]
    for row, (name, count) in zip(rows, counts.items(), strict=True):
        assert row == [name, *(str(count[kind]) for kind in header[1:])]
    assert int(rows[1][1]) > int(rows[0][1]) > 0


def test_a_count_without_a_kind_is_refused():
    with pytest.raises(KeyError, match="sincos"):
        operations_table({"f": {"mul": 1, "add": 1, "div": 0}})
