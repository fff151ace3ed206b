"""The self-test with measured torques: it compiles without a warning, runs, and notices a wrong model."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess

import pytest
from tests.identification import simulated_arm
from tests.patience import HANGS

import torquec as tq
from torquec.identification.result.measured_test import measured_test

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler here")


def built(folder, name, text):
    (folder / name).write_text(text)
    program = folder / "measured"
    sources = [str(folder / "arm.c"), str(folder / name)]
    subprocess.run(
        [COMPILER, "-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", *sources, "-lm", "-o", str(program)],
        check=True,
        capture_output=True,
        timeout=HANGS,
    )
    return subprocess.run([str(program)], capture_output=True, text=True, timeout=HANGS, check=False)


@pytest.fixture
def package(tmp_path):
    estimate = simulated_arm.estimate()
    tq.generate(estimate.robot, tmp_path, prefix="arm", quantities=["total_torque"])
    return tmp_path, *measured_test(estimate, [simulated_arm.log(), simulated_arm.log(5)], prefix="arm")


@needs_compiler
def test_it_runs_and_states_the_error(package):
    outcome = built(*package)
    assert outcome.returncode == 0, outcome.stdout
    assert "ok     arm_total_torque" in outcome.stdout
    stated = re.findall(r"joint(\d): measured - predicted (\S+) Nm rms of (\d+) states", outcome.stdout)
    assert [joint for joint, _, _ in stated] == ["1", "2"]
    for _, rms, count in stated:
        assert int(count) > 10
        assert float(rms) < 0.05  # of torques of some Nm: reversals, where friction jumps, do not count


@needs_compiler
def test_it_notices_another_model(package):
    folder, name, text = package
    wrong = re.sub(r"(predicted\[STATES\]\[JOINTS\] = \{\n    \{ )-?[0-9.]+", r"\g<1>123.0", text)
    assert wrong != text
    outcome = built(folder, name, wrong)
    assert outcome.returncode == 1
    assert "FAILED" in outcome.stdout


def test_odd_names_cannot_leave_their_strings():
    estimate = simulated_arm.estimate()
    log = dataclasses.replace(simulated_arm.log(), source='runs/evil*"??.csv')
    name, text = measured_test(estimate, [log], prefix="my arm")
    assert name == "my_arm_measured.c"
    assert "??" not in text
    assert "evil" in text
    assert text.count("*/") == 2
