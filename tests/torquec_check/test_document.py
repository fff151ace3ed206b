"""Strict JSON: what is refused, with its place."""

from __future__ import annotations

import pytest

from torquec_check.document import RefusedError, canonical_hash, expect, fields, number, parse_document


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1e999}', '{"a": 1, "a": 2}', "[1]", "{", '{"a": Infinity}'])
def test_what_is_not_strict_json_is_refused(text):
    with pytest.raises(RefusedError):
        parse_document(text.encode())


def test_fields_are_all_there_and_no_others():
    assert fields({"a": 1, "b": 2}, "b a", "here") == [2, 1]
    assert fields({"a": 1, "c": 2}, "a", "here", ignored="c") == [1]
    with pytest.raises(RefusedError, match="here: the field 'b' is missing"):
        fields({"a": 1}, "a b", "here")
    with pytest.raises(RefusedError, match="here: the field 'b' is not known"):
        fields({"a": 1, "b": 1}, "a", "here")


def test_numbers_are_numbers():
    assert number(2, "here") == 2.0
    for wrong in (True, "1", None, 10**400, float("nan")):
        with pytest.raises(RefusedError, match="here"):
            number(wrong, "here")
    for wrong in (True, 1.0, "1"):
        with pytest.raises(RefusedError, match="here"):
            expect(int, wrong, "here")


def test_an_object_is_no_list():
    assert expect(dict, {"a": 1}, "here") == {"a": 1}
    with pytest.raises(RefusedError, match="here: an object was expected"):
        expect(dict, [1], "here")


def test_the_hash_is_of_the_values_not_of_their_order():
    assert canonical_hash({"a": 1, "b": [0.5]}) == canonical_hash({"b": [0.5], "a": 1})
    assert canonical_hash({"a": 1}) != canonical_hash({"a": 1.0})


def test_a_whole_number_that_is_no_double_is_refused():
    assert number(2**53, "x") == 2.0**53
    with pytest.raises(RefusedError, match="a finite number"):
        number(2**53 + 1, "x")


def test_ends_of_numbers_and_hashes_of_none():
    assert number(1e300, "x") == 1e300
    with pytest.raises(RefusedError):
        number(1.1e300, "x")
    with pytest.raises(ValueError, match=r"not JSON compliant|Out of range"):
        canonical_hash({"a": float("nan")})


def test_a_refusal_is_what_screens_show():
    """A name that moves the cursor, or breaks the line, could write "proven" over its refusal."""
    error = RefusedError("no joint 'a\r\x1b[2Kproven\nproven: the package\u202e\ud800 \xe4'", where="b\x07")
    assert str(error).splitlines() == [
        r"b\x07: no joint 'a\r\x1b[2Kproven\nproven: the package\u202e\ud800 \xe4'".replace(r"\xe4", "\xe4"),
        "  remedy: make it again with torquec simplify",
    ]
