"""Tables and JSON."""

from __future__ import annotations

import json
import math

from torquec.cli.output import print_json
from torquec.report.tables import number, table


def test_table_aligns_numbers_to_the_right():
    assert table(["a", "b"], [["x", "1"], ["long", "-22"]]).splitlines() == [
        "  a       b",
        "  x       1",
        "  long  -22",
    ]


def test_numbers():
    assert number(-0.0) == "0"
    assert number(math.nan) == "-"
    assert number(1234567.0, 3) == "1.23e+06"


def test_json_has_no_infinity(capsys):
    print_json({"upper": math.inf, "rows": [(1.5, math.nan)], "name": "grîpper"})
    assert json.loads(capsys.readouterr().out) == {"upper": None, "rows": [[1.5, None]], "name": "grîpper"}
