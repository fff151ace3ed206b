"""LaTeX: it compiles, whatever the names hold."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from tests.closedform.printed import NASTY, samples
from tests.patience import HANGS

from torquec.closedform.closed_form import closed_form
from torquec.closedform.equations import equations, single_equations
from torquec.closedform.latex import equations_latex, latex_text
from torquec.closedform.layouts import Matrix
from torquec.robot import classics

SAMPLES = samples()
PDFLATEX = shutil.which("pdflatex")


@pytest.mark.skipif(PDFLATEX is None, reason="no pdflatex")
@pytest.mark.parametrize("name", SAMPLES)
def test_compiles_without_lines_that_stick_out(name, tmp_path):
    (tmp_path / "equations.tex").write_text(equations_latex(SAMPLES[name]), encoding="ascii")
    command = [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "equations.tex"]
    result = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=HANGS, check=False, errors="replace"
    )
    assert result.returncode == 0, result.stdout[-3000:]
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([0-9.]+)pt too wide\) detected", result.stdout)]
    assert max(wide, default=0.0) < 20.0


@pytest.mark.parametrize("name", SAMPLES)
def test_braces_and_environments_are_closed(name):
    text = equations_latex(SAMPLES[name])
    assert text.isascii()
    plain = re.sub(r"\\[{}\\]", "", text)
    assert plain.count("{") == plain.count("}")
    for environment in set(re.findall(r"\\begin\{([a-z*]+)\}", text)):
        assert text.count(rf"\begin{{{environment}}}") == text.count(rf"\end{{{environment}}}")


def test_entries_of_the_appendix():
    text = equations_latex(SAMPLES["puma560 after Clover"])
    assert r"M_{12} ={}& 0.6903\,\sin(q_{2}) - 0.1341\,\cos(q_{2} + q_{3}) + 0.02375\,\cos(q_{2})" in text
    assert r"\begin{cases}4.94\,\dot q_{1} + 8.43 & \dot q_{1} > 0" in text


def test_products_speeds_and_parameters():
    assert r"S_{23}^{2}" in equations_latex(SAMPLES["puma560 exact"])
    text = equations_latex(SAMPLES["parameters"])
    assert r"\mathit{Izz}_{\text{link3}}" in text
    assert r"\partial\tau_{1}/\partial q_{1}" in text
    assert r"\ddot q_{1}" in text


def test_special_characters_lose_their_meaning():
    assert latex_text(NASTY).count(r"\end{document}") == 0
    assert latex_text("a_b{c}") == r"a\_b\{c\}"
    assert equations_latex(SAMPLES["odd, everything"]).count(r"\end{document}") == 1


def test_matrices_stand_as_matrices():
    small = equations_latex(
        equations(closed_form(classics.planar2r()), [Matrix.M, Matrix.G_TORQUE, Matrix.D, Matrix.B])
    )
    mass = r"1.66667 + C_{2} & 0.5\,C_{2} + 0.333333 \\"
    assert f"\\[ M(q) = \\left(\\begin{{array}}{{cc}}\n{mass}\n0.5\\,C_{{2}} + 0.333333 & 0.333333\n" in small
    assert r"\[ g(q) = \left(\begin{array}{c}" in small
    assert r"\[ B(q) = \left(\begin{array}{c}" in small
    assert r"M_{11}" not in small
    large = equations_latex(equations(closed_form(classics.puma560()), [Matrix.M]))
    assert r"M_{11} & M_{12} & M_{13} & M_{14} & M_{15} & M_{16} \\" in large
    assert r"M_{11} ={}&" in large
    chosen = equations_latex(single_equations(closed_form(classics.planar2r()), ["M[1,1]"]))
    assert r"M_{11} ={}& 1.66667 + C_{2}" in chosen
    assert "array" not in chosen
