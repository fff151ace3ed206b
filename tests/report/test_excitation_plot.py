"""The picture of a motion: drawn for every criterion, or missed with a clear message."""

from __future__ import annotations

import sys

import pytest

from torquec.errors import ArgumentError, MissingExtraError
from torquec.identification.excitation.excitation import excitation
from torquec.identification.excitation.excitation_options import Criterion, ExcitationOptions
from torquec.report.excitation_plot import plot_excitation
from torquec.robot import classics


@pytest.mark.parametrize("criterion", list(Criterion))
def test_a_picture_is_drawn(tmp_path, criterion):
    pytest.importorskip("matplotlib")
    robot = classics.scara()
    found = excitation(robot, options=ExcitationOptions(evaluations=20, criterion=criterion))
    target = plot_excitation(robot, found, tmp_path / "motion.png", criterion=criterion)
    assert target.read_bytes()[:4] == b"\x89PNG"


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    robot = classics.planar2r()
    found = excitation(robot, options=ExcitationOptions(evaluations=5))
    with pytest.raises(MissingExtraError, match=r"torquec\[plot\]"):
        plot_excitation(robot, found, tmp_path / "motion.png")


def test_a_file_that_cannot_be_drawn_is_not_begun(tmp_path):
    pytest.importorskip("matplotlib")
    robot = classics.planar2r()
    found = excitation(robot, options=ExcitationOptions(evaluations=5))
    with pytest.raises(ArgumentError, match="cannot draw there"):
        plot_excitation(robot, found, tmp_path / "motion.xyz")
    assert not list(tmp_path.iterdir())
