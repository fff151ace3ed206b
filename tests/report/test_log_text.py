"""What `check-log` says of a log: its size, every finding in order, and one verdict."""

from __future__ import annotations

import pytest

from torquec.report.log_text import log_text

LOG = {"file": "run.csv", "samples": 1200, "duration": 11.99, "rate": 100.0, "usable": True, "clean": True}


@pytest.mark.parametrize(
    ("usable", "clean", "verdict"),
    [
        (True, True, "no problem found"),
        (True, False, "usable, but look at the warnings"),
        (False, False, "this log cannot serve before its errors are mended"),
    ],
)
def test_the_verdict_stands_last(usable, clean, verdict):
    text = log_text({**LOG, "usable": usable, "clean": clean}, ["first finding", "second finding"])
    assert text.splitlines() == [
        "run.csv: 1200 samples, 12 s at 100 Hz",
        "  first finding",
        "  second finding",
        f"  {verdict}",
    ]
