"""The header of a package: the claim, prototypes, and no other line, since the source includes it."""

from __future__ import annotations

import re

import pytest

from torquec.codegen.c.package import c_package
from torquec.codegen.precision import Precision
from torquec.expr import function_to_dict, trace
from torquec.expr.math import sincos
from torquec.model.certified_package import SIMPLIFIED_NOTE
from torquec.model.quantities import QUANTITIES, trace_quantity
from torquec.robot import classics
from torquec_check.c_source import CText, check_c_header, check_c_source
from torquec_check.document import RefusedError
from torquec_check.program import program_of

OPENING = "my arm: written by torquec.\nAt most 0.5 N m, proven."


@pytest.fixture(scope="module")
def package():
    functions = {name: trace_quantity(classics.planar2r(), name) for name in ("inverse_dynamics", "mass_matrix")}
    notes = {name: f"{QUANTITIES[name].summary} {SIMPLIFIED_NOTE}" for name in functions}
    made = c_package(list(functions.values()), prefix="arm", description="At most 0.5 N m, proven.", notes=notes)
    header = made["arm.h"].replace("/* arm: ", "/* my arm: ")
    return header, made["arm.c"], {name: program_of(function_to_dict(f)) for name, f in functions.items()}


def check(header, source, programs, opening=OPENING):
    prototypes = check_c_source(CText(source, "arm.c"), list(programs.values()), "arm", "double", "arm")
    check_c_header(CText(header, "arm.h"), opening, programs, prototypes, "arm", "double")


def test_an_honest_header_is_accepted(package):
    check(*package)


@pytest.mark.parametrize(
    ("found", "put"),
    [
        (r"0\.5 N m", "0.4 N m"),
        (r"proven\.", "proven, with friction."),
        (r"const double qd\[2\]", "const double qd[3]"),
        (r"double q\[2\], const double qd\[2\]", "double qd[2], const double q[2]"),
        (r"\n#ifdef __cplusplus", "\n#define fabs cosh\n#ifdef __cplusplus"),
        (r"no friction\.", "with friction."),
        (r"reflected rotors included", "reflected rotors excluded"),
        (r"in   q: 2 numbers", "in   q: 3 numbers"),
        (r"\Z", "int more(void);\n"),
        (r"#ifndef ARM_H_INCLUDED", "#ifndef ARM_H"),
        (r'extern "C" \{', 'extern "D" {'),
        (r"Add -ffp-contract=off", "Add -ffast-math"),
        (r"mul, ", "mull, "),
    ],
)
def test_a_changed_header_is_refused(package, found, put):
    header, source, programs = package
    changed = re.sub(found, put, header, count=1)
    assert changed != header
    with pytest.raises(RefusedError, match=r"arm\.h"):
        check(changed, source, programs)


def test_another_claim_is_refused(package):
    with pytest.raises(RefusedError, match="the comment is not the expected one"):
        check(*package, opening=OPENING.replace("0.5", "0.25"))


@pytest.mark.parametrize("wave", [0, 1, None])
def test_headers_of_floats_say_what_sines_cost_where_there_are_any(wave):
    def law(q, qd, qdd):
        return {"tau": [(q[0] if wave is None else sincos(q[0])[wave]) * qdd[0] + qd[0]]}

    function = trace("inverse_dynamics", law, {"q": (1,), "qd": (1,), "qdd": (1,)})
    notes = {"inverse_dynamics": f"{QUANTITIES['inverse_dynamics'].summary} {SIMPLIFIED_NOTE}"}
    words = {"prefix": "arm", "description": "At most 0.5 N m, proven.", "notes": notes}
    made = c_package([function], precision=Precision.SINGLE, **words)
    programs = {"inverse_dynamics": program_of(function_to_dict(function))}
    prototypes = check_c_source(CText(made["arm.c"], "arm.c"), [*programs.values()], "arm", "float", "arm")
    header = made["arm.h"].replace("/* arm: ", "/* my arm: ")
    check_c_header(CText(header, "arm.h"), OPENING, programs, prototypes, "arm", "float")
