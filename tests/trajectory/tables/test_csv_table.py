"""CSV in its many forms, in blocks; what is wrong is told with its line."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory.log import Pathology
from torquec.trajectory.tables import csv_table
from torquec.trajectory.tables.csv_table import CsvTable

ASSUMED = {3: ("t", "q1", "tau1")}
ROWS = [[0.0, 1.5, -2.25e-3], [0.1, 2.5, 3.0], [0.2, 3.5, 4.0]]


@pytest.fixture(params=["pyarrow", "numpy"])
def parser(request, monkeypatch):
    """Both ways of reading numbers."""
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow")
    else:
        monkeypatch.setattr(CsvTable, "_arrow", None)


def read(tmp_path, text, name="log.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    table = CsvTable(path, ASSUMED)
    found = list(table.findings)
    return table, np.concatenate(list(table.blocks(found))), found


def text_of(rows, comma=",", end="\n"):
    return end.join(comma.join(map(str, row)) for row in rows) + end


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text",
    [
        "t,q1,tau1\n" + text_of(ROWS),
        "t;q1;tau1\n" + text_of(ROWS, ";"),
        "t\tq1\ttau1\n" + text_of(ROWS, "\t"),
        "t q1 tau1\n" + text_of(ROWS, " "),
        "t, q1, tau1\r\n" + text_of(ROWS, ", ", "\r\n"),
        "\ufefft,q1,tau1\n" + text_of(ROWS),
        '"t","q1","tau1"\n' + text_of(ROWS),
        "# t,q1,tau1\n" + text_of(ROWS),
        "% recorded on a Monday\n\n% more of it\nt,q1,tau1\n" + text_of(ROWS),
        "t;q1;tau1\n" + text_of(ROWS, ";").replace(".", ","),
        "t,q1,tau1\n" + text_of(ROWS).rstrip("\n"),
    ],
)
def test_forms_of_one_table(tmp_path, text):
    table, values, found = read(tmp_path, text)
    assert table.names == ("t", "q1", "tau1")
    assert np.array_equal(values, ROWS)
    assert found == []
    line = text.split("\n")[table.first_line - 1]
    assert line.replace(",", ".").split("e")[0].startswith("0.0")


@pytest.mark.usefixtures("parser")
def test_numbers_are_the_nearest_doubles(tmp_path):
    values = np.random.default_rng(0).normal(size=(500, 3)) * 10.0 ** np.arange(-8, 10, 7)
    _, read_back, _ = read(tmp_path, "t,q1,tau1\n" + text_of(values.tolist()))
    assert np.array_equal(read_back, values)


@pytest.mark.usefixtures("parser")
def test_missing_values_are_nan(tmp_path):
    _, values, _ = read(tmp_path, "t,q1,tau1\n0,,1\n1,nan,2\n2,3,\n,4,inf\n4,5,NA\n\n5,6,7\n")
    missing = [[0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0]]
    assert np.isnan(values).astype(int).tolist() == missing


@pytest.mark.usefixtures("parser")
def test_blocks_are_the_whole(tmp_path, monkeypatch):
    values = np.random.default_rng(1).normal(size=(300, 3))
    text = "t,q1,tau1\n" + text_of(values.tolist())
    monkeypatch.setattr(csv_table, "_BLOCK", 1000)
    table, read_back, _ = read(tmp_path, text)
    assert len(list(table.blocks([]))) > 10
    assert np.array_equal(read_back, values)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("end", ["0.3,4.", "0.3", "0.3,4.5,-", "0.300000,4.500000,5.00"])
def test_a_cut_last_line_is_left_out_and_told(tmp_path, end):
    rows = [[f"{value:.6f}" for value in row] for row in ROWS]
    _, values, found = read(tmp_path, "t,q1,tau1\n" + text_of(rows) + end)
    assert len(values) == 3
    assert [finding.kind for finding in found] == [Pathology.CUT_LINE]
    assert found[0].lines == (5, 5)


def test_a_last_line_that_is_cut_but_ends_is_left_out_as_well(tmp_path):
    _, values, found = read(tmp_path, "t,q1,tau1\n" + text_of(ROWS) + "0.3,4.\n")
    assert len(values) == 3
    assert found[0].kind is Pathology.CUT_LINE


def test_a_whole_last_line_without_a_line_feed_is_no_finding(tmp_path):
    _, values, found = read(tmp_path, "t,q1,tau1\n0.1,1.23,4.567\n0.2,1.24,4.56\n0.3,1.2,4.5")
    assert len(values) == 3
    assert found == []


def test_a_missing_header_is_assumed_and_told(tmp_path):
    table, values, found = read(tmp_path, text_of(ROWS))
    assert table.names == ("t", "q1", "tau1")
    assert table.first_line == 1
    assert len(values) == 3
    assert found[0].kind is Pathology.MISSING_HEADER
    assert found[0].lines == (1, 1)


def test_blank_lines_between_a_commented_header_and_the_numbers_do_not_hide_it(tmp_path):
    table, values, found = read(tmp_path, "# a robot\n# t,q1,tau1\n\n" + text_of(ROWS))
    assert table.names == ("t", "q1", "tau1")
    assert len(values) == 3
    assert found == []


def test_columns_of_words_are_left_out_and_told(tmp_path):
    table, values, found = read(tmp_path, "t,mode,q1,tau1\n0,run,1,2\n1,run,2,3\n2,stop,3,4\n")
    assert table.names == ("t", "q1", "tau1")
    assert values[2].tolist() == [2.0, 3.0, 4.0]
    assert "mode" in found[0].text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t,q1,tau1\n0,1,2\n1,abc,3\n2,3,4\n", r"log\.csv:3.*'q1' holds 'abc'"),
        ("t,q1,tau1\n0,1,2\n1,2\n2,3,4\n", r"log\.csv:3.*2 values where there are 3 columns"),
        ("t,q1,tau1\n0,1,2\n1,2,3,4\n2,3,4\n", r"log\.csv:3.*4 values"),
        ("t,q1,tau1\n0,1,2\nt,q1,tau1\n2,3,4\n", r"log\.csv:3.*'t' holds 't'"),
        ("t,q1,q1\n0,1,2\n", r"log\.csv:1.*'q1' appears twice"),
        ("0,1\n1,2\n", r"log\.csv:1.*no header, and 2 columns"),
        ("t,q1,tau1\n", "no rows"),
        ("", "no rows"),
        (b"t,q1,tau1\n\xff\xfe,1,2\n", "cannot be read"),
    ],
)
@pytest.mark.usefixtures("parser")
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, said):
    with pytest.raises(ArgumentError, match=f"(?s){said}"):
        read(tmp_path, text)


def test_a_line_in_a_later_block_is_counted_from_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_table, "_BLOCK", 100)
    rows = [[0.1 * k, 1.0, 2.0] for k in range(200)]
    rows[150][1] = "x"
    with pytest.raises(ArgumentError, match=r"log\.csv:152"):
        read(tmp_path, "t,q1,tau1\n" + text_of(rows))
