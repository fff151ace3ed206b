"""The laws that a design for the guarantee compared, as text and as a table."""

from __future__ import annotations

from torquec.report.blocks import DataTable
from torquec.report.guarantee_design import compared_laws, for_guarantee_text
from torquec.report.provenance import Number
from torquec.report.stored_values import StoredValue

LAWS = [
    {"law": "computed-torque", "evaluation": "measured", "poles": [-40.0, -60.0], "bound": 1.23451e-3, "reason": ""},
    {"law": "robust-computed-torque", "evaluation": "measured", "poles": [-20.0], "bound": None, "reason": "chatter"},
]
FOUND = {"law": "computed-torque", "laws": LAWS, "tried": 7}


def test_without_such_a_design_there_is_no_table():
    assert not compared_laws(StoredValue({"controller": "pd"}, "design.json"))


def test_each_law_has_its_poles_and_its_bound_rounded_up():
    [table] = compared_laws(StoredValue({"for_guarantee": FOUND}, "design.json"))
    assert isinstance(table, DataTable)
    first, second = table.rows
    assert first[:2] == ("computed-torque", "measured state")
    numbers = [cell for cell in first if isinstance(cell, Number)]
    assert [cell.value for cell in numbers] == [-40.0, -60.0, 1.23451]
    assert numbers[-1].at_most
    assert second[-1] == "none"
    assert table.caption.startswith("Laws compared: computed-torque has the smallest bound")


def test_the_text_rounds_bounds_up():
    text = for_guarantee_text(FOUND | {"laws": LAWS[:1]})
    assert "computed-torque has the smallest proven bound of 7 guarantees" in text
    assert "0.001235" in text
