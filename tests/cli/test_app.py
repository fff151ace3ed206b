"""The command as a whole: help, examples as printed, exit status, streams."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys

import pytest
from tests.patience import HANGS

import torquec as package
from torquec.cli.app import COMMANDS as ALL_COMMANDS
from torquec.cli.app import GROUPS, HEADINGS
from torquec.page.build_bundle import COMMAND, is_up_to_date

COMMANDS = (
    "info",
    "eval",
    "ik",
    "time",
    "equations",
    "params",
    "linearize",
    "design",
    "payload",
    "generate",
    "view",
    "check-log",
    "excite",
    "identify",
    "papers",
    "bench",
    "demo",
    "new",
    "run",
    "selftest",
)


def test_no_command_shows_the_help(torquec):
    shown = torquec()
    assert all(command in shown.out + shown.err for command in COMMANDS)


def test_the_list_of_commands_has_headings_and_whole_summaries(torquec):
    shown = torquec("--help").out
    listed = shown[shown.index("Start:") :]
    assert re.findall(r"^(\S.*):$", listed, re.MULTILINE) == list(HEADINGS)
    names = [command.name for command in ALL_COMMANDS] + list(GROUPS)
    assert sorted(re.findall(r"^  ([a-z]\S*)  ", listed, re.MULTILINE)) == sorted(names)
    assert "..." not in listed


def test_version(torquec):
    assert torquec("--version").out == f"torquec {package.__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_of_the_help_runs_as_printed(torquec, command, tmp_path, monkeypatch):
    if command in ("demo", "run"):
        pytest.skip("a whole run: tests/cli/test_demo.py, tests/cli/test_run.py")
    if command == "view" and not is_up_to_date():
        pytest.skip(f"the script of the pages was not made: {COMMAND}")
    monkeypatch.chdir(tmp_path)
    shown = torquec(command, "--help")
    assert shown.status == 0
    example = re.search(r"Example:\s+(torquec .*(?:\n .*)*)", shown.out)
    words = shlex.split(example[1].replace("\n", " "))
    assert words[:2] == ["torquec", command]
    assert torquec(*words[1:]).status == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_json(torquec, command):
    assert "--json" in torquec(command, "--help").out


def test_as_a_process_stdout_is_one_document():
    command = [sys.executable, "-m", "torquec", "info", "puma560", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert result.returncode == 0
    assert json.loads(result.stdout)["dof"] == 6
    assert result.stderr == ""


def test_as_a_process_bad_input_is_a_message_without_traceback(tmp_path):
    command = [sys.executable, "-m", "torquec", "info", str(tmp_path / "gone.urdf"), "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "gone.urdf" in result.stderr
    assert "remedy:" in result.stderr
    assert "Traceback" not in result.stderr


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom torquec.cli.app import app\n"
        "print([m for m in ('numpy', 'llvmlite', 'scipy', 'mujoco', 'casadi', 'pinocchio') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=HANGS, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info"], "ROBOT"),
        (["info", "puma560", "--loud"], "--loud"),
        (["dance", "puma560"], "dance"),
        (["info", "puma561"], "neither a file nor a classic"),
        (["info", "{tmp}"], "directory"),
        (["info", "{tmp}/gone.urdf"], "gone.urdf"),
        (["info", "{arm}", "--gravity", "0,0"], "--gravity has 2 values"),
        (["eval", "{arm}", "--q", "1"], "--q has 1 value,"),
        (["eval", "{arm}", "--q", "1,x"], "'x' is not a finite number"),
        (["eval", "{arm}", "--qd", "nan,0"], "'nan' is not a finite number"),
        (["eval", "{arm}", "--tau", "1,2,3"], "--tau has 3 values"),
        (["generate", "{arm}"], "--output"),
        (["generate", "{arm}", "-o", "{tmp}/out", "--target", "cobol"], "cobol"),
        (["generate", "{arm}", "-o", "{tmp}/out", "--quantity", "colour"], "there is no quantity 'colour'"),
        (["generate", "{arm}", "-o", "{tmp}/out", "--quantity", "frame_pose:hand"], "no frame 'hand'"),
        (["generate", "{tmp}/gone.json", "-o", "{tmp}/out"], "gone.json"),
        (["generate", "{tmp}/gone.json", "-o", "{tmp}/out", "--gravity", "0,0,0"], "are for robot files"),
        (["generate", "{arm}", "-o", "{arm}"], "arm.urdf"),
        (["bench", "{arm}", "--rounds", "0"], "--rounds"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["text", "json"])
def test_bad_input(torquec, arm, tmp_path, arguments, message, extra):
    before = sorted(tmp_path.rglob("*")), arm.read_text()
    outcome = torquec(*(word.format(tmp=tmp_path, arm=arm) for word in arguments), *extra)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.out == ""
    assert (sorted(tmp_path.rglob("*")), arm.read_text()) == before
