"""The text of the functions: what it may hold, and that it holds as many operations as it says."""

from __future__ import annotations

import math
import re
import shutil

import numpy as np
import pytest
from tests.codegen.c.compiler import Library, build, needs_compiler, run
from tests.codegen.programs import every_operation, random_function

import torquec as tq
from torquec.codegen.c.names import SCALARS, SINGLE, package_names
from torquec.codegen.c.package import c_package
from torquec.codegen.c.source import (
    ADDITIONS,
    MULTIPLICATIONS,
    c_number,
    comment,
    packed,
    shape_text,
    sincos_source,
    stack_bytes,
    written_program,
)
from torquec.codegen.precision import Precision
from torquec.codegen.sincos import LARGEST_ANGLE, sincos_reference
from torquec.codegen.target import generate_package
from torquec.expr import Op, OperationCount, Port, count_operations, trace
from torquec.expr.math import sincos

_TOKEN = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?|[A-Za-z_]\w*|>=|\S")
FORBIDDEN = {"for", "while", "do", "goto", "malloc", "calloc", "alloca", "free", "printf"}


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def counted(text: str, name: str) -> OperationCount:
    """The operations that the body of a function really contains."""
    text = without_comments(text)
    start = text.index("{", text.index(f"void {name}("))
    tokens = _TOKEN.findall(text[start : text.index("\n}", start)])
    signs = 0
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        # The sign of a literal belongs to the number.
        signs += token == "-" and before in ("=", "(", ",", "?", ":") and after[0].isdigit()
    rows = re.findall(r"const double x\d+\[4\] = \{(.*?)\};", text[start:], re.DOTALL)
    calls = ("sqrt", "exp", "atan2", "fabs", "p_smaller", "p_larger", "?")
    return OperationCount(
        mul=tokens.count("*"),
        add=tokens.count("+") + tokens.count("-") - signs,
        div=tokens.count("/"),
        sincos=sum(len(set(row.split(", "))) for row in rows),
        other=sum(tokens.count(call) for call in calls),
    )


@pytest.mark.parametrize("seed", range(12))
def test_body_holds_the_operations_that_the_comments_state(seed):
    function = random_function(seed)
    texts = c_package([function], prefix="p")
    count = count_operations(function)
    assert counted(texts["p.c"], f"p_random_{seed}") == count
    for text in (texts["p.c"], texts["p.h"]):
        assert f"random_{seed}: {count}" in text


def test_nothing_forbidden_in_source_and_header():
    texts = c_package([every_operation(), *map(random_function, range(6))], prefix="p")
    for name in ("p.c", "p.h"):
        text = without_comments(texts[name])
        words = set(re.findall(r"\w+", text))
        assert not words & FORBIDDEN, name
        assert re.findall(r"#include (\S+)", text) == (['"p.h"', "<math.h>"] if name == "p.c" else [])
    # Outside functions nothing is assigned: there are no variables.
    outside = re.sub(r"\{.*?^\}", "", without_comments(texts["p.c"]), flags=re.DOTALL | re.MULTILINE)
    assert "=" not in outside.replace("==", "")


@pytest.mark.skipif(not shutil.which("cppcheck"), reason="cppcheck is not here")
@pytest.mark.parametrize("precision", Precision)
def test_misra_rules_hold_but_for_the_listed_deviations(tmp_path, precision):
    """As far as cppcheck's addon can tell; docs/generated-c.md lists the deviations."""
    functions = [every_operation(), *(random_function(seed) for seed in range(3))]
    generate_package(functions, tmp_path, prefix="p", precision=precision)
    found = {}
    for file in ("p.c", "selftest.c"):
        result = run("cppcheck", "--addon=misra", "--enable=style", "--suppress=missingIncludeSystem", tmp_path / file)
        if "misra" not in result.stderr and "addon" in result.stdout + result.stderr:
            pytest.skip("cppcheck has no MISRA addon here")
        found[file] = set(re.findall(r"misra-c2012-([0-9.]+)", result.stderr))
    assert found == {"p.c": set(), "selftest.c": {"21.6"}}


