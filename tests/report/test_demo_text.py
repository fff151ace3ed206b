"""The page of `demo`: its numbers are the document's, its C is the package's, its advice names real commands."""

from __future__ import annotations

import re

import pytest

from torquec.cli.app import COMMANDS
from torquec.report.demo_text import demo_text
from torquec.robot import classics

LINES = [f"    const double x{k} = {k}.0;" for k in range(40)]
SOURCE = "\n".join(["#include <math.h>", "", "void arm_torque(const double q[2])", "{", *LINES, "}", "", "int other;"])


@pytest.fixture
def page(tmp_path):
    robot = classics.planar2r()
    (tmp_path / "selftest.c").write_text("int main(void)\n{\n}\n")
    (tmp_path / "arm.c").write_text(SOURCE)
    document = {
        **{key: [0.1, 0.2] for key in ("q", "qd", "qdd")},
        "tau": [1.23456789012, 2.0],
        "published": [1.23456789, 2.0],
        "difference": 1.2e-10,
        "functions": {"inverse_dynamics": {"mul": 7, "add": 5, "sincos": 2, "call_ns": 210.4, "state_ns": 4.56}},
    }
    return demo_text(robot, document, [tmp_path / "selftest.c", tmp_path / "arm.c"])


def test_torques_with_the_digits_that_were_published(page):
    rows = [line.split() for line in page.splitlines()]
    assert ["joint1", "0.1", "0.1", "0.1", "1.2345678901", "1.2345678900"] in rows
    assert "largest difference: 1e-10 Nm" in page
    assert ["inverse_dynamics", "7", "5", "2", "210", "4.6"] in rows


def test_the_c_code_is_cut_in_the_middle_and_says_how_much(page):
    assert "void arm_torque" in page
    assert "int main" not in page
    assert "int other" not in page
    shown = [line for line in page.splitlines() if "const double x" in line]
    cut = int(re.search(r"(\d+) more lines", page)[1])
    assert len(shown) + cut == len(LINES)
    assert shown[-1].strip() == LINES[-1].strip()


def test_the_commands_that_it_suggests_exist(page):
    suggested = set(re.findall(r"^  torquec ([\w-]+) ", page, flags=re.MULTILINE))
    assert len(suggested) == 4
    assert suggested <= {command.name for command in COMMANDS}
