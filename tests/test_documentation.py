"""The documentation: links lead somewhere, code and commands run and print what stands there, Sphinx has no complaint.

The site is built, and every page is run, with `./run test -m slow`; the default suite holds a sample.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.page_blocks import blocks, commands, run_page
from tests.page_results import wrong_after_run
from tests.patience import HANGS

import torquec as tq

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
    if "reference" not in path.relative_to(DOCS).parts
}
IN_THE_DEFAULT_SUITE = ("base-parameters", "control", "how-to/payload", "formats/trajectory")
"""Pages whose code runs in a few seconds."""
ABOUT_THE_CHECKOUT = ("evidence", "scale", "benchmarks", "layout", "contributing", "changelog")
"""Their commands are the slow tests and the benchmarks themselves."""
_FENCED = re.compile(r"^(```|:::).*?^\1$", flags=re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|\[--|\.\.\.")


def each_page(test, names=PAGES):
    return pytest.mark.parametrize("name", sorted(names))(test)


def prose(page: str) -> str:
    """A page without its blocks of code and without literals."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL))


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST make it."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(page: str) -> set[str]:
    without = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    return {slug(match[1]) for match in re.finditer(r"^#{1,4} (.+)$", without, flags=re.MULTILINE)}


@each_page
def test_links_lead_to_files_and_headings(name):
    here = DOCS / f"{name}.md"
    for target in _LINK.findall(re.sub(r"^```.*?^```$", "", PAGES[name], flags=re.MULTILINE | re.DOTALL)):
        if re.match(r"\w+://|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (here.parent / path).resolve() if path else here
        assert file.exists(), f"{name}: {target}"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file.read_text(encoding="utf-8")), f"{name}: {target}"


def toctree_entries(name: str) -> list[str]:
    """The pages that a page's toctrees list, patterns resolved."""
    found = []
    for body in re.findall(r"^```\{toctree\}\n(.*?)^```$", PAGES[name], flags=re.MULTILINE | re.DOTALL):
        for line in body.splitlines():
            if not line.strip() or line.startswith(":"):
                continue
            here = (DOCS / name).parent
            path = (here / line.strip()).resolve().relative_to(DOCS).as_posix()
            found += [page for page in PAGES if Path(page).match(path)] if "*" in path else [path]
    return found


def test_every_page_has_one_place_in_the_tree():
    listed = [entry for name in PAGES for entry in toctree_entries(name)]
    assert sorted(listed) == sorted(PAGES.keys() - {"index"})


@each_page
def test_commands_stand_where_they_are_run(name):
    """In blocks of shell, or with words in capitals that say what a reader puts there."""
    if name in ABOUT_THE_CHECKOUT:
        return
    assert not re.search(r"^\n    \S", prose(PAGES[name]), flags=re.MULTILINE), "give this block a fence and a language"
    for block in blocks(PAGES[name]):
        assert block.language or block.file, f"line {block.line}: a block without a language"
        if block.language != "shell" and not block.file:
            for line in commands(block.text):
                is_command = line.startswith("torquec ")
                assert not is_command or _PLACEHOLDER.search(line), f"line {block.line}: {line}"


@pytest.fixture(scope="module")
def conf():
    """The configuration of the site, as a module."""
    pytest.importorskip("sphinx", reason="formulas are not read: pip install 'torquec[docs]'")
    described = importlib.util.spec_from_file_location("torquec_docs_conf", DOCS / "conf.py")
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


@each_page
def test_formulas_can_be_drawn(name, conf):
    text = prose(PAGES[name])
    for formula in re.findall(r"\$\$(.+?)\$\$", text, flags=re.DOTALL):
        conf.math_markup(formula, as_block=True)
    for formula in re.findall(r"(?<!\$)\$(?! )([^$\n]+?)\$(?!\$)", re.sub(r"\$\$.+?\$\$", "", text, flags=re.DOTALL)):
        conf.math_markup(formula, as_block=False)


def test_indices_stand_beside_letters_with_accents(conf):
    found = conf.math_markup(r"\ddot q_j", as_block=False)
    assert "msub" in found
    assert "q\u0308" in found
    assert "munder" not in found


def test_every_public_name_has_its_reference():
    """docs/api.md has every name (tests/test_house_rules.py); the site's pages are made of the same table."""
    rows = re.findall(r"^\| \[`(\w+)`\]\(", PAGES["api"], flags=re.MULTILINE)
    assert sorted(rows) == tq.__all__


@pytest.mark.parametrize("name", IN_THE_DEFAULT_SUITE)
def test_a_sample_of_pages_runs_as_printed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(PAGES[name], tmp_path, name=name) > 0
    assert not wrong_after_run(name, PAGES[name], tmp_path)


RUN = sorted(PAGES.keys() - {*IN_THE_DEFAULT_SUITE, *ABOUT_THE_CHECKOUT})


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_every_page_runs_as_printed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(PAGES[name], tmp_path, name=name)
    assert not wrong_after_run(name, PAGES[name], tmp_path)


def test_blocks_of_a_page_are_all_found():
    page = "```{image} a.png\n:alt: b\n```\n\n```{code-block} toml\n:caption: a.toml\nx = 1\n```\n\n"
    page += "```shell\nls \\\n  a\n```\n"
    page += "<!-- not run: it is slow -->\n```python\n1 / 0\n```\n"
    found = [(block.language, block.file, block.text, block.reason) for block in blocks(page)]
    assert found == [
        ("toml", "a.toml", "x = 1\n", ""),
        ("shell", "", "ls \\\n  a\n", ""),
        ("python", "", "1 / 0\n", "it is slow"),
    ]
    assert commands(found[1][2]) == ["ls a"]


def test_a_page_that_fails_is_noticed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = "```shell\ntorquec info no_such_robot\n```\n"
    with pytest.raises(AssertionError, match="no_such_robot"):
        run_page(page, tmp_path)
    (tmp_path / "examples").unlink()
    with pytest.raises(ZeroDivisionError):
        run_page("```python\n1 / 0\n```\n", tmp_path)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("furo", reason="the site is not built: pip install 'torquec[docs]'")
    pytest.importorskip("myst_parser", reason="the site is not built: pip install 'torquec[docs]'")
    words = ("-W", "--keep-going", "-q", "-d", tmp_path / "trees", "docs", tmp_path / "site")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *words],
        cwd=ROOT, capture_output=True, text=True, timeout=HANGS, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    text = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "site" / "reference").glob("*.html"))
    modules = {name: getattr(tq, name).__name__ for name in tq.__all__ if inspect.ismodule(getattr(tq, name))}
    places = {name: f"module-{modules[name]}" if name in modules else f"torquec.{name}" for name in tq.__all__}
    missing = [name for name, place in places.items() if f'id="{place}"' not in text]
    assert not missing
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)="https?://(?!creativecommons)[^"]+\.(?:js|css)"', index), (
        "loaded from elsewhere"
    )
