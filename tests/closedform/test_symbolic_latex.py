"""Symbolic equations on the page: LaTeX that is balanced and names what it uses, text, JSON, and the command."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

import torquec as tq
from torquec.cli.app import app
from torquec.closedform.symbolic_equations import symbolic_equations
from torquec.closedform.symbolic_latex import symbolic_document, symbolic_latex, symbolic_text


@pytest.fixture(scope="module")
def planar():
    return symbolic_equations(tq.classics.planar2r())


def run(*words):
    return CliRunner().invoke(app, ["equations", *words])


def test_the_latex_of_the_planar_arm(planar):
    page = symbolic_latex(planar)
    assert (
        r"M_{11} ={}& I_{1} + I_{2} + m_{1}\,l_{c1}^{2} + m_{2}\,(l_{1}^{2} + l_{c2}^{2} + 2\,l_{1}\,l_{c2}\,c_{2})"
        in page
    )
    assert r"h_{1} ={}& -m_{2}\,l_{1}\,l_{c2}\,s_{2}\,(2\,\dot q_{1}\,\dot q_{2} + \dot q_{2}^{2})" in page
    assert r"g_{1} ={}& (m_{1}\,l_{c1} + m_{2}\,l_{1})\,g\,c_{1} + m_{2}\,l_{c2}\,g\,c_{12}" in page
    assert r"$c_{12} = \cos (q_{1} + q_{2})$" in page
    assert r"$l_{1}$ & length of link 1{,} to the axis of joint 2 & $1$ & $\mathrm{m}$" in page


@pytest.mark.parametrize("make", [tq.classics.planar3r, tq.classics.scara])
def test_pages_are_balanced_and_say_what_their_symbols_are(make):
    equations = symbolic_equations(make())
    page = symbolic_latex(equations)
    assert page.count("{") == page.count("}")
    assert page.startswith(r"\documentclass")
    assert page.rstrip().endswith(r"\end{document}")
    for symbol in equations.symbols:
        assert f"${symbol.latex}$ &" in page
    body = page.partition("subsection*{Mass")[2].partition("subsection*{Symbols")[0]
    used = set(re.findall(r"(?<![a-z\\])([cs])_\{(\d+)\}", body))
    for _, index in used:
        assert rf"$c_{{{index}}} = \cos" in page


def test_a_number_that_is_no_whole_one_is_a_fraction():
    page = symbolic_document(
        symbolic_equations(tq.lock_joints(tq.classics.stanford(), dict.fromkeys([f"joint{k}" for k in (4, 5, 6)], 0.0)))
    )
    assert not re.search(r"\d\.\d", " ".join(entry["latex"] for entry in page["entries"].values()))


def test_text_has_short_lines_and_the_values(planar):
    text = symbolic_text(symbolic_equations(tq.classics.scara()))
    assert "N1    80" in text
    entries = text.partition("M11")[2].partition("Symbols")[0]
    assert max(map(len, entries.splitlines())) <= 120
    assert "g1 = (m1*lc1 + m2*l1)*g*c1 + m2*lc2*g*c12" in symbolic_text(planar)


def test_the_command_writes_all_three(tmp_path, planar):
    assert run("planar2r", "--symbolic").stdout.strip() == symbolic_text(planar).strip()
    file = tmp_path / "arm.tex"
    assert run("planar2r", "--symbolic", "-o", str(file)).exit_code == 0
    assert file.read_text() == symbolic_latex(planar)
    document = json.loads(run("planar2r", "--symbolic", "--json").stdout)
    assert document["entries"]["M[2,2]"] == {
        "text": "Izz2 + m2*lc2^2",
        "latex": r"I_{2} + m_{2}\,l_{c2}^{2}",
        "terms": 2,
    }
    assert document["symbols"]["l1"]["value"] == 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--whole",), "--whole does not go with --symbolic"),
        (("--digits", "3"), "--digits does not go with --symbolic"),
        (("--format", "html"), "equations in symbols are not written as html"),
        (("--format", "c"), "equations in symbols are not written as c"),
    ],
)
def test_options_that_do_not_go_together(words, message):
    found = run("planar2r", "--symbolic", *words)
    assert found.exit_code != 0
    assert message in found.output
