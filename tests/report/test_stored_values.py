"""Values of strangers' documents: what is not there, or of another type, is refused with its path."""

from __future__ import annotations

import pytest

from torquec.errors import ArgumentError
from torquec.report.stored_values import StoredValue

VALUES = StoredValue({"a": {"b": [1, 2.5, "x", None, True, 10**400]}, "none": None, "empty": {}}, "run.json")


def test_what_is_there():
    first, second, third, fourth, fifth, _ = VALUES["a"]["b"]
    assert (first.number, second.number, third.text, fourth.number_or_none, fifth.truth) == (1, 2.5, "x", None, True)
    assert isinstance(first.number, int)
    assert VALUES.get("none") is None
    assert VALUES["empty"].is_empty
    assert [key for key, _ in VALUES["a"].items()] == ["b"]


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda v: v["c"], "run.json: c is missing"),
        (lambda v: v["none"], "none is missing"),
        (lambda v: v["a"]["b"]["c"], "a.b is no object"),
        (lambda v: list(v["a"]), "a is no list"),
        (lambda v: v["a"]["b"].numbers, r"a.b\[2\] is not a finite number"),
        (lambda v: list(v["a"]["b"])[4].number, r"a.b\[4\] is not a finite number"),
        (lambda v: list(v["a"]["b"])[5].number, r"a.b\[5\] is not a finite number"),
        (lambda v: next(iter(v["a"]["b"])).text, r"a.b\[0\] is no text"),
        (lambda v: next(iter(v["a"]["b"])).truth, "neither true nor false"),
        (lambda v: v["a"]["b"].texts, "is no text"),
        (lambda v: list(StoredValue([], "x").items()), "x: the document is no object"),
    ],
)
def test_what_is_refused(read, message):
    with pytest.raises(ArgumentError, match=message):
        read(VALUES)
