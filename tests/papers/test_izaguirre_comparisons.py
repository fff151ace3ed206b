"""Numbers of Izaguirre et al. beside ours: fewer operations, the same parameters."""

from __future__ import annotations

import pytest
from tests.papers.comparison_rows import rows_of

MOST = {"inertias and gravity": (69, 55), "velocity torques": (97, 63)}
MOST_WITH_A_LOAD = {"inertias and gravity": (137, 125), "velocity torques": (152, 113)}
"""What they are now; fewer is better."""


def test_counts():
    rows = rows_of("izaguirre-counts")
    for prefix, limits in (("", MOST), ("with a load at run time: ", MOST_WITH_A_LOAD)):
        for task, (mul, add) in limits.items():
            assert rows[f"{prefix}{task}: multiplications"].ours <= mul
            assert rows[f"{prefix}{task}: additions"].ours <= add
    assert rows["synchronous, six joints: multiplications"].difference == 0.0


@pytest.mark.slow
def test_elimination():
    rows = rows_of("izaguirre-elimination")
    counts = ("parameters", "independent parameters", "significant parameters", "of them in Table 2")
    assert [rows[name].difference for name in counts] == [0.0] * 4
    assert 30.0 < rows["condition number falls by"].ours < 60.0
    assert "erratum" in rows["gravity coefficient c13 [N m]"].note
    assert abs(rows["gravity coefficient c13 [N m]"].difference) > 0.5
    assert abs(rows["gravity coefficient c12 [N m]"].difference) < 1e-5
    table_2 = [row for quantity, row in rows.items() if "average of the runs" in quantity]
    assert len(table_2) == 23
    assert sum(abs(row.difference) < 0.05 for row in table_2) >= 18
