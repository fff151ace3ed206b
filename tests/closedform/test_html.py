"""The page: well formed, whole in itself, every link leads somewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tests.closedform.printed import NASTY, samples

from torquec.closedform.html import equations_html

SAMPLES = samples()
VOID = {"meta"}


class Page(HTMLParser):
    """Checks nesting; collects ids, links and text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.text, self.tags = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        assert "src" not in given
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module", params=SAMPLES)
def page(request):
    return Page(equations_html(SAMPLES[request.param]))


def test_every_link_leads_to_one_place_of_the_page(page):
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert all(link.startswith("#") for link in page.links)


def test_nothing_is_fetched_or_run(page):
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert not re.search(r"url\(|@import|https?:", "".join(page.text))


def test_names_from_files_are_text():
    odd = Page(equations_html(SAMPLES["odd, everything"]))
    assert NASTY in "".join(odd.text)
    assert "b" not in odd.tags


def test_dependence_is_a_table():
    text = equations_html(SAMPLES["puma560 after Clover"])
    row = re.search(r'<tr><th><a href="#M-2-2">.*?</tr>', text)[0]
    assert re.findall(r"<td>(.?)</td>", row) == ["", "", "●", "", "", ""]


def test_entries_read_like_the_appendix():
    text = "".join(Page(equations_html(SAMPLES["puma560 after Clover"])).text)
    assert "M12 =0.6903\N{THIN SPACE}sin(q2) \N{MINUS SIGN} 0.1341\N{THIN SPACE}cos(q2 + q3) + 0.02375" in text


def test_long_entries_are_folded():
    assert '<details class="entry"' in equations_html(SAMPLES["odd, everything"])


def test_it_follows_the_readers_choice_of_colours():
    assert "prefers-color-scheme: dark" in equations_html(SAMPLES["nothing"])
