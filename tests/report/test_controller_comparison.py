"""Control laws side by side: text, findings, picture, and the section of a report."""

from __future__ import annotations

import json

from tests.report.result_folders import command

LAWS = (
    "compare",
    "puma560",
    "--duration",
    "1",
    "--to",
    "0.2,0.2,0.2,0.2,0.2,0.2",
    "--controllers",
    "pd,computed-torque",
)


def test_text_picture_and_page(tmp_path):
    shown = command(*LAWS, "--poles=-3", "--plot", tmp_path, "-o", tmp_path / "page")
    assert "pd: gains from inertias at the start and the poles: position " in shown
    assert "pd: stuck: " in shown
    assert "add an integral (pid)" in shown
    assert "computed-torque: " not in shown
    assert "stands for 0.1 s with an error above 1 mrad" in shown
    assert "computed-torque" in (tmp_path / "tracking_errors.svg").read_text()
    document = json.loads((tmp_path / "page" / "comparison.json").read_text())
    assert set(document["curves"]["error"]["joint1"]) == {"t", "pd", "computed-torque"}
    page = (tmp_path / "page" / "report.html").read_text()
    for text in ("Control laws side by side", "stuck: ", "Tracking errors of all laws"):
        assert text in page


def test_a_coarse_encoder_chatters():
    found = json.loads(command(*LAWS, "--resolution", "1e-3", "--json"))
    assert found["poles_given"] is False
    assert found["controllers"]["pd"]["gains"]["position"][0] > 500.0
    law = found["controllers"]["computed-torque"]
    assert min(law["chatter"].values()) > 50.0
    assert law["findings"][0].startswith("chatter: joint1 (")
