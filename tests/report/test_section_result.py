"""What a folded section says: its figures or its first words, and how many warnings it has."""

from __future__ import annotations

from torquec.report.blocks import DataTable, Equation, Facts, Items, Section, Subheading, Tone, fact, paragraph
from torquec.report.provenance import Number, Statement, computed
from torquec.report.section_result import section_result

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
