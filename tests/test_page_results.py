"""Printed results: what agrees, what does not, what is written again, and that every row has its sentence."""

from __future__ import annotations

import re

import pytest
from tests import page_results
from tests.page_blocks import blocks, run_page
from tests.page_figures import CLAIMS, FIGURES, Figure
from tests.page_output import agree, difference, renewed
from tests.page_results import found_numbers, page_file, wrong_figure

PRINTED = "simplify  12.3 s  76 mul, 58 add -> 32 mul, 21 add, proven\nverdict    0.0 s  error 0.0012 rad\n"


@pytest.mark.parametrize(
    ("page", "is_same"),
    [
        (PRINTED, True),
        ("  simplify   ... s  76 mul, 58 add -> 32 mul, 21 add, proven\n  verdict  ... s  error 0.0012 rad\n", True),
        ("...\nverdict    0.0 s  error 0.0012 rad\n", True),
        ("simplify  ...\n...\n", True),
        ("simplify  ... s  83 mul, 71 add -> 43 mul, 29 add, proven\n...\n", False),
        ("simplify  ... s  76 mul, 58 add -> 32 mul, 21 add, proven\n", False),
        ("...\nverdict    ... s  no error is proven\n", False),
        ("...\nverdict    ... s  error 0.0013 rad\n", True),
        ("...\nverdict    ... s  error 0.0014 rad\n", False),
        ("", False),
    ],
)
def test_a_block_is_compared_line_by_line(page, is_same):
    assert (difference(page, PRINTED) == "") == is_same


def test_numbers_agree_within_the_stated_tolerance():
    assert agree("43", "43")
    assert not agree("43", "44")
    assert agree("43", "44", within=0.05)
    assert agree("0.36", "0.3563019395164476")
    assert agree("-1.5e-3", "-0.00152")
    assert not agree("1.5e-3", "1.7e-3")
    assert agree("100.00", "100.09")
    assert not agree("100.00", "100.2")
    assert agree("−16.1", "-16.0888")
    assert agree("47,088", "47088")


def test_an_output_is_written_again_with_its_wildcards():
    page = "simplify  ... s  83 mul, 71 add -> 43 mul, 29 add, proven\n...\n"
    assert renewed(page, PRINTED) == "simplify  ... s  76 mul, 58 add -> 32 mul, 21 add, proven\n...\n"
    assert renewed("", PRINTED) == PRINTED
    assert renewed("verdict  ... s  error 0.0020 rad\n", PRINTED) == PRINTED.replace("    0.0 s", "    ... s")
    with pytest.raises(ValueError, match="by hand"):
        renewed("another line\n...\nand another\n", PRINTED)


def test_a_wrong_output_on_a_page_is_noticed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = "```python\nprint(6 * 7)\n```\n\nSo it is.\n\n```output\n{}\n```\n"
    assert run_page(page.format(42), tmp_path) == 2
    (tmp_path / "examples").unlink()
    with pytest.raises(AssertionError, match=r"line 7(?s:.*)41(?s:.*)42(?s:.*)tests.page_results"):
        run_page(page.format(41), tmp_path)


def test_a_reason_counts_for_the_block_right_below_it():
    """A later comment, such as a tolerance, made a reason of everything in between: its blocks were never compared."""
    page = "<!-- not run: no network -->\n```shell\nx\n```\n\n<!-- numbers within 5 % -->\n```output\n1\n```\n"
    first, second = blocks(page)
    assert (first.reason, second.reason, second.within) == ("no network", "", 0.05)


def test_an_output_does_not_belong_to_a_block_that_is_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = "```python\nprint(1)\n```\n<!-- not run: no -->\n```python\nprint(2)\n```\n```output\n1\n```\n"
    with pytest.raises(AssertionError, match="the page has"):
        run_page(page, tmp_path)


def test_the_command_compares_and_updates(tmp_path, monkeypatch, capsys):
    path = tmp_path / "page.md"
    path.write_text("```python\nprint(6 * 7)\nprint(0.5)\n```\n\n```output\n41\n...\n```\n\nEnd.\n", encoding="utf-8")
    monkeypatch.setattr(page_results, "page_file", lambda _: path)
    assert page_results.main(["page"]) == 1
    assert "41" in path.read_text(encoding="utf-8")
    assert page_results.main(["--update", "page"]) == 1
    assert path.read_text(encoding="utf-8").endswith("```output\n42\n...\n```\n\nEnd.\n")
    assert "line 6" in capsys.readouterr().out
    assert page_results.main(["page"]) == 0


def test_a_wrong_figure_is_named(tmp_path):
    figure = Figure("page", "takes {} multiplications... {} s", lambda _: [42, 1.5])
    assert wrong_figure(figure, "It takes 42\nmultiplications, and 1.5 s.", tmp_path) == ""
    assert "but it is 42, 1.5" in wrong_figure(figure, "It takes 43 multiplications, and 1.5 s.", tmp_path)
    with pytest.raises(AssertionError, match="0 times"):
        wrong_figure(figure, "It takes forty-two multiplications.", tmp_path)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda row: f"{row.page}: {row.sentence}")
def test_every_row_has_its_sentence(figure):
    found_numbers(figure, page_file(figure.page).read_text(encoding="utf-8"))


def test_the_readme_has_the_simplified_counts_of_the_page_that_says_how_they_were_found():
    readme, page = (page_file(name).read_text(encoding="utf-8") for name in ("README", "simplification"))
    rows = re.findall(r"^\| [^|]+ \| (\d+/\d+) \| (\d+/\d+) \|", readme, re.MULTILINE)
    measured = dict(re.findall(r"^\| [^|]+ \| (\d+/\d+) \| ([^|]+) \|", page, re.MULTILINE))
    assert len(rows) == 7
    for exact, simplified in rows:
        assert simplified in re.findall(r"\d+/\d+", measured[exact])


def test_claims_are_about_pages():
    assert all(page_file(claim.page).exists() for claim in CLAIMS)


ALONE = [
    pytest.param(row, marks=[pytest.mark.slow] if row.needs == "slow" else [], id=f"{row.page}: {row.sentence}")
    for row in FIGURES
    if row.needs != "run"
]


@pytest.mark.parametrize("figure", ALONE)
def test_figures_are_what_the_library_gives(figure, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = wrong_figure(figure, page_file(figure.page).read_text(encoding="utf-8"), tmp_path)
    assert not wrong, wrong
