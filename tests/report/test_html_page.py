"""The page of a report: every block escaped and well formed, tags that lead to their sources."""

from __future__ import annotations

import base64
import hashlib
import re

from tests.report.result_folders import check_page, visible_text

from torquec.report.blocks import (
    Axis,
    Bars,
    CommandLine,
    DataTable,
    Equation,
    Facts,
    Gallery,
    Items,
    ListedFile,
    LiveView,
    Picture,
    Plot,
    Report,
    Section,
    Series,
    Subheading,
    Tone,
    fact,
    paragraph,
)
from torquec.report.html_page import report_html, section_result
from torquec.report.provenance import Number, Statement, assumed, computed, measured, proved

BAD = "<b>\"'&"
PLOT = Plot(BAD, Axis(BAD), Axis(BAD), (Series(BAD, (0.0, 1.0), (1.0, 2.0), measured(BAD)),))
NUMBER = Number(1.5, proved(BAD), "kg")
BLOCKS = (
    paragraph(BAD, NUMBER),
    paragraph(BAD, tone=Tone.WARNING),
    Subheading(BAD),
    Items((Statement(BAD, measured(BAD)),)),
    CommandLine(BAD, BAD),
    Facts((fact(BAD, NUMBER, Number(2, proved(BAD))),)),
    DataTable((BAD, "n"), ((BAD, NUMBER), (None, Number(2.0, assumed(BAD)))), BAD),
    DataTable(("a",), ((BAD,),), BAD, folded=True),
    Equation("<math><mn>1</mn></math>", "1", computed(BAD), BAD),
    PLOT,
    Gallery((PLOT, PLOT), BAD),
    Bars(BAD, Axis(BAD), (BAD,), ((BAD, (NUMBER,)),)),
    Picture("<svg></svg>", BAD, computed(BAD)),
)


def page(*blocks, problems=()):
    files = (ListedFile(BAD, BAD, "0" * 64),)
    return report_html(Report(BAD, (Section("s", BAD, blocks),), (fact(BAD, NUMBER),), problems, files, "1.0"))


def test_every_block_is_escaped_and_well_formed():
    text = page(*BLOCKS, problems=(BAD,))
    check_page(text)
    assert '<b>"' not in text
    assert visible_text(text).count(BAD) > 20


def test_tags_lead_to_sources_in_the_order_of_their_use():
    text = page(*BLOCKS)
    sources = re.findall(r'<li id="source-(\d+)"><span class="tag (\w+)">', text)
    assert [int(number) for number, _ in sources] == list(range(1, len(sources) + 1))
    assert {how for _, how in sources} == {"proved", "measured", "computed", "assumed"}


def test_columns_with_one_way_have_one_tag_and_others_one_for_each_number():
    alike = DataTable(("n",), ((NUMBER,), (NUMBER,)))
    mixed = DataTable(("n",), ((NUMBER,), (Number(2.0, assumed("x")),)))
    assert page(alike).count('class="tag proved" href') == page().count('class="tag proved" href') + 1
    assert 'data-value="2.0">2<a class="tag assumed"' in page(mixed)


def test_the_policy_names_style_and_script_by_their_hashes():
    text = page(*BLOCKS)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    for tag in ("style", "script"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "wasm" not in policy


def test_a_live_view_is_in_a_sandbox_and_its_scripts_in_the_policy():
    inner = "<!DOCTYPE html><title>x</title><script>let a = \"<\" + '1';</script>"
    text = page(LiveView(inner, BAD, BLOCKS[-1]))
    check_page(text)
    digest = base64.b64encode(hashlib.sha256(b"let a = \"<\" + '1';").digest()).decode()
    assert f"'sha256-{digest}' 'wasm-unsafe-eval'" in text
    assert 'sandbox="allow-scripts"' in text


BY = computed("x")
FIGURE = fact("largest error", Number(1.5, BY, "mrad"))


def result(*blocks, highlights=()):
    return section_result(Section("s", "S", blocks, highlights))


def test_figures_come_first():
    assert result(paragraph("words"), highlights=(FIGURE,)) == "largest error: 1.5 mrad"


def test_without_figures_the_first_words_and_warnings_before_others():
    assert result(Subheading("h"), paragraph("words ", Number(2, BY))) == "words 2"
    warned = result(paragraph("words"), paragraph("it is late", tone=Tone.BAD), paragraph("and odd", tone=Tone.WARNING))
    assert warned == "2 warnings. it is late"
    assert result(Facts((FIGURE,))) == "largest error: 1.5 mrad"
    assert result(Items((Statement("said", BY),))) == "said"
    assert result(Subheading("h")) == ""
    equation = Equation("<math></math>", "1", BY)
    assert result(equation, equation, DataTable(("a",), ())) == "2 equations, 1 table"


def test_figures_do_not_hide_warnings():
    assert result(paragraph("late", tone=Tone.BAD), highlights=(FIGURE,)) == "1 warning. largest error: 1.5 mrad"


def test_long_words_are_cut_between_words():
    found = result(paragraph("word " * 100))
    assert len(found) <= 152
    assert found.endswith("word \N{HORIZONTAL ELLIPSIS}")
