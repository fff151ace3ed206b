"""The page of evidence: its commands, files and commits exist, and every section says when it was run."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
SECTIONS = {part.splitlines()[0]: part for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]}
COMMANDS = [
    (title, line.strip()) for title, part in SECTIONS.items() for line in re.findall(r"^    (.+)$", part, re.MULTILINE)
]
ANCHORED = re.compile(r"\| \[([^\]]+)\]\(#([a-z-]+)\)")


@pytest.mark.parametrize("title", SECTIONS)
def test_every_section_says_how_when_and_on_what(title):
    part = SECTIONS[title]
    assert any(found == title for found, _ in COMMANDS), "no command"
    assert re.search(r"\*\*Run\*\* .*\b20\d\d-\d\d-\d\d\b", part), "no date"
    assert re.search(r"commit `[0-9a-f]{7,40}`|before 20\d\d-\d\d-\d\d", part), "no commit"


@pytest.mark.parametrize(("title", "command"), COMMANDS, ids=[command[:60] for _, command in COMMANDS])
def test_every_command_exists(title, command):
    words = command.split()
    if words[0] == "./run":
        assert words[1] == "test"
        assert shutil.which(str(ROOT / "run"))
    elif words[:2] == ["python", "-m"]:
        assert words[2] == "bandit" or importlib.util.find_spec(words[2]) is not None
    else:
        assert words[0] == "torquec"
    for word in words:
        if word.startswith("tests/"):
            assert (ROOT / word).exists(), word
        if "-m slow" in command and word.startswith("tests/") and word.endswith(".py"):
            assert "slow" in (ROOT / word).read_text(encoding="utf-8"), f"{word} has no slow test"
        if re.fullmatch(r"[a-z]+/[\w/]+\.py", word) and not word.startswith("tests/"):
            assert (ROOT / "src" / "torquec" / word).exists(), word


def test_the_table_leads_to_every_section():
    rows = dict(ANCHORED.findall(PAGE))
    anchors = {title: re.sub(r"[^a-z -]", "", title.lower()).replace(" ", "-") for title in SECTIONS}
    assert list(rows.values()) == list(anchors.values())


def test_files_that_are_named_exist():
    for name in re.findall(r"`((?:tests|docs|examples)/[\w/]+\.\w+)`", PAGE):
        assert (ROOT / name).exists(), name


def test_commits_exist():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no history here")
    shallow = subprocess.run(
        ["git", "rev-parse", "--is-shallow-repository"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if shallow.stdout.strip() != "false":
        pytest.skip("the history here is cut")
    commits = sorted(set(re.findall(r"commit `([0-9a-f]{7,40})`", PAGE)))
    assert len(commits) > 5
    for commit in commits:
        kind = subprocess.run(["git", "cat-file", "-t", commit], cwd=ROOT, capture_output=True, text=True, check=False)
        assert kind.stdout.strip() == "commit", commit
