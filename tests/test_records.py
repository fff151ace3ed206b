"""Records as JSON."""

from __future__ import annotations

import json

import pytest

from torquec.errors import ArgumentError
from torquec.records import BaseParametersRecord, sparse_rows

RECORD = BaseParametersRecord(
    robot="arm",
    method="by hand",
    motors=False,
    friction="none",
    frames="body",
    parameters=("a", "b"),
    names=("a+",),
    projection=(((0, 1.0), (1, 0.1)),),
    expansion=(((0, 1.0),), ()),
    values=(0.3,),
)


def test_there_and_back():
    assert BaseParametersRecord.from_dict(json.loads(json.dumps(RECORD.to_dict()))) == RECORD


def test_anything_else_is_refused():
    with pytest.raises(ArgumentError, match="record of kind 'base_parameters': its kind is 'other'"):
        BaseParametersRecord.from_dict({"kind": "other"})
    incomplete = RECORD.to_dict()
    del incomplete["values"]
    with pytest.raises(ArgumentError, match="to_dict"):
        BaseParametersRecord.from_dict(incomplete)


def test_sparse_rows_leave_out_zeros():
    assert sparse_rows([[0.0, -2.0], [0.0, 0.0]]) == (((1, -2.0),), ())
