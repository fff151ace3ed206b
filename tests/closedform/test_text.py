"""Plain text: Clover's Appendix A as it comes out, and everything that may stand in it."""

from __future__ import annotations

import pytest
from tests.closedform.printed import NASTY, samples

from torquec.closedform import closed_form
from torquec.closedform.equations import single_equations
from torquec.closedform.text import WIDTH, equations_text
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


def test_a_zero_entry_is_zero():
    chosen = single_equations(closed_form(load_classic("puma560")), ["M[4,5]"])
    assert equations_text(chosen).endswith("M45 [kg m^2] = 0\n") or equations_text(chosen).endswith("M45 = 0\n")
    assert "not shown" not in equations_text(chosen)


def test_parameters_stand_in_brackets():
    text = equations_text(SAMPLES["parameters"])
    assert "M33 = Izz_link3" in text
    assert "(2*mx_link2 + 1.6*m_link3)*C2" in text or "(1.6*m_link3 + 2*mx_link2)*C2" in text
