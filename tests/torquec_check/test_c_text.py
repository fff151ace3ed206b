"""Comments, fixed texts and pieces of packages; the table of fixed texts is that of the writers."""

from __future__ import annotations

import pytest
from tests.known_texts import TABLE, known_texts_table

from torquec_check.c_source import CText, known_text, squeezed
from torquec_check.document import RefusedError


def test_the_table_is_that_of_the_writers():
    assert TABLE.read_text(encoding="ascii") == known_texts_table(), "python -m tests.known_texts writes it"


def test_a_text_is_read_in_order_and_refused_with_its_line():
    text = CText("/* one */\nint  f(x);\n\n x = 1", "a.c")
    text.comment("one")
    text.take("int")
    assert text.until(";") == "f(x)"
    text.take("x =")
    with pytest.raises(RefusedError, match=r"a\.c, line 4: ' 1' stands where '2' is expected|a\.c, line 4: '1' stands"):
        text.take("2")
    with pytest.raises(RefusedError, match=r"a\.c, line 4: ';' is expected"):
        text.until(";")
    with pytest.raises(RefusedError, match=r"a\.c, line 4: no more"):
        text.end("no more")
    text.take("1")
    text.end("no more")


def test_other_characters_than_spaces_and_line_breaks_are_no_blanks():
    for blank in ("\t", "\r", "\f", "\xa0"):
        with pytest.raises(RefusedError, match="line 1"):
            CText(f"{blank}x", "a.c")


def test_an_unknown_text_is_never_there():
    with pytest.raises(RefusedError, match="has no text 'more'"):
        known_text("more", "arm")


def test_a_known_text_depends_on_the_name_of_the_package():
    assert known_text("includes", "arm").startswith('#include "arm.h"\n\n#include <math.h>\n')
    assert known_text("includes", "leg") == known_text("includes", "arm").replace("arm", "leg")
    assert "PREFIX" not in "".join(known_text(name, "arm") for name in ("build", "sincos double", "usage float"))


def test_comments_are_compared_by_their_words():
    assert squeezed(" a b\n * c ") == squeezed("a   b c") == "a b c"
    assert squeezed("( a ,\\ b)\\") == squeezed("(a, b )") == "(a,b)"
    for counts in ("11 mul, 9 add, 2 sincos", "1 mul"):
        CText(f"/* f: {counts} */", "a.h").comment("f:", "#")
        CText(f"/* f#: {counts} more {counts} */", "a.h").comment("f#:", "# more #")
    for other in ("f: 1 mul exactly", "f: 1", "g: 1 mul", "1 mul", "f:", "f: #"):
        with pytest.raises(RefusedError, match="comment"):
            CText(f"/* {other} */", "a.h").comment("f:", "#")
    with pytest.raises(RefusedError, match="comment"):
        CText("/* f: 1 mul */", "a.h").comment("f: #")


@pytest.mark.parametrize("shown", ["1 .85", "1\n * .85", "1.8 5", "1\b.85", "1.\r85", "1\\.85", "1.\x7f85"])
def test_a_number_is_one_word_that_every_screen_shows(shown):
    """`1`, a backspace, `.85`: a terminal shows the bound .85 where 1.85 is proven."""
    CText("/* at most\n * 1.85 N m */", "a.h").comment("at most 1.85 N m")
    with pytest.raises(RefusedError, match=r"comment|does not belong"):
        CText(f"/* at most {shown} N m */", "a.h").comment("at most 1.85 N m")


def test_numbers_before_a_joint_called_other_are_no_operation_counts():
    """`a: torque_error = 0.5`, then `other: ..` in the next line: 5other was a count, so that any digits passed."""
    with pytest.raises(RefusedError, match="comment"):
        CText("/* a: torque_error = 0.0000001\n * other: x */", "a.h").comment("a: torque_error = 0.5\nother: x")


@pytest.mark.parametrize("end", ["\\\n", "\\ \n", "\\\r\n", "??/\n"])
def test_lines_that_c_joins_are_refused(end):
    """`*`, a joined line and `/` end a comment for compilers: what follows is code."""
    with pytest.raises(RefusedError, match=r"line 2: .* does not belong"):
        CText(f"\n/* x*{end}/ #define y 9 */", "a.h")


def test_an_empty_text_is_refused():
    with pytest.raises(RefusedError, match="line 1: '' stands where"):
        CText("", "a.c").comment("f:", "#")


def test_a_mark_may_come_first():
    text = CText(";x", "a.c")
    assert text.until(";") == ""
    text.take("x")


def test_a_comment_of_backslashes_is_read_in_one_pass():
    """Every one of them was tried as the first: a million would have taken hours."""
    assert squeezed("\\" * 1_000_000 + "x") == "\\" * 1_000_000 + "x"
    assert squeezed("a" + "\\" * 1_000_000 + "\n b") == "a b"


def test_a_comment_needs_no_blank_before_its_end():
    CText("/* one two*/", "a.c").comment("one two")
    with pytest.raises(RefusedError):
        CText("/* one tw*/", "a.c").comment("one two")
