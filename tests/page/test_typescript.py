"""The page's TypeScript has types that fit and no lint: both are checked with the tools that its lock file pins."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from tests.patience import HANGS

from torquec.page.build_bundle import WEB, node_and_npm


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """The sources beside the modules that they are checked with: those of a checkout, else as npm installs them."""
    commands = node_and_npm()
    if commands is None:
        pytest.skip("the page's TypeScript is not checked: there is no Node with npm")
    place = tmp_path_factory.mktemp("typescript") / "web"
    shutil.copytree(WEB, place, ignore=shutil.ignore_patterns("node_modules"))
    words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    installed = run([*commands[1], *words], place)
    assert "EUSAGE" not in installed.stderr, installed.stderr  # the lock is not that of package.json
    if installed.returncode:
        pytest.skip(f"the page's TypeScript is not checked: npm could not install its tools: {installed.stderr[-300:]}")
    return place


def run(command, place):
    return subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=HANGS, check=False)


def tool(web, name, *words):
    """Run a tool of the package; its status and what it says."""
    done = run([*node_and_npm()[1], "run", "--silent", name, *words], web)
    return done.returncode, done.stdout + done.stderr


def test_types_fit_and_a_wrong_one_is_found(web):
    assert tool(web, "check") == (0, "")
    (web / "source" / "planted.ts").write_text('export const planted: number = "text";\n')
    try:
        status, said = tool(web, "check")
    finally:
        (web / "source" / "planted.ts").unlink()
    assert status != 0
    assert "planted.ts" in said


def test_there_is_no_lint_and_planted_lint_is_found(web):
    status, said = tool(web, "lint")
    assert status == 0, said
    (web / "source" / "planted.ts").write_text("export function planted(a: any): boolean { return a == 1; }\n")
    try:
        status, said = tool(web, "lint")
    finally:
        (web / "source" / "planted.ts").unlink()
    assert status != 0
    assert "noDoubleEquals" in said
