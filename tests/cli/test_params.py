"""`torquec params`."""

from __future__ import annotations

import pytest

import torquec as tq
from torquec.cli.params import parameters_latex, parameters_text
from torquec.papers.inward_basis import letters_of
from torquec.robot import classics

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


def test_json_of_the_puma(torquec):
    document = torquec("params", "puma560", "--json").document
    assert (document["count"], document["motor_count"], document["friction_count"]) == (36, 4, 0)
    assert len(document["names"]) == len(document["expressions"]) == len(document["values"]) == 40
    assert document["method"] == "elimination; exact rational rank"
    assert "m_link1" in document["dropped"]
    assert "rotor_joint1" in document["grouped"]
    assert "rotor_joint1" in document["expressions"][0]
    assert document["record"]["kind"] == "base_parameters"


def test_text_lists_every_parameter_with_its_formula(torquec):
    shown = torquec("params", "planar2r").out
    assert "6 inertial base parameters, out of 20 standard ones" in shown
    assert "Izz_link1+   1.33333  = Izz_link1 + m_link2" in shown
    assert "No effect on any torque: Ixx_link1" in shown
    assert all(len(line) <= 120 for line in torquec("params", "puma560").out.splitlines())


def test_friction_and_motors(torquec):
    document = torquec("params", "puma260", "--json", "--friction", "own").document
    assert document["friction_count"] == 12
    assert torquec("params", "puma260", "--json", "--no-motors").document["motor_count"] == 0
    assert torquec("params", "puma260", "--json", "--friction", "offset").document["friction_count"] == 18


def test_gravity_changes_the_count(torquec):
    assert torquec("params", "puma560", "--json", "--gravity", "1,0,-9.81").document["count"] == 38


@pytest.mark.parametrize("method", ["elimination", "theorem", "qr", "svd"])
def test_methods(torquec, method):
    document = torquec("params", "scara", "--json", "--method", method).document
    assert document["count"] == 8


def test_symbols(torquec):
    document = torquec("params", "planar2r", "--json", "--symbolic").document
    assert document["expressions"][0] == "Izz_link1 + Izz_link2 + a2^2*m_link2"
    assert document["symbols"] == {"a2": 1.0}
    assert "a2 = 1" in torquec("params", "planar2r", "--symbolic").out


def test_latex_is_a_whole_document(torquec):
    for options in ((), ("--symbolic",)):
        shown = torquec("params", "puma560", "--latex", *options).out
        assert shown.startswith(r"\documentclass{article}")
        assert shown.rstrip().endswith(r"\end{document}")
        assert shown.count("{") == shown.count("}")
        assert shown.count("$") % 2 == 0


def test_check(torquec):
    document = torquec("params", "scara", "--json", "--check").document
    assert document["check"]["error"] < 1e-12
    assert "Checked against the recursion" in torquec("params", "scara", "--check").out


def test_without_inertias(torquec, arm):
    text = arm.read_text()
    start, end = text.index("<inertial>"), text.rindex("</inertial>") + len("</inertial>")
    first_end = text.index("</inertial>") + len("</inertial>")
    bare = text[:start] + text[first_end:]
    second = bare.index("<inertial>")
    arm.write_text(bare[:second] + bare[bare.index("</inertial>") + len("</inertial>") :])
    assert end > first_end
    document = torquec("params", arm, "--json").document
    assert document["count"] == 6
    assert document["values"] is None
    assert "no values" in torquec("params", arm).out


def test_bad_options(torquec):
    refused = torquec("params", "scara", "--method", "guess")
    assert refused.status == 2
    assert "elimination" in refused.err
    assert torquec("params", "scara", "--friction", "sticky").status == 2
    assert torquec("params", "scara", "--frames", "sky").status == 2
    assert torquec("params", "scara", "--latex", "--json").status == 2
    assert torquec("params", "scara", "--symbolic", "--method", "qr").status == 2


def test_a_robot_that_is_not_clear_is_a_failed_check(torquec, arm):
    arm.write_text(
        arm.read_text().replace(
            '<origin xyz="0 0 1"/>\n    <axis xyz="0 1 0"/>', '<origin xyz="0 0 1"/>\n    <axis xyz="1e-8 1 0"/>'
        )
    )
    failed = torquec("params", arm, "--no-snap", "--gravity", "0,-9.81,0")
    assert failed.status == 1
    assert "ambiguous number" in failed.err


IZAGUIRRE = (
    "ia1 ia2 ia3 ia4 ia5 ia6 m6 x6 y6 z6 a6 b6 c6 d6 e6 f6 x5 y5 a5 c5 d5 e5 f5 x4 y4 a4 c4 d4 e4 f4 x3 y3 a3 d3 e3 f3 "
    "x2 y2 d2 e2 fs1 fs2 fs3 fs4 fs5 fs6 ds1 ds2 ds3 ds4 ds5 ds6"
)
"""Izaguirre & Paul, Table 1: what is kept of the PUMA 260's 78 parameters, in the order in which it is tried."""


def test_the_order_of_izaguirre(torquec):
    """Table 1: rotors first, then the links from the hand inwards; the 52 that are kept, in that order."""
    options = ("--order", "izaguirre", "--frames", "link", "--friction", "own")
    document = torquec("params", "puma260", *options, "--json").document
    kept = [letters_of(classics.puma260(), name.removesuffix("+")) for name in document["names"]]
    assert len(kept) == 52
    assert kept[:40] == IZAGUIRRE.split()[:40]
    assert sorted(kept) == sorted(IZAGUIRRE.split())


def test_an_order_by_names(torquec):
    shown = torquec("params", "planar2r", "--order", "m_link2,mx_link2", "--json").document
    assert shown["names"][:2] == ["m_link2+", "mx_link2"]
    assert "not parameters of robot" in torquec("params", "planar2r", "--order", "colour").err


def test_what_determines_inertia_and_gravity_alone(torquec):
    """Lin: 34 combinations for H of the PUMA 560, of the 36 for all torques; 10 for gravity."""
    assert torquec("params", "puma560", "--of", "inertia", "--json").document["count"] == 34
    document = torquec("params", "puma560", "--of", "gravity", "--json").document
    assert document["count"] == 10
    values = dict(zip(document["names"], document["values"], strict=True))
    arm = tq.compile(classics.puma560())
    # Stretched out, the upper arm's first moment and the forearm's, across the axis, pull at the shoulder.
    pull = arm.gravity_torque([0.0] * 6)
    assert pull[1] - pull[2] == pytest.approx(-9.81 * values["kx_link2"], rel=1e-9)
    refused = torquec("params", "puma560", "--of", "gravity", "--friction", "own")
    assert refused.status == 2
    assert "links alone" in refused.err


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