def test_no_line_is_long():
    texts = c_package([every_operation(), *map(random_function, range(6))], prefix="robot")
    assert all(len(line) <= 100 and line.isascii() for text in texts.values() for line in text.split("\n"))


def test_helpers_appear_only_where_they_are_used():
    plain = c_package([trace("f", lambda x: {"y": x[0] * x[1]}, {"x": (2,)})], prefix="p")["p.c"]
    assert "static" not in plain


def test_angles_of_one_rank_share_a_call():
    text = c_package([every_operation()], prefix="p")["p.c"]
    assert text.count("p_sincos4(x") == 2  # sin(s t) needs the first sine
    many = trace("f", lambda x: {"y": [a.graph.make("sin", a) for a in x]}, {"x": (9,)})
    assert c_package([many], prefix="p")["p.c"].count("p_sincos4(x") == 3


@pytest.mark.parametrize("value", [0.1, -1 / 3, 5e-324, 1.7976931348623157e308, 1e22, 123456789.0, 0.0])
def test_numbers_read_back_as_themselves(value):
    text = c_number(value)
    assert float(text) == value
    assert "." in text or "e" in text


def test_numbers_that_are_not_finite():
    assert (c_number(math.inf), c_number(-math.inf), c_number(math.nan)) == ("HUGE_VAL", "-HUGE_VAL", "(double)NAN")


@pytest.mark.parametrize("text", ["*/", "a */ b /* c", "??/", "\\", "end\\\nnext", "über\x00\x1b[0m", "x" * 300, ""])
def test_comment_cannot_end_early(text):
    made = comment(text)
    assert made.isascii()
    assert made.startswith("/*")
    assert made.endswith("*/")
    assert made.count("*/") == made.count("/*") == 1
    assert "??" not in made
    assert "\\\n" not in made


def test_comments_keep_their_lines_and_nothing_that_cannot_be_printed():
    assert comment("first\nsecond") == "/* first\n * second\n */"
    assert comment("one line", indent="    ") == "    /* one line */"
    assert comment("a\x07b\tc\x00d") == "/* a b c d */"
    assert comment("  indented " + "word " * 30).splitlines()[1].startswith(" *   word")
    assert comment("??/ and \\") == "/* ? ?/ and */"


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7])
def test_a_call_for_four_angles_has_four(count):
    from torquec.expr.math import sincos

    function = trace("f", lambda x: {"y": [sincos(x[k])[0] for k in range(count)]}, {"x": (count,)})
    text = without_comments(c_package([function], prefix="p")["p.c"])
    groups = re.findall(r"const double x\d+\[4\] = \{(.*?)\};", text, flags=re.DOTALL)
    assert [len(group.split(",")) for group in groups] == [4] * math.ceil(count / 4)


def test_a_line_is_as_long_as_it_may_be_and_not_longer():
    one, two = (packed(["a" * size, "b" * 45], head="    {", tail=" }", indent="  ") for size in (45, 46))
    assert one == [f"    {{{'a' * 45}, {'b' * 45} }}"]
    assert len(one[0]) == 99
    assert two == [f"    {{{'a' * 46},", f"  {'b' * 45} }}"]


def test_nothing_to_pack_is_what_stands_around_it():
    assert packed([], head="f(", tail=")", indent="    ") == ["f()"]


@pytest.mark.parametrize(
    ("shape", "words"), [((), "one number"), ((1,), "one number"), ((6,), "6 numbers"), ((2, 3), "2 x 3, row by row")]
)
def test_shapes_in_words(shape, words):
    assert shape_text(Port("x", shape)) == words


def test_an_input_that_is_not_read_is_named_and_one_that_is_read_is_not():
    function = trace("f", lambda a, b: {"y": [a[0] + 1.0]}, {"a": (1,), "b": (1,)})
    source = c_package([function], prefix="p")["p.c"]
    assert re.findall(r"\(void\)(\w+);", source) == ["b"]


