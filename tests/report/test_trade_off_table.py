"""Tables of a trade-off hold every point."""

from __future__ import annotations

import csv
import io

from torquec.expr import OperationCount
from torquec.model.trade_off import TradeOff, TradeOffPoint
from torquec.report.trade_off_table import trade_off_csv, trade_off_rows

POINTS = tuple(
    TradeOffPoint(factor, OperationCount(mul, add, 0, 0, 0), {"a": 2.0 * level, "b": level}, level)
    for factor, mul, add, level in [(0.0, 20, 12, 0.0), (0.5, 12, 9, 0.4), (1.0, 8, 5, 0.9), (2.0, 9, 5, 1.6)]
)
CURVE = TradeOff("arm", POINTS, {"a": 2.0, "b": 1.0}, {4.0: "no proof"})


def test_tables():
    rows = list(csv.DictReader(io.StringIO(trade_off_csv(CURVE))))
    assert [float(row["factor"]) for row in rows] == [0.0, 0.5, 1.0, 2.0]
    assert rows[2] == {"factor": "1.0", "mul": "8", "add": "5", "level": "0.9", "bound_a": "1.8", "bound_b": "0.9"}
    assert trade_off_rows(CURVE)[1] == {
        "factor": 0.5,
        "mul": 12,
        "add": 9,
        "level": 0.4,
        "bounds": {"a": 0.8, "b": 0.4},
    }
