"""Figures become files, whole or not at all."""

from __future__ import annotations

import sys

import pytest

from torquec.errors import ArgumentError, MissingExtraError
from torquec.report.figure import new_figure, save_figure

matplotlib = pytest.importorskip("matplotlib")


def test_the_suffix_chooses_the_format(tmp_path):
    figure = new_figure(2.0, 1.0)
    figure.add_subplot().plot([0, 1], [1, 0])
    assert save_figure(figure, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in save_figure(figure, tmp_path / "a.svg").read_bytes()


@pytest.mark.parametrize("name", ["a.nonsense", "no/such/folder/a.png"])
def test_what_cannot_be_written_leaves_nothing(tmp_path, name):
    with pytest.raises(ArgumentError, match=r"cannot draw there|cannot be written"):
        save_figure(new_figure(1.0, 1.0), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match="plot"):
        new_figure(1.0, 1.0)
