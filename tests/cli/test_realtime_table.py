"""`torquec realtime table`: the document and the text."""

import pytest

from torquec.papers import cycle_table


def test_the_table(torquec, monkeypatch):
    monkeypatch.setattr(cycle_table, "_instructions", lambda *_: ({}, ("gcc or valgrind",)))
    shown = torquec("realtime", "table", "scara")
    assert shown.status == 0
    assert "MISSING, so that instructions are not counted: gcc or valgrind" in shown.out
    assert "inverse dynamics" in shown.out


@pytest.mark.slow
def test_the_document_with_instructions(torquec):
    document = torquec("realtime", "table", "scara", "--json").document
    row = next(row for row in document["rows"] if row["task"] == "inverse dynamics")
    assert row["printed_seconds"] == 0.244e-3
    if not document["without"]:
        assert 50 < row["fewest_instructions"] <= row["instructions"] < 2000