ARM = ("arm-none-eabi-gcc", "-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-mthumb")


@pytest.mark.parametrize("compiler", [("gcc",), ("gcc", "-march=native"), ARM], ids=["gcc", "native", "cortex-m7"])
@pytest.mark.parametrize("precision", Precision)
def test_never_below_what_gcc_reports(tmp_path, compiler, precision):
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not here")
    model = tq.compile(tq.classics.puma560())
    functions = [
        model.function(name) for name in ("inverse_dynamics", "forward_dynamics", "regressor", "friction_torque")
    ]
    names = package_names(functions, "p", scalar=SCALARS[precision])
    for name, text in c_package(functions, prefix="p", precision=precision).items():
        (tmp_path / name).write_text(text)
    stated = {symbol: stack_bytes(f, names) for symbol, f in zip(names.functions, functions, strict=True)}
    for level in ("-O0", "-O2", "-O3"):
        build(*compiler, "-std=c99", level, "-fstack-usage", "-c", tmp_path / "p.c", "-o", tmp_path / "p.o")
        found = dict(re.findall(r":(p_\w+)\t(\d+)", (tmp_path / "p.su").read_text()))
        inner = sum(int(size) for symbol, size in found.items() if symbol not in stated)
        for symbol, most in stated.items():
            turning = any(step.op is Op.SIN for step in functions[names.functions.index(symbol)].operations)
            assert int(found[symbol]) + inner * turning <= most, (level, symbol)


def test_the_bound_by_hand():
    """A place for each statement and each input, and a frame; with angles 12 more for four of them, 112, two frames."""
    plain = trace("f", lambda x: {"y": [x[0] * x[1]]}, {"x": (2,)})
    turned = trace("g", lambda x: {"y": [sincos(x[0])[0]]}, {"x": (1,)})
    for precision, size in ((Precision.DOUBLE, 8), (Precision.SINGLE, 4)):
        names = package_names([plain, turned], "p", scalar=SCALARS[precision])
        few = len(written_program(plain, names).statements)
        assert stack_bytes(plain, names) == 256 + size * (few + 2)
        several = len(written_program(turned, names).statements)
        assert stack_bytes(turned, names) == 3 * 256 + size * (several - 1 + 12 + 1 + 112)


@needs_compiler
def test_every_bit_is_that_of_the_reference(tmp_path):
    n = 64
    function = trace("f", lambda x: dict(zip("sc", zip(*map(sincos, x), strict=True), strict=True)), {"x": (n,)})
    libraries = [Library(tmp_path, [function], level, "-ffp-contract=off") for level in ("-O0", "-O3")]
    rng = np.random.default_rng(3)
    quarter = np.arange(-n // 2, n // 2) * (np.pi / 4)
    edges = np.resize([0.0, 5e-324, 1e-300, -1e-9, LARGEST_ANGLE, -LARGEST_ANGLE, np.nextafter(LARGEST_ANGLE, 0)], n)
    for x in (quarter, edges, rng.uniform(-4, 4, n), rng.uniform(-1e5, 1e5, n), rng.normal(size=n) * 1e-5):
        sine, cosine = sincos_reference(x)
        for library in libraries:
            found = library("f", {"x": x})
            np.testing.assert_array_equal(found["s"], sine)
            np.testing.assert_array_equal(found["c"], cosine)


def test_the_stated_cost_of_a_single_one_is_what_stands_in_its_text():
    text = sincos_source(package_names([], "p", scalar=SINGLE))
    body = text.partition("#else")[2].partition("#endif")[0]
    plain = re.sub(r"e-\d+f", "f", body)
    assert plain.count("*") == MULTIPLICATIONS
    assert len(re.findall(r" [+-] |^ +- ", plain, re.MULTILINE)) == ADDITIONS
    assert "sincos4" not in text
    assert "[4]" not in text
