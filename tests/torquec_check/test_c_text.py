"""Tokens and fixed texts of packages; the table of fixed texts is that of the writers."""

from __future__ import annotations

import pytest
from tests.known_texts import TABLE, known_texts_table

from torquec_check.c_text import CReader, after_fixed_text, squeezed
from torquec_check.document import RefusedError


def test_the_table_is_that_of_the_writers():
    assert TABLE.read_text(encoding="ascii") == known_texts_table(), "python -m tests.known_texts writes it"


def test_tokens_have_lines():
    reader = CReader("/* one */\nint  f(x);\n\n x = 1e-05f", 0, "a.c")
    reader.comment("one")
    reader.take("int", "f", "(", "x", ")", ";", "x", "=")
    assert reader.ahead == "1e-05f"
    with pytest.raises(RefusedError, match=r"a\.c, line 4: '1e-05f' is no index"):
        reader.integer()


def test_what_is_no_c_of_torquec_is_refused_with_its_line():
    with pytest.raises(RefusedError, match=r"a\.c, line 2: '@' does not belong"):
        CReader("int\n @", 0, "a.c")


def test_an_unknown_text_is_never_there():
    with pytest.raises(RefusedError, match="is not Torquec's text 'more'"):
        after_fixed_text("anything", 0, "more", {}, "a.c")


def test_a_known_text_depends_on_the_name_of_the_package(planar):
    place = planar.index("*/") + 2
    assert after_fixed_text(planar, place, "includes", {"PREFIX": "arm"}, "a.c") > place
    with pytest.raises(RefusedError, match="line 1"):
        after_fixed_text(planar, place, "includes", {"PREFIX": "leg"}, "a.c")


@pytest.fixture
def planar():
    from torquec.codegen.c.package import c_package
    from torquec.expr import trace

    return c_package([trace("f", lambda q: {"y": [q[0] * q[0]]}, {"q": (1,)})], prefix="arm")["arm.c"]


def test_comments_are_compared_by_their_words():
    assert squeezed("/* a b\n * c */") == squeezed("a   bc") == "abc"
    for counts in ("11 mul, 9 add, 2 sincos", "1 mul"):
        CReader(f"/* f: {counts} */", 0, "a.h").comment("f: #")
    for other in ("f: 1 mul exactly", "f: 1", "g: 1 mul", "1 mul"):
        with pytest.raises(RefusedError, match="comment"):
            CReader(f"/* {other} */", 0, "a.h").comment("f: #")


def test_numbers_before_a_joint_called_other_are_no_operation_counts():
    """`a: torque_error = 0.5`, then `other: ..` in the next line: 5other was a count, so that any digits passed."""
    with pytest.raises(RefusedError, match="comment"):
        CReader("/* a: torque_error = 0.0000001\n * other: x */", 0, "a.h").comment("a: torque_error = 0.5\nother: x")


@pytest.mark.parametrize("end", ["\\\n", "\\ \n", "\\\r\n", "??/\n"])
def test_lines_that_c_joins_are_refused(end):
    """`*`, a joined line and `/` end a comment for compilers: what follows is code."""
    with pytest.raises(RefusedError, match="does not belong"):
        CReader(f"/* x*{end}/ #define y 9 */", 0, "a.h")


def test_an_empty_text_is_refused():
    with pytest.raises(RefusedError, match="line 1: the comment is not"):
        CReader("", 0, "a.c").comment("f: #")
