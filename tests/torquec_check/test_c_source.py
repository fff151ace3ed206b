"""The C of a package is read: what it computes decides, and nothing else may stand in it."""

from __future__ import annotations

import re

import pytest
from tests.codegen.programs import every_operation, random_function

from torquec.codegen.c.package import c_package
from torquec.codegen.precision import Precision
from torquec.expr import Function, Op, Operation, Port, function_to_dict, trace
from torquec.expr.math import select, sincos
from torquec_check.c_source import CText, check_c_source
from torquec_check.document import RefusedError
from torquec_check.program import program_of

REALS = {Precision.DOUBLE: "double", Precision.SINGLE: "float"}


def source_of(functions, precision=Precision.DOUBLE):
    return c_package(functions, prefix="arm", precision=precision)["arm.c"]


def read(source, functions, precision=Precision.DOUBLE):
    programs = [program_of(function_to_dict(function)) for function in functions]
    return check_c_source(CText(source, "arm.c"), programs, "arm", REALS[precision], "arm")


def pendulum():
    def algorithm(q, qd):
        sine, cosine = sincos(q[0] - q[1])
        return {"tau": [sine * 2.5 - qd[0], -(cosine * qd[1]) / (0.1 + q[0] * q[0])]}

    return trace("pendulum", algorithm, {"q": (2,), "qd": (2,)})


@pytest.mark.parametrize("precision", Precision)
def test_honest_code_of_every_operation_is_accepted(precision):
    functions = [every_operation(), *map(random_function, range(12))]
    assert len(read(source_of(functions, precision), functions, precision)) == len(functions)


def test_empty_ports_scalars_and_functions_without_inputs():
    functions = [
        trace("nothing", lambda q: {"y": []}, {"q": (0,)}),
        trace("scalar", lambda q, unused: {"y": q[0] * q[0]}, {"q": (1,), "unused": (3,)}),
        trace("constant", lambda: {"y": [1.5, -0.0]}, {}),
    ]
    prototypes = read(source_of(functions), functions)
    assert prototypes == [
        "void arm_nothing(const double *q, double *y)",
        "void arm_scalar(const double q[1], const double unused[3], double y[1])",
        "void arm_constant(double y[2])",
    ]


def test_a_turned_comparison_is_the_same_operation():
    function = trace("f", lambda q: {"y": [select(-q[0], q[1], 2.0)]}, {"q": (2,)})
    source = source_of([function])
    assert "<= 0.0) ?" in source
    read(source, [function])
    with pytest.raises(RefusedError, match=r"line \d+: the program 'f' does not have"):
        read(source.replace("<= 0.0) ?", ">= 0.0) ?"), [function])


