"""Pictures of measured and predicted torques; the section is tested with the files that `identify` writes."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.result.prediction import Prediction
from torquec.report.identification import _broken, plot_prediction

pytest.importorskip("matplotlib")


@pytest.fixture
def prediction():
    t = np.linspace(0.0, 4.0, 9000)
    measured = np.column_stack([np.sin(t), np.cos(3.0 * t)])
    return Prediction("folder/run.csv", ("a", "b"), t, measured, measured + 0.1, (t > 0.5) & (t < 3.5), True)


def test_a_png_file(prediction, tmp_path):
    path = plot_prediction(prediction, tmp_path / "torques.png")
    assert path.read_bytes()[:4] == b"\x89PNG"
    assert [file.name for file in tmp_path.iterdir()] == ["torques.png"]


def test_text_of_the_picture(prediction, tmp_path):
    text = plot_prediction(prediction, tmp_path / "torques.svg").read_text()
    assert "run.csv (fitted)" in text
    assert "rms 0.1 Nm" in text
    assert "folder" not in text


def test_a_place_that_cannot_be_drawn_to(prediction, tmp_path):
    with pytest.raises(ArgumentError, match="cannot draw there"):
        plot_prediction(prediction, tmp_path / "torques.doc")
    with pytest.raises(ArgumentError, match="there is no such folder"):
        plot_prediction(prediction, tmp_path / "gone" / "torques.png")
    assert not list(tmp_path.iterdir())


def test_no_line_crosses_a_gap():
    t = np.array([0.0, 1.0, 2.0, 9.0, 10.0, 11.0])
    times, values = _broken(t, np.ones(6))
    assert times == tuple(t)
    assert np.isnan(values).tolist() == [False, False, True, False, False, False]
