"""What a report is made of: bare numbers are refused wherever they are put in."""

from __future__ import annotations

import pytest

from torquec.errors import ArgumentError
from torquec.report.blocks import Axis, Bars, DataTable, Fact, Paragraph, Series, fact, paragraph
from torquec.report.provenance import Number, computed

BY = computed("a sum")


@pytest.mark.parametrize(
    "make",
    [
        lambda: paragraph("the error is ", 0.5),
        lambda: Paragraph((3,)),
        lambda: fact("error", 0.5),
        lambda: Fact("error", (1,)),
        lambda: DataTable(("a",), ((0.5,),)),
        lambda: Bars("t", Axis("x"), ("a",), (("s", (0.5,)),)),
    ],
)
def test_bare_numbers_are_refused(make):
    with pytest.raises(ArgumentError, match="stands bare in a report"):
        make()


def test_a_series_says_how_it_was_obtained():
    with pytest.raises(ArgumentError, match="does not say how it was obtained"):
        Series("a", (0.0,), (1.0,), None)


def test_columns_and_rows_fit():
    with pytest.raises(ArgumentError, match="different lengths"):
        Series("a", (0.0, 1.0), (1.0,), BY)
    with pytest.raises(ArgumentError, match="a row of 1 cells"):
        DataTable(("a", "b"), (("x",),))
    with pytest.raises(ArgumentError, match="the bars 's' are 1"):
        Bars("t", Axis("x"), ("a", "b"), (("s", (Number(1.0, BY),)),))


def test_axes_have_titles():
    assert Axis("time", "s").title == "time [s]"
    assert Axis("factor").title == "factor"
