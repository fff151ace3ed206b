"""Templates: every word is filled once, in one pass, and a word without a value is an error."""

from __future__ import annotations

import pytest

from torquec.foundation import template
from torquec.foundation.template import filled_template, package_text


def test_words_are_filled_in_one_pass(monkeypatch):
    monkeypatch.setattr(template, "package_text", lambda room, file: "@A@ is not @B@, x@example @a@")
    assert filled_template("room", "file", A="@B@", B=2) == "@B@ is not 2, x@example @a@"


def test_a_word_without_a_value_is_an_error(monkeypatch):
    monkeypatch.setattr(template, "package_text", lambda room, file: "@MISSING@")
    with pytest.raises(KeyError, match="MISSING"):
        filled_template("room", "file", OTHER=1)


def test_files_come_with_the_package():
    assert "TORQUEC_TRIPLE_BUFFER" in package_text("realtime/c", "triple_buffer.h").upper()
