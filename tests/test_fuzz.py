"""No input, however it is made, ends in anything but a result or an error of our own.

The default suite tries a few hundred inputs and everything that ever went wrong; the full million is `slow`. A fault
names its number: `python -m tests.fuzz.run NUMBER NUMBER+1 FOLDER` makes the file again.
"""

from __future__ import annotations

import sys

import pytest
from tests.fuzz.readers import DOORS, fuzzed
from tests.fuzz.run import faults

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no alarms here")

FEW, MANY = 400, 1_000_000

FOUND = (
    2073,  # an npz header that ends inside a bracket: tokenize.TokenError
    670,  # integers of 5000 hexadecimal digits, which Python does not write: ValueError in the message
    1369,
    3214,
    56807,  # two hundred macro calls inside each other: RecursionError
    81893,  # integers of 5000 digits with letters behind them: ValueError
    148055,
    108406,  # words that are almost a number of 5000 digits: a pattern that tried all ways to read them
    125570,
    138182,
    176585,  # 1e999 in JSON, which Python reads as infinity: ValueError in the checksum
    184678,  # a column's name of 70 kB, looked at letter by letter
    212756,
    218500,
    547466,  # a string of 70 kB in an inline table: a pattern that began to read it at every letter
    572753,
    166171,  # a table row that ends before its expression: AttributeError
)
"""Inputs that once broke a reader, with what happened then."""


def test_a_few_hundred_inputs():
    assert list(faults(range(FEW))) == []


def test_what_once_went_wrong():
    for number in FOUND:
        assert list(faults(range(number, number + 1))) == []


def test_an_input_is_its_number():
    assert fuzzed(17) == fuzzed(17)
    assert len({fuzzed(number)[0].file for number in range(FEW)}) >= len(DOORS) - 1
    assert sum(door.share for door in DOORS) == 1000


@pytest.mark.slow
def test_a_million_inputs():
    assert list(faults(range(MANY))) == []