CHANGES = {
    "another sign": (r"\) - qd\[0\]", ") + qd[0]"),
    "another constant": (r"2\.5\*", "2.500001*"),
    "a constant in another notation": (r"2\.5", "0x1.4p+1"),
    "an integer": (r"2\.5", "2"),
    "another order of operands": (r"q\[0\] - q\[1\]", "q[1] - q[0]"),
    "a sine for a cosine": (r"\*c0\[0\]", "*s0[0]"),
    "another input": (r"- qd\[0\]", "- qd[1]"),
    "an index beyond the array": (r"- qd\[0\]", "- qd[7]"),
    "results exchanged": (r"tau\[0\] =", "tau[1] ="),
    "a line left out": (r"    tau\[1\][^\n]*\n", ""),
    "a result twice": (r"(    tau\[1\][^\n]*\n)", r"\1\1"),
    "one more function": (r"\Z", "\nvoid arm_more(void)\n{\n}\n"),
    "a macro": (r"/\* pendulum", "#define fabs cosh\n/* pendulum"),
    "another include": (r"#include <math\.h>", "#include <math.h>\n#include <stdio.h>"),
    "the guard left out": (r"#error", "#warning"),
    "a digit of the sine's kernel": (r"0\.00833333333332184", "0.00833333333332185"),
    "a loop": (r"    tau\[0\]", "    for (;;) {}\n    tau[0]"),
    "a call": (r"    tau\[0\]", "    abort();\n    tau[0]"),
    "ports exchanged": (r"const double q\[2\], const double qd\[2\]", "const double qd[2], const double q[2]"),
    "an input that can be written": (r"\(const double q\[2\]", "(double q[2]"),
    "another size": (r"const double q\[2\]", "const double q[3]"),
    "another name": (r"arm_pendulum", "arm_pendulum2"),
    "a false word": (r"/\* pendulum:", "/* pendulum, exact to 1e-9:"),
    "another heading": (r"written by torquec\.", "written by torquec, PROVEN."),
    "a value used before it is there": (r"\*c0\[0\]", "*c9[0]"),
    "a line comment": (r"    tau\[0\]", "    // more\n    tau[0]"),
    "a line that goes on": (r"    tau\[0\]", "    \\\n    tau[0]"),
    "an index that is octal": (r"(    tau\[1\] = v\d+;\n)", r"\1    tau[01] = v4;\n"),
    "an output beyond its array": (r"(    tau\[1\] = (v\d+);\n)", r"\1    tau[2] = \2;\n"),
    "an array larger than a stack": (r"double s0\[4\]", "double s0[900000000]"),
    "an octal size": (r"double s0\[4\]", "double s0[04]"),
    "a smaller array": (r"double s0\[4\]", "double s0[3]"),
    "a statement that does not end": (r"(tau\[1\] = v\d+);", r"\1"),
    "a power": (r"2\.5\*s0\[0\]", "2.5**s0[0]"),
    "whole parts": (r"qd\[1\]\*c0\[0\]/", "qd[1]*c0[0]//"),
    "a comma": (r"2\.5\*s0\[0\]", "2.5*(v4, s0[0])"),
    "a call of no function": (r"2\.5\*s0\[0\]", "2.5*fabs"),
    "a cast": (r"2\.5\*s0\[0\]", "2.5*(float)(s0[0])"),
    "a digit with an underscore": (r"2\.5", "2_0.5"),
    "a double for a float": (r"2\.5", "2.5f"),
    "words of Python": (r"q\[0\] - q\[1\]", "q[0] - q[1] if q[0] else q[1]"),
    "a name twice": (r"const double v15", "const double v14"),
    "a local that is a parameter": (r"double s0\[4\]", "double tau[4]"),
    "sines twice": (r"(    arm_sincos4\(x0, s0, c0\);\n)", r"\1\1"),
    "no parameter": (r"    tau\[0\]", "    (void)more;\n    tau[0]"),
    "a directive in a line": (r"#endif\n\n/\* Sine", "#endif /* Sine"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_code_is_refused_with_its_line(change):
    function = pendulum()
    source = source_of([function])
    changed = re.sub(*CHANGES[change], source, count=1)
    assert changed != source
    with pytest.raises(RefusedError, match=r"arm\.c, line \d+"):
        read(changed, [function])


def test_an_input_read_after_an_output_is_refused():
    """Arrays may overlap: tau may be q."""
    function = trace("f", lambda q: {"tau": [2.0 * q[0], 3.0 * q[1]]}, {"q": (2,)})
    source = source_of([function])
    (name, text) = re.search(r"const double (v\d+) = (3\.0\*q\[1\]);", source).groups()
    changed = source.replace(f"    const double {name} = {text};\n", "").replace(
        f"tau[1] = {name};", f"tau[1] = {text};"
    )
    with pytest.raises(RefusedError, match="read after an output was written"):
        read(changed, [function])


def test_precedence_decides_and_not_the_layout():
    """a - (b - c) and a - b - c have the same words."""
    function = trace("f", lambda q: {"y": [q[0] - (q[1] - q[2])]}, {"q": (3,)})
    source = source_of([function])
    assert "q[0] - (q[1] - q[2])" in source
    with pytest.raises(RefusedError, match="does not have this 'sub'"):
        read(source.replace("(q[1] - q[2])", "q[1] - q[2]"), [function])
    read(source.replace("q[0] - (q[1] - q[2])", "(q[0]) - ((q[1]) - q[2])"), [function])


def test_minus_zero_is_not_zero():
    function = Function("f", (), (Port("y", (1,)),), (Operation(Op.CONST, value=-0.0),), ((0,),))
    source = source_of([function])
    read(source, [function])
    with pytest.raises(RefusedError, match=r"does not have the number 0\.0"):
        read(source.replace("= -0.0", "= 0.0"), [function])


def test_two_signs_are_not_a_decrement():
    """For Python `--s0[0]` has two signs, for C it takes one off the sine: 2.4 N m wrong in an accepted package."""
    steps = [(Op.SIN, (0,)), (Op.NEG, (1,)), (Op.NEG, (2,)), (Op.ADD, (3, 1))]
    operations = (Operation(Op.INPUT, port="q", element=0), *(Operation(op, args) for op, args in steps))
    function = Function("f", (Port("q", (1,)),), (Port("y", (1,)),), operations, ((4,),))
    source = source_of([function])
    read(source, [function])
    for signs, accepted in (("- -s0[0]", True), ("--s0[0]", False)):
        changed = source.replace("-(-s0[0])", signs)
        assert changed != source
        if accepted:
            read(changed, [function])
        else:
            with pytest.raises(RefusedError, match="does not belong to the subset"):
                read(changed, [function])


def test_the_program_of_another_function_is_not_enough():
    one = trace("f", lambda q: {"y": [q[0] * 2.0]}, {"q": (1,)})
    two = trace("f", lambda q: {"y": [q[0] * 3.0]}, {"q": (1,)})
    with pytest.raises(RefusedError, match=r"does not have the number 2\.0"):
        read(source_of([one]), [two])


@pytest.mark.parametrize(
    "statement",
    [
        "const double x9[4] = {" + "q[0], " * 10_000,
        "const double x9[4] = {" + "q[0], " * 10_000 + "q[0]}",
        "const double v9 = (q[0]" + " >= 0.0) ? " * 10_000,
        "const double v9 = " + "(" * 10_000 + "q[0]" + ")" * 10_000,
        "const double v9 = " + "- " * 10_000 + "q[0]",
    ],
)
def test_long_statements_are_refused_at_once(statement):
    """Four groups of a pattern took the fourth power of the number of commas."""
    source = source_of([pendulum()])
    with pytest.raises(RefusedError):
        read(source.replace("    tau[0] =", f"    {statement};\n    tau[0] ="), [pendulum()])


def test_angles_are_four_expressions():
    source = source_of([pendulum()])
    (angles,) = re.findall(r"x0\[4\] = {(.*?)}", source, re.DOTALL)
    one = angles.split(",")[0]
    for changed in (f"{one}, {one}, {one}", f"{one}, {one}, {one}, {one}, {one}", f"{one}, {one}, {one}, {one},", "*q"):
        with pytest.raises(RefusedError, match=r"subset of C|no expression"):
            read(source.replace(angles, changed), [pendulum()])


def test_an_output_that_is_read_before_any_is_written_has_no_value():
    source = source_of([pendulum()])
    with pytest.raises(RefusedError, match=r"tau\[1\] is no value here"):
        read(source.replace("qd[0]", "tau[1]", 1).replace("const double tau[1]", "const double qd[0]"), [pendulum()])
