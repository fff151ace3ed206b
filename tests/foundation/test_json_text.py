"""JSON: strict in, canonical out."""

from __future__ import annotations

import math

import pytest

from torquec.errors import ModelFileError
from torquec.foundation.json_text import canonical_bytes, checksum, document_text, parse_json


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.json:1: not JSON"),
        ('{"a": 1,\n "b": }', "a.json:2: not JSON"),
        ('{"a": NaN}', "NaN is not a number of JSON"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ('{"a": 1, "b": 2, "a": 3}', "the key 'a' occurs twice"),
        ("[" * 5000 + "]" * 5000, "nested too deep"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "nested too deep"),
        (f"[{'9' * 5000}]", "an integer of 5000 digits"),
        (f"[{'9' * 400}]", "an integer of 400 digits"),
        (r'{"a": "\ud800"}', "half a surrogate pair"),
        (r'{"\udfff": 1}', "half a surrogate pair"),
    ],
)
def test_what_is_not_strict_json_is_refused(text, message):
    with pytest.raises(ModelFileError, match=message):
        parse_json(text, where="a.json", error=ModelFileError)


def test_what_is_json_is_read():
    assert parse_json(r'["\ud83e\udd16", 12345678901234567890, 0.1]', where="a") == ["🤖", 12345678901234567890, 0.1]


def test_text_reads_back_and_the_checksum_knows_no_order():
    values = {"b": [1, 0.1, None, "ü"], "a": {"x": True}}
    assert parse_json(document_text(values), where="a") == values
    assert document_text(values).isascii()
    assert checksum(values) == checksum({"a": {"x": True}, "b": [1, 0.1, None, "ü"]})
    assert canonical_bytes(values) != canonical_bytes({**values, "b": []})
    with pytest.raises(ValueError, match="not JSON compliant"):
        document_text([math.nan])
