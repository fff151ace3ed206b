"""Base parameters as text and as LaTeX: counts, values, formulas, and what no torque depends on."""

from __future__ import annotations

import pytest

from torquec.report.parameter_text import parameters_latex, parameters_text

DOCUMENT = {
    "robot": "two_link",
    "method": "energy rows",
    "count": 2,
    "motor_count": 0,
    "friction_count": 4,
    "standard_count": 20,
    "names": ["Izz_link1", "mx_link2"],
    "values": [1.25, None],
    "expressions": ["Izz_link1 + l1^2*m_link2", "mx_link2"],
    "latex": ["I_{zz} + l_1^2 m", "m_x"],
    "dropped": ["Ixx_link1"],
    "grouped": ["m_link2"],
}


def test_text_counts_the_kinds_that_there_are():
    text = parameters_text(DOCUMENT)
    assert text.startswith(
        "two_link: 2 inertial + 4 friction base parameters, out of 20 standard ones\nFound by energy rows.\n"
    )
    assert "motor" not in text
    assert "  Izz_link1  1.25  = Izz_link1 + l1^2*m_link2" in text
    assert "  mx_link2      -  = mx_link2" in text
    assert "No effect on any torque: Ixx_link1" in text
    assert "Act only within the above: m_link2" in text


def test_long_formulas_are_wrapped_under_their_beginning():
    long = " + ".join(f"l{k}^2*m_link{k}" for k in range(30))
    lines = parameters_text({**DOCUMENT, "expressions": [long, "mx_link2"]}).splitlines()
    first = next(k for k, line in enumerate(lines) if "l0^2" in line)
    column = lines[first].index("l0^2")
    assert len(lines[first]) <= 118
    assert lines[first + 1][:column].strip() == ""
    assert lines[first + 1][column] != " "
    joined = " ".join(line[column:] for line in lines[first : first + 8])
    assert long in joined


def test_what_else_a_document_may_hold():
    text = parameters_text({**DOCUMENT, "symbols": {"a2": 0.4318}, "check": {"error": 2.1e-15}, "values": None})
    assert "Geometry (modified DH frames): a2 = 0.4318" in text
    assert "There are no values: the robot has links without inertia." in text
    assert "Checked against the recursion: largest relative error 0" in text  # rounding noise
    assert "all offsets are zero" in parameters_text({**DOCUMENT, "symbols": {}})


@pytest.mark.parametrize("name", ["two_link", "50% & more"])
def test_latex_escapes_what_latex_would_read(name):
    page = parameters_latex({**DOCUMENT, "robot": name})
    title = next(line for line in page.splitlines() if line.startswith(r"\section*"))
    assert all(f"\\{mark}" in title for mark in "_%&" if mark in name)
    assert page.count(r"\tabularnewline") == 3  # the header and one row a parameter
    assert r"& $1.25$ &" in page
    assert page.count(r"\begin{") == page.count(r"\end{")
