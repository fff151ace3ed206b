"""The laws that `torquec design --for-guarantee` compared: best poles and proven bounds; as text and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.report.blocks import Block, Cell, DataTable
from torquec.report.provenance import Number, computed
from torquec.report.stored_values import StoredValue
from torquec.report.tables import MILLI, table, upper_bound


def for_guarantee_text(found: Mapping[str, Any]) -> str:
    """The laws that `design --for-guarantee` compared, with their best poles and proven bounds."""
    rows = []
    for law in found["laws"]:
        poles = f"{max(law['poles']):.4g} to {min(law['poles']):.4g}"
        rows.append([law["law"], law["evaluation"], poles, upper_bound(law["bound"], 4)])
    header = ["law", "model at", "poles [1/s]", "largest position bound"]
    return f"{found['law']} has the smallest proven bound of {found['tried']} guarantees\n" + table(
        header, rows, left=4
    )


def compared_laws(values: StoredValue) -> list[Block]:
    """The laws that `design --for-guarantee` compared, with their best poles and proven bounds."""
    found = values.get("for_guarantee")
    if found is None:
        return []
    by = computed("the guarantees that the design compared; a bound is of the best poles of each law")
    rows: list[tuple[Cell, ...]] = []
    for law in found["laws"]:
        poles, bound = law["poles"].numbers, law.get("bound")
        most: Cell = "none" if bound is None else Number(MILLI * bound.number, by, "mrad, mm", at_most=True)
        ends = (Number(pole, by) for pole in (max(poles), min(poles)))
        rows.append((law["law"].text, f"{law['evaluation'].text} state", *ends, most))
    head = ("law", "model at", "slowest pole [1/s]", "fastest pole [1/s]", "position error at most")
    caption = f"Laws compared: {found['law'].text} has the smallest bound of {found['tried'].number:g} guarantees"
    return [DataTable(head, tuple(rows), caption)]
