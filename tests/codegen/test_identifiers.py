from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torquec.codegen.identifiers import RESERVED, c_identifier, check_names, prefix_identifier
from torquec.errors import ArgumentError
from torquec.expr import Function

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("q", "q"),
        ("panda_joint1", "panda_joint1"),
        ("joint_x", "joint_x"),
        ("joint-1", "joint_x2d_1"),
        ("joint 1", "joint_x20_1"),
        ("a_x2d_b", "a_x5f_x2d_b"),
        ("1st", "x_x0_1st"),
        ("_a", "x_x0__a"),
        ("", "x_x0_"),
        ("double", "double_x0_"),
        ("class", "class_x0_"),
        ("sin", "sin_x0_"),
        ("é", "x_x0__xe9_"),
        ('");system("', "x_x0__x22__x29__x3b_system_x28__x22_"),
    ],
)
def test_known_spellings(name, expected):
    assert c_identifier(name) == expected


@given(st.text())
def test_every_name_becomes_an_identifier(name):
    spelled = c_identifier(name)
    assert IDENTIFIER.fullmatch(spelled)
    assert spelled not in RESERVED


@given(st.text(alphabet="x_20ad-\0é", max_size=7), st.text(alphabet="x_20ad-\0é", max_size=7))
def test_two_names_never_share_an_identifier(first, second):
    assert (c_identifier(first) == c_identifier(second)) == (first == second)


def test_plain_names_are_kept():
    assert all(c_identifier(name) == name for name in ("tau", "M", "q1", "x", "link_0", "X_axis"))


def test_long_names_stay_short_and_distinct():
    first, second = c_identifier("a" * 5000 + "b"), c_identifier("a" * 5000 + "c")
    assert len(first) == len(second) == 200
    assert first != second


def test_lone_surrogates_are_escaped():
    assert c_identifier("a\ud800") == "a_xd800_"


def test_another_language_has_its_own_words():
    assert c_identifier("loop", reserved={"loop"}) == "loop_x0_"
    assert c_identifier("double", reserved={"loop"}) == "double"


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("my robot-2.0", "my_robot_2_0"),
        ("ur5", "ur5"),
        ("(arm)", "arm"),
        ("a_b", "a_b"),
        ("int", "int_x0_"),
        ("..", None),
    ],
)
def test_the_names_of_a_package_begin_with_words(name, spelled):
    assert prefix_identifier(name) == (spelled or c_identifier(name))


def test_there_are_functions_and_no_two_of_one_name():
    one, two = Function("one", (), (), (), ()), Function("two", (), (), (), ())
    check_names([one, two])
    with pytest.raises(ArgumentError, match="there is no function to write"):
        check_names([])
    with pytest.raises(ArgumentError, match="more than one function is called 'one'"):
        check_names([one, two, one])
