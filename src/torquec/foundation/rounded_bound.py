"""Proven bounds as text: upper bounds rounded up, lower bounds down, so that no text claims more than the proof.

`f"{bound:.2g}"` rounds to nearest: half of all upper bounds would be printed smaller than what is proven. Here the
text, read as a double, is on the safe side of the bound: a bound of 0.05 is printed as 0.05.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context


def rounded_up(bound: float, digits: int) -> str:
    """An upper bound with at most `digits` significant digits: the text, read as a double, is never below `bound`.

    >>> rounded_up(0.05, 2), rounded_up(0.000934, 2), rounded_up(92.46650001, 6), rounded_up(-1.29, 2)
    ('0.05', '0.00094', '92.4666', '-1.2')
    """
    return _rounded(bound, digits, ROUND_CEILING)


def rounded_down(bound: float, digits: int) -> str:
    """A lower bound with at most `digits` significant digits: the text, read as a double, is never above `bound`.

    >>> rounded_down(0.5, 2), rounded_down(301.9, 3), rounded_down(-1.21, 2)
    ('0.5', '301', '-1.3')
    """
    return _rounded(bound, digits, ROUND_FLOOR)


def _rounded(bound: float, digits: int, rounding: str) -> str:
    """In the notation of `:g`; infinities and NaN as Python writes them."""
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(repr(float(bound)))):.{digits}g}"
