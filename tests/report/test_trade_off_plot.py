"""The trade-off picture is drawn whole, with and without torque errors; tables hold every point."""

from __future__ import annotations

import csv
import io

import pytest

from torquec.errors import ArgumentError
from torquec.expr import OperationCount
from torquec.model.trade_off import TradeOff, TradeOffPoint
from torquec.report.trade_off_plot import plot_trade_off, trade_off_csv, trade_off_rows

POINTS = tuple(
    TradeOffPoint(factor, OperationCount(mul, add, 0, 0, 0), {"a": 2.0 * level, "b": level}, level)
    for factor, mul, add, level in [(0.0, 20, 12, 0.0), (0.5, 12, 9, 0.4), (1.0, 8, 5, 0.9), (2.0, 9, 5, 1.6)]
)
CURVE = TradeOff("arm", POINTS, {"a": 2.0, "b": 1.0}, {4.0: "no proof"})


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures_are_files(tmp_path, suffix):
    pytest.importorskip("matplotlib")
    path = plot_trade_off(CURVE, tmp_path / f"curve.{suffix}", found={"a": 1.7, "b": 0.8})
    assert path.stat().st_size > 5000
    assert [each.name for each in tmp_path.iterdir()] == [f"curve.{suffix}"]


def test_the_picture_names_every_level(tmp_path):
    pytest.importorskip("matplotlib")
    text = plot_trade_off(CURVE, tmp_path / "curve.svg").read_text()
    for label in ("exact 20/12", "12/9", "8/5", "9/5"):
        assert f"<!-- {label} -->" in text


def test_without_a_chosen_level_only_the_curve_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    text = plot_trade_off(CURVE, tmp_path / "curve.svg", chosen=3.0).read_text()
    assert "<!-- chosen -->" not in text


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


def test_misuse(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(ArgumentError, match="cannot draw there"):
        plot_trade_off(CURVE, tmp_path / "curve.unknown")
    with pytest.raises(ArgumentError, match="there is no such folder"):
        plot_trade_off(CURVE, tmp_path / "no" / "curve.png")
    assert list(tmp_path.iterdir()) == []
