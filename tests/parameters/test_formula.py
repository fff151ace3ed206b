"""Formulas as text and as LaTeX."""

from __future__ import annotations

import pytest

from torquec.parameters.formula import latex_formula, latex_name, latex_number, latex_word, text_formula


def test_text():
    assert text_formula([(1.0, "Izz_2"), (-1.0, "Iyy_3"), (0.1864512449, "m_3")]) == "Izz_2 - Iyy_3 + 0.186451*m_3"
    assert text_formula([(-2.0, "a"), (1e-7, "b")]) == "-2*a + 1e-07*b"
    assert text_formula([]) == "0"


def test_latex():
    assert latex_formula([(-1.0, "mx_arm"), (2e-5, "m_b_1")]) == (
        r"-mx_{\mathrm{arm}} + 2\cdot 10^{-5}\,m_{\mathrm{b\_1}}"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ixx_link_1", r"I_{xx,\mathrm{link\_1}}"),
        ("m_link", r"m_{\mathrm{link}}"),
        ("rotor_motor", r"J_{\mathrm{motor}}"),
        ("coulomb_negative_j", r"f_{c,\mathrm{j}}^{-}"),
        ("coulomb_negative_j+", r"{f_{c,\mathrm{j}}^{-}}'"),
        ("Uxx-Uyy_a", r"(U_{xx}-U_{yy})_{\mathrm{a}}"),
        ("kappa1_a", r"\kappa_{1,\mathrm{a}}"),
        ("mhat_a", r"\hat m_{\mathrm{a}}"),
        ("combination_3", r"\mathrm{combination\_3}"),
    ],
)
def test_names(name, shown):
    assert latex_name(name) == shown


def test_braces_balance_for_any_name():
    for owner in ("a{b", "50% & more", "~^\\", "#$"):
        shown = latex_name(f"Ixx_{owner}").replace(r"\{", "").replace(r"\}", "")
        assert shown.count("{") == shown.count("}")


def test_numbers_and_words():
    assert latex_number("-1.5e+07") == r"-1.5\cdot 10^{7}"
    assert latex_number("0.25") == "0.25"
    assert latex_word("a_b") == r"a\_b"
