"""Plain text: Clover's Appendix A as it comes out, and everything that may stand in it."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest
from tests.closedform.printed import NASTY, samples

from torquec.closedform import closed_form
from torquec.closedform.equations import equations, single_equations
from torquec.closedform.fourier import Rule
from torquec.closedform.html import equations_html
from torquec.closedform.json_form import equations_document
from torquec.closedform.latex import equations_latex
from torquec.closedform.layouts import Matrix
from torquec.closedform.source import c_source, python_source
from torquec.closedform.text import WIDTH, equations_text
from torquec.dynamics.inverse_dynamics import gravity_torque
from torquec.dynamics.mass_matrix import mass_matrix
from torquec.robot.classics import load_classic

SAMPLES = samples()


def test_appendix_a(golden):
    golden("equations/puma560.txt", equations_text(SAMPLES["puma560 after Clover"]))


def test_lines_of_the_appendix_as_clover_prints_them():
    """To the digits that the paper prints."""
    text = equations_text(SAMPLES["puma560 after Clover"])
    for line in (
        "M12 = 0.6903*sin(q2) - 0.1341*cos(q2 + q3) + 0.02375*cos(q2)",
        "M13 = -0.1341*cos(q2 + q3)",
        "M33 = 1.1636",
        "B[2,23] = 0.7442*cos(q3) + 0.02191*sin(q3)",
        "D13 = 0.1341*sin(q2 + q3)",
        "V1 = 4.94*qd1 + 8.43    for qd1 > 0",
        "     3.45*qd1 - 8.26    for qd1 < 0",
    ):
        assert line in text.splitlines()


@pytest.mark.parametrize("name", SAMPLES)
def test_lines_are_not_too_long(name):
    lines = equations_text(SAMPLES[name]).splitlines()
    assert [line for line in lines if len(line) > WIDTH and "=" in line and line.count(" + ") > 1] == []
    assert [line for line in lines if line != line.rstrip()] == []


def test_names_are_explained():
    text = equations_text(SAMPLES["odd, everything"])
    assert "C2m3 = cos(q2 - q3), S2m3 = sin(q2 - q3)" in text
    assert "q5 = -0.5*q4 + 0.1; adds -0.5*tau5 to tau4" in text
    assert "The springs of elbow are not part of these equations." in text
    assert NASTY in text
    assert "f_b_2(30*qd2 - 40*qd3)" in text
    assert "f_b_2(w) = 0.001*w + 0.011    for w > 0" in text


def test_units_stand_with_each_entry_where_they_differ():
    lines = equations_text(SAMPLES["stanford after Chang and Lee"]).splitlines()
    assert any(line.startswith("J13 [kg m] = -1.04814*S2") for line in lines)
    assert any(line.startswith("G3 [N] = -63.406*C2") for line in lines)


def test_nothing_is_said_to_be_nothing():
    assert equations_text(SAMPLES["nothing"]).endswith("Gravity torque g(q)\n\nAll entries are zero.\n")


FORMATS = {
    "text": equations_text,
    "latex": lambda found: re.sub(r"[{}]", "", equations_latex(found)),
    "html": lambda found: html.unescape(equations_html(found)),
    "json": lambda found: json.dumps(equations_document(found)),
    "c": lambda found: re.sub(r"\s+\*? *", " ", c_source(found)),
    "python": python_source,
}


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize(
    ("robot", "matrices", "left_out", "command"),
    [
        ("puma560", "Mg", "B (Coriolis), D (centrifugal) and V (friction)", "--whole"),
        ("puma560", "MBDg", "V (friction)", "--whole"),
        ("puma560", "B", "M (inertia), D (centrifugal), g (gravity) and V (friction)", "--whole"),
        ("puma560", "MC", "g (gravity) and V (friction)", "--matrix M --matrix C --matrix g --matrix V"),
        ("puma560", "JH", "G (gravity) and V (friction)", "--matrix J --matrix H --matrix G --matrix V"),
        ("planar2r", "Mg", "B (Coriolis) and D (centrifugal)", "--whole"),
    ],
)
def test_terms_that_are_left_out_are_named(written, robot, matrices, left_out, command):
    """The equation above has them, and they are not zero."""
    found = equations(closed_form(load_classic(robot)), [Matrix(letter) for letter in matrices])
    text = FORMATS[written](found)
    assert f"Left out here, and not zero in general: {left_out}. torquec equations ROBOT {command} writes" in text
    assert "Entries that are not shown are zero" not in text
    assert ("V is zero: the robot has no friction." in text) == (robot == "planar2r")
    if written not in ("c", "python"):
        named = " and ".join(part for part in (", ".join(matrices[:-1]), matrices[-1]) if part)
        assert f"Entries of {named} that are neither shown nor given by symmetry are zero." in text


@pytest.mark.parametrize("written", FORMATS)
def test_where_all_terms_are_there_none_is_left_out(written):
    text = FORMATS[written](SAMPLES["puma560 after Clover"])
    assert "Left out" not in text
    assert ("Entries that are not shown are zero." in text) == (written not in ("c", "python"))


def test_entries_that_are_left_out_are_zero():
    """What the sentence says, by numbers: the matrices that are shown, from the entries that are shown alone."""
    form = closed_form(load_classic("puma560"))
    q = np.random.default_rng(5).uniform(-1.0, 1.0, 6)
    for matrix, exact in ((Matrix.M, mass_matrix(form.robot, list(q))), (Matrix.G_TORQUE, None)):
        shown = {entry.index for entry in equations(form, [matrix]).entries[matrix]}
        values = np.array(exact if exact is not None else gravity_torque(form.robot, list(q)))
        for index in np.ndindex(values.shape):
            if index not in shown and index[::-1] not in shown:
                assert abs(values[index]) < 1e-12


def test_what_is_dropped_is_not_called_zero():
    found = equations(closed_form(load_classic("puma560")), [Matrix.M], Rule(threshold=0.1))
    assert "nor given by symmetry are zero or were dropped." in equations_text(found)


def test_a_zero_entry_is_zero():
    chosen = single_equations(closed_form(load_classic("puma560")), ["M[4,5]"])
    assert equations_text(chosen).endswith("M45 [kg m^2] = 0\n") or equations_text(chosen).endswith("M45 = 0\n")
    assert "not shown" not in equations_text(chosen)
    assert "Only the entries that were asked for are here. torquec equations ROBOT --whole" in equations_text(chosen)


def test_parameters_stand_in_brackets():
    text = equations_text(SAMPLES["parameters"])
    assert "M33 = Izz_link3" in text
    assert "(2*mx_link2 + 1.6*m_link3)*C2" in text or "(1.6*m_link3 + 2*mx_link2)*C2" in text
