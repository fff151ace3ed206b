"""The report of an identification: complete, self-contained, and safe with any name."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.identification.elimination import log_elimination
from torquec.identification.payload import identify_payload
from torquec.identification.result.comparison import combinations, compare_estimate
from torquec.identification.result.prediction import predict
from torquec.model.model import compile
from torquec.report.identification_report import identification_report
from torquec.robot import attach_payload

pytest.importorskip("matplotlib")


class Outline(HTMLParser):
    """Tags that were opened and closed, and what the page asks for."""

    def __init__(self):
        super().__init__()
        self.open, self.sources, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "img"):
            self.open.append(tag)
        self.sources += [value for key, value in attrs if key in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def outline(page):
    found = Outline()
    found.feed(page)
    found.close()
    assert not found.open
    return found


def test_everything_is_in_one_page():
    estimate, log = simulated_arm.estimate(), simulated_arm.log()
    heavy = attach_payload(simulated_arm.arm(), "hand", mass=1.0, center=(0.1, 0.0, 0.0))
    loaded = dataclasses.replace(log, tau=np.asarray(compile(heavy).total_torque(log.q, log.qd, np.zeros_like(log.q))))
    page = identification_report(
        estimate,
        [predict(estimate, log)],
        elimination=log_elimination(estimate, [log])[0],
        payload=identify_payload(estimate, loaded, frame="hand"),
        comparison=compare_estimate(estimate, [log], combinations(estimate.model, [("mx_link2", 0.5, 0.01)])),
    )
    found = outline(page)
    assert len(found.sources) == 1
    assert found.sources[0].startswith("data:image/png;base64,")
    words = " ".join(found.text)
    assert str(estimate.verdict) in words
    for heading in (
        "Parameters",
        "How well the torques",
        "Significant parameters",
        "Payload",
        "Compared with published",
    ):
        assert heading in words
    assert all(parameter.name in words for parameter in estimate.parameters)


def test_names_are_text_and_nothing_else():
    estimate = simulated_arm.estimate()
    robot = dataclasses.replace(estimate.model.robot, name="<script>alert(1)</script>")
    odd = dataclasses.replace(estimate, model=dataclasses.replace(estimate.model, robot=robot), notes=("<b>&",))
    page = identification_report(odd, [])
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;" in page
