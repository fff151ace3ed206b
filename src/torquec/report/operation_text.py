"""Operation counts as a table."""

from __future__ import annotations

from collections.abc import Mapping

from torquec.report.tables import table

_KINDS = ("mul", "add", "div", "sincos", "other")


def operations_table(counts: Mapping[str, Mapping[str, int]]) -> str:
    """One row per function, its operations by kind.

    >>> print(operations_table({"gravity_torque": {"mul": 3, "add": 2, "div": 0, "sincos": 2, "other": 0}}))
      function        mul  add  div  sincos  other
      gravity_torque    3    2    0       2      0
    """
    return table(["function", *_KINDS], [[name, *(str(count[k]) for k in _KINDS)] for name, count in counts.items()])
