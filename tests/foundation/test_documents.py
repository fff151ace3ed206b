"""Dataclasses as documents: what is written reads back, and everything else is refused with its path."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import pytest

from torquec.errors import ArgumentError, ModelFileError
from torquec.foundation.arrays import Array
from torquec.foundation.documents import Codec, DocumentFormat, written_by


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class Bearing:
    KIND: ClassVar[str] = "bearing"

    loss: float


@dataclass(frozen=True)
class Seal:
    KIND: ClassVar[str] = "seal"

    loss: float
    grease: str = "none"


INTEGERS_AS_TEXT = Codec(
    lambda rows: [" ".join(map(str, row)) for row in rows],
    lambda rows: tuple(tuple(int(word) for word in row.split()) for row in rows),
)


@dataclass(frozen=True)
class Part:
    name: str
    side: Side
    axis: tuple[float, float, float]
    count: int
    sealed: bool
    friction: tuple[Bearing | Seal, ...] = ()
    upper: float = math.inf
    lower: float = -math.inf
    rest: float | None = None
    names: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    trees: tuple[tuple[int, ...], ...] = field(default=(), metadata=written_by(INTEGERS_AS_TEXT))
    source: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False)
class Table:
    values: Array


FORMAT = DocumentFormat("part", error=ModelFileError, remedy="write it again")
PART = Part(
    "jaw", Side.RIGHT, (0.1, 0.2, 0.3), 2, True, (Bearing(0.5), Seal(0.25, "blue")),
    upper=2.0, names={"a": (1, 2)}, trees=((1, 0), (2,)), source="jaw.urdf",
)  # fmt: skip


def through_json(values: Any) -> Any:
    return json.loads(json.dumps(values))


def test_what_is_written_reads_back_after_json_too():
    values = through_json(FORMAT.to_values(PART))
    assert FORMAT.from_values(Part, values) == PART
    assert list(values) == [f.name for f in dataclasses.fields(Part) if f.name != "source"]
    assert values["lower"] is None
    assert values["friction"][1] == {"kind": "seal", "loss": 0.25, "grease": "blue"}
    assert values["trees"] == ["1 0", "2"]


def test_arrays_are_lists_of_rows():
    values = FORMAT.to_values(Table(np.array([[1.0, 2.0], [3.0, 4.0]])))
    assert values == {"values": [[1.0, 2.0], [3.0, 4.0]]}
    assert np.array_equal(FORMAT.from_values(Table, values).values, [[1, 2], [3, 4]])


def edited(path: list[str | int], value: Any) -> Any:
    document = through_json(FORMAT.to_values(PART))
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["name"], 3, r"part\.name: str was expected, not 3"),
        (["side"], "up", r"part\.side: 'up' is none of left, right"),
        (["axis"], [1.0, 2.0], r"part\.axis: 3 elements were expected, there are 2"),
        (["axis"], "abc", r"part\.axis: a list was expected"),
        (["axis", 1], "0", r"part\.axis\[1\]: a finite number was expected, not '0'"),
        (["axis", 1], True, r"part\.axis\[1\]: a finite number"),
        (["axis", 1], math.nan, r"part\.axis\[1\]: a finite number"),
        (["axis", 1], 10**400, r"part\.axis\[1\]: a finite number was expected, not an integer of more than 20 digits"),
        (["count"], 2.0, r"part\.count: int was expected"),
        (["count"], True, r"part\.count: int was expected"),
        (["sealed"], 1, r"part\.sealed: bool was expected"),
        (["friction", 0, "kind"], "ball", r"part\.friction\[0\]: its kind is 'ball', none of bearing, seal"),
        (["friction", 1, "grease"], None, r"part\.friction\[1\]\.grease: str was expected"),
        (["rest"], "x", r"part\.rest: a finite number"),
        (["names"], [1], r"part\.names: an object was expected"),
        (["names", "a"], [1, "2"], r"part\.names\.a\[1\]: int was expected"),
        (["trees"], ["1 x"], r"part\.trees: invalid literal"),
        (["colour"], 1, r"part: 'colour' is not known"),
    ],
)
def test_anything_else_is_refused_with_its_path(path, value, message):
    with pytest.raises(ModelFileError, match=message) as caught:
        FORMAT.from_values(Part, edited(path, value), where="part.json")
    assert caught.value.where == "part.json"
    assert caught.value.remedy == "write it again"


def test_a_missing_field_is_refused_or_filled_for_an_older_version():
    values = FORMAT.to_values(PART)
    del values["rest"]
    with pytest.raises(ModelFileError, match="part: 'rest' is missing"):
        FORMAT.from_values(Part, values)
    older = dataclasses.replace(FORMAT, defaults=True)
    assert older.from_values(Part, values) == PART
    del values["name"]
    with pytest.raises(ModelFileError, match="part: 'name' is missing"):
        older.from_values(Part, values)


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(ModelFileError, match="part: an object was expected"):
        FORMAT.from_values(Part, value)


@pytest.mark.parametrize("change", [{"rest": math.inf}, {"upper": -math.inf}, {"axis": (0.0, math.nan, 0.0)}])
def test_what_could_not_be_read_back_is_not_written(change):
    with pytest.raises(ModelFileError, match="cannot be written"):
        FORMAT.to_values(dataclasses.replace(PART, **change))


def test_ragged_rows_are_no_array():
    with pytest.raises(ArgumentError, match=r"table\.values: its rows are not of one length"):
        DocumentFormat("table").from_values(Table, {"values": [[1.0], [1.0, 2.0]]})


def test_a_codec_writes_and_reads_its_type():
    hidden = DocumentFormat("part", codecs={Bearing: Codec(lambda b: f"{b.loss}", lambda t: Bearing(float(t)))})

    @dataclass(frozen=True)
    class Holder:
        one: Bearing

    Holder.__annotations__["one"] = Bearing
    assert hidden.to_values(Holder(Bearing(0.5))) == {"one": "0.5"}
    assert hidden.from_values(Holder, {"one": "0.5"}) == Holder(Bearing(0.5))
    with pytest.raises(ArgumentError, match=r"part\.one: could not convert"):
        hidden.from_values(Holder, {"one": "half"})
