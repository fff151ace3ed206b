"""The TOML reader: lines of keys wherever they stand, and typed access that refuses."""

from __future__ import annotations

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torquec.errors import ArgumentError, RobotFileError
from torquec.robot.toml import parse_toml, read_toml

DOCUMENT = '''# a comment with [brackets] and = signs
name = "arm # not a comment"  # line 2
text = """
[not a table]
"""
numbers = [
  1, # one
  2,
]
dotted.key = 3
"quoted key" = 4

[[joint]]
name = 'first'
limits = { lower = -1, upper = { deep = [1, { x = 2 }] } }

[joint.link]
mass = 1

[[joint]]
name = "second"
  [joint.link]
  mass = 2
  inertia = [[1, 0, 0],
             [0, 1, 0],
             [0, 0, 1]]
'''


def test_lines_of_keys_wherever_they_stand():
    document = parse_toml(DOCUMENT, "arm.toml")
    assert document.where("name") == "arm.toml:2"
    assert document.where("text") == "arm.toml:3"
    assert document.where("numbers") == "arm.toml:6"
    assert document.where("dotted") == "arm.toml:10"
    assert document.where("quoted key") == "arm.toml:11"
    first, second = document.tables("joint")
    assert (first.where(), first.where("name")) == ("arm.toml:13", "arm.toml:14")
    limits = first.table("limits")
    assert limits.where("lower") == "arm.toml:15"
    assert first.table("link").where("mass") == "arm.toml:18"
    assert second.where("name") == "arm.toml:21"
    assert second.table("link").where("inertia") == "arm.toml:24"
    assert second.table("link").where("absent") == "arm.toml:22"


def test_values_come_typed():
    document = parse_toml("a = 1\nv = [1, 2.5, -3]\nt = 'x'\nm = [[1, 2], [3, 4]]\nrow = [5, 6]", "f")
    assert document.number("a") == 1.0
    assert isinstance(document.number("a"), float)
    assert document.number("absent", float("inf")) == float("inf")
    assert document.vector("v") == (1.0, 2.5, -3.0)
    assert document.text("t") == "x"
    assert document.rows("m") == [[1.0, 2.0], [3.0, 4.0]]
    assert document.rows("row") == [[5.0, 6.0]]
    document.finish()


@pytest.mark.parametrize(
    ("text", "read", "fragments"),
    [
        ("\na = true", lambda d: d.number("a"), ["f:2", "'a' is True", "finite number"]),
        ("\na = nan", lambda d: d.number("a"), ["f:2", "nan", "finite number"]),
        ("\na = -inf", lambda d: d.number("a"), ["f:2", "inf"]),
        ("\na = 1" + "0" * 400, lambda d: d.number("a"), ["f:2", "300 digits"]),
        ("\na = '1'", lambda d: d.number("a"), ["f:2", "'1'"]),
        ("\na = [1, 2]", lambda d: d.vector("a"), ["f:2", "three numbers"]),
        ("\na = [1, 2, 'x']", lambda d: d.vector("a"), ["f:2", "finite number"]),
        ("\na = ''", lambda d: d.text("a"), ["f:2", "quotes"]),
        ("\na = 'z'", lambda d: d.choice("a", ["x", "y"]), ["f:2", "'z'", "'x', 'y'"]),
        ("\na = 1", lambda d: d.table("a"), ["f:2", "table"]),
        ("\na = 1", lambda d: d.tables("a"), ["f:2", "[[a]]"]),
        ("\na = []", lambda d: d.rows("a"), ["f:2", "list"]),
        ("\na = 1", lambda d: d.number("b"), ["f:1", "'b' is missing", "add b"]),
        ("\na = 1", lambda d: d.finish(), ["f:2", "unknown key 'a'"]),
    ],
)
def test_misuse_names_line_and_remedy(text, read, fragments):
    with pytest.raises(RobotFileError) as caught:
        read(parse_toml(text, "f"))
    assert all(fragment in str(caught.value) for fragment in fragments), str(caught.value)


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1,5", 1), ("\na = \nb = 2", 2), ("a = 1\na = 2", 2), ("\n\n[x", 3), ("a = '", 1)]
)
def test_what_is_not_toml_names_its_line(text, line):
    with pytest.raises(RobotFileError, match=f"f:{line}: not TOML"):
        parse_toml(text, "f")


def test_deep_nesting_is_refused():
    with pytest.raises(RobotFileError):
        parse_toml("a = " + "[" * 100_000, "f")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(RobotFileError, match="no such file"):
        read_toml(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(RobotFileError, match="UTF-8"):
        read_toml(tmp_path / "latin.toml")
    (tmp_path / "bom.toml").write_bytes(b"\xef\xbb\xbfname = 'x'\r\nb = 1\r\n")
    assert read_toml(tmp_path / "bom.toml").where("b").endswith("bom.toml:2")
    with pytest.raises(ArgumentError):
        read_toml(3)


@given(st.text(alphabet="abk[]{}=\"'.,#\n 123\\", max_size=60))
def test_the_line_finder_copes_with_whatever_tomllib_accepts(text):
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(RobotFileError):
            parse_toml(text, "f")
    else:
        document = parse_toml(text, "f")
        assert all(document.where(key) for key in document.keys)


WAYS = """
plain = 1.5e-3  # a comment
text = "a # b"
flag = true
list = [1, 2.0, -3e4]
empty = {}
inline = { a = 1, b = "x", c = [1, 2] , d = false }
nested = { a = { b = 1 }, c = 2 }
escaped = "a \\" = b"
equals = { a = "b = c", d = 1 }
long = \"\"\"
key = 5
\"\"\"
dotted.key = 3
"quoted key" = 4
hexadecimal = 0x10
[table]
key = 1
[[array]]
key = 1
inner = { name = "first", value = 2.0 }
[[array]]
key = 2
last = 7"""


def test_lines_of_plain_keys_are_those_of_the_whole_reader(monkeypatch):
    from torquec.robot import toml

    tomllib.loads(WAYS)
    quick = toml._key_lines(WAYS)
    assert quick["inline", "d"] == 7
    assert quick["array", 0, "inner", "value"] == 21
    assert ("long", "key") not in quick
    monkeypatch.setattr(toml, "_PLAIN_LINES", re.compile("(?!)"))
    assert toml._key_lines(WAYS) == quick
