"""Formatting of linear combinations of parameters: plain text and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable

_DIGITS = 6  # what a person reads; numbers for programs are written in full

_LATEX_SYMBOLS = {
    "rotor": "J",
    "viscous": "f_{v}",
    "viscous_positive": "f_{v}^{+}",
    "viscous_negative": "f_{v}^{-}",
    "coulomb": "f_{c}",
    "coulomb_positive": "f_{c}^{+}",
    "coulomb_negative": "f_{c}^{-}",
    "offset": "f_{0}",
    "mhat": r"\hat m",
    "kappa1": r"\kappa_{1}",
    "kappa2": r"\kappa_{2}",
    "Uxx-Uyy": "(U_{xx}-U_{yy})",
    "m": "m",
    **{f"m{axis}": f"m{axis}" for axis in "xyz"},
    **{f"k{axis}": f"k_{{{axis}}}" for axis in "xyz"},
    **{f"{letter}{axes}": f"{letter}_{{{axes}}}" for letter in "IU" for axes in ("xx", "xy", "xz", "yy", "yz", "zz")},
}


def text_formula(terms: Iterable[tuple[float, str]]) -> str:
    """A sum of coefficients times names, rounded to six digits.

    >>> text_formula([(1.0, "Izz_2"), (-1.0, "Iyy_3"), (0.18645124, "m_3")])
    'Izz_2 - Iyy_3 + 0.186451*m_3'
    """
    return _sum((number, f"{size}*{name}" if size else name) for number, size, name in _rounded(terms))


def latex_formula(terms: Iterable[tuple[float, str]]) -> str:
    r"""The same in LaTeX's mathematics.

    >>> print(latex_formula([(1.0, "Izz_arm_1"), (-2.0, "m_b")]))
    I_{zz,\mathrm{arm\_1}} - 2\,m_{\mathrm{b}}
    """
    return _sum(
        (number, rf"{latex_number(size)}\,{latex_name(name)}" if size else latex_name(name))
        for number, size, name in _rounded(terms)
    )


def latex_name(name: str) -> str:
    r"""A parameter's name in LaTeX's mathematics.

    >>> print(latex_name("viscous_positive_joint1"))
    f_{v,\mathrm{joint1}}^{+}
    """
    if name.endswith("+"):
        return f"{{{latex_name(name[:-1])}}}'"
    for symbol in sorted(_LATEX_SYMBOLS, key=len, reverse=True):
        if name.startswith(f"{symbol}_"):
            shown = _LATEX_SYMBOLS[symbol]
            owner = rf"\mathrm{{{latex_word(name[len(symbol) + 1 :])}}}"
            head, brace, tail = shown.partition("}")
            if brace and not shown.startswith("("):
                return f"{head},{owner}}}{tail}"
            return f"{shown}_{{{owner}}}"
    return rf"\mathrm{{{latex_word(name)}}}"


def latex_number(text: str) -> str:
    r"""A number as `text_formula` writes it, its exponent as a power of ten.

    >>> print(latex_number("2e-05"))
    2\cdot 10^{-5}
    """
    mantissa, e, exponent = text.partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if e else mantissa


def latex_word(text: str) -> str:
    r"""Any text, so that LaTeX prints it as it is.

    >>> print(latex_word("arm_1 & 50%"))
    arm\_1 \& 50\%
    """
    replaced = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
    return "".join(replaced.get(c, rf"\{c}" if c in "_%&#${}" else c) for c in text)


def _rounded(terms: Iterable[tuple[float, str]]) -> Iterable[tuple[float, str, str]]:
    """(number, its size as text, "" for one, name)."""
    for number, name in terms:
        size = f"{abs(number):.{_DIGITS}g}"
        yield number, "" if size == "1" else size, name


def _sum(terms: Iterable[tuple[float, str]]) -> str:
    parts: list[str] = []
    for number, term in terms:
        sign = "-" if number < 0 else "+"
        if parts:
            parts += [sign, term]
        else:
            parts.append(f"-{term}" if number < 0 else term)
    return " ".join(parts) or "0"
