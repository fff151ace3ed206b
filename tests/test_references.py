"""References of docstrings, comments and pages: equation numbers, modules, folders and files that they name exist.

An equation number "(k)" is defined by the module's docstring, where it begins a line or follows a gap; by the docstring
that cites it; or by a module or paper that is named beside it. A module that writes "of :mod:`name`" in its docstring
takes over the numbers of that module.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
CITED = re.compile(r"(?<![\w\])^=`])\((\d{1,2}[a-z]?)\)")
DEFINED = re.compile(r"(?:^[ \t]*|  )\((\d{1,2}[a-z]?)\)  ?(?=\S)", re.MULTILINE)
TAKEN_OVER = re.compile(r"\bof\s+:mod:`([\w.]+)`")
PAPER = re.compile(r"Clover|Chang|Kang|\bLin\b|Izaguirre|the paper\b")
NAMED = re.compile(rf"\bof\s+(?::mod:)?`[\w.]+`|`[\w./]+`,? \(\d|{PAPER.pattern}")
MODULE = re.compile(r":mod:`~?([\w.]+)`")
PAGE_PATH = re.compile(r"`([\w.-]+(?:/[\w.*<>-]+)*/?)`")
FILE_NAME = re.compile(r"(/|\.(py|md|ll|lock|toml))$")


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")


def module_docstring(name: str) -> str:
    path = ROOT / "src" / name.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "" if path.is_file() else ""


def paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n", text)


def paper_numbers(docstring: str) -> set[str]:
    """Numbers that a module's docstring takes from the paper that it names, or from a module named beside them."""
    if PAPER.search(docstring):
        return set(CITED.findall(docstring))
    return {k for part in paragraphs(docstring) if NAMED.search(part) for k in CITED.findall(part)}


def cited_texts(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every comment, and of every docstring and documented constant below the module's own."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for statement in getattr(node, "body", None) or [] if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            value = getattr(statement, "value", None)
            if isinstance(statement, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, value.value


def undefined_numbers(source: str) -> list[str]:
    """The citations of a source text whose equation is defined nowhere, as "line 3: (7)"."""
    docstring = ast.get_docstring(ast.parse(source)) or ""
    known = set(DEFINED.findall(docstring)) | paper_numbers(docstring)
    for name in TAKEN_OVER.findall(docstring):
        known |= set(DEFINED.findall(module_docstring(name)))
    return [
        f"line {line}: ({number})"
        for line, text in cited_texts(source)
        for part in paragraphs(text)
        if not NAMED.search(part)
        for number in CITED.findall(part)
        if number not in known | set(DEFINED.findall(text))
    ]


@pytest.mark.parametrize(
    "text", ['"""One.\n\n(1)  a = b\n"""\nx = 1  # (2)\n', '"""One."""\n\n\ndef f():\n    """By (1)."""\n']
)
def test_undefined_equation_number_is_found(text):
    assert undefined_numbers(text)


@pytest.mark.parametrize(
    "text",
    [
        '"""One.\n\n(1)  a = b      (2)  c = d\n"""\nx = 1  # (2)\n',
        '"""One, by the equations of :mod:`torquec.codegen.sincos`."""\nx = 1  # (4)\n',
        '"""One."""\nx = 1  # (18) of the paper\n',
    ],
)
def test_defined_equation_number_is_accepted(text):
    assert not undefined_numbers(text)


def test_equation_numbers_are_defined():
    wrong = [
        f"{path.relative_to(ROOT)}: {fault}"
        for path in SOURCES
        for fault in undefined_numbers(path.read_text(encoding="utf-8"))
        if path.name != "tuning.py"
    ]
    assert not wrong, "\n".join(wrong)


TUNINGS = [path for path in SOURCES if path.name == "tuning.py"]


def undefined_in_tuning(path):
    """The same of a room's tuning record, whose numbers are those of the module named above the fields."""
    known = set()
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        comment = text.partition("# ")[2]
        if section := re.fullmatch(r"    # ([a-z0-9_.]+)", text):
            module = path.parent / f"{section[1].replace('.', '/')}.py"
            known = set(DEFINED.findall(ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""))
        yield from (f"line {line}: ({number})" for number in CITED.findall(comment) if number not in known)


@pytest.mark.parametrize("path", TUNINGS, ids=lambda path: path.parent.name)
def test_equation_numbers_of_tuning_records_are_defined(path):
    assert not list(undefined_in_tuning(path))


def test_undefined_equation_number_of_a_tuning_record_is_found(tmp_path):
    (tmp_path / "walk.py").write_text('"""Walk.\n\n(1)  a = b\n"""\n')
    record = tmp_path / "tuning.py"
    record.write_text("class Tuning:\n    # walk\n    steps: int = 3  # of (1)\n    stride: float = 0.1  # of (2)\n")
    assert list(undefined_in_tuning(record)) == ["line 4: (2)"]


def test_no_module_refers_to_itself():
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in SOURCES
        for name in MODULE.findall(path.read_text(encoding="utf-8"))
        if name == module_name(path)
    ]
    assert not wrong, "\n".join(wrong)


def test_modules_that_are_referred_to_exist():
    names = {module_name(path) for path in SOURCES}
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in SOURCES
        for name in MODULE.findall(path.read_text(encoding="utf-8"))
        if name.startswith("torquec") and name not in names
    ]
    assert not wrong, "\n".join(wrong)


FOLDERS = ("src", "tests", "docs", "examples", "requirements", "release", "benchmarks")
TREE = [*ROOT.iterdir(), *(path for top in FOLDERS for path in (ROOT / top).rglob("*"))]
MADE_BY_THE_BUILD = ("bundle/",)


def missing_paths(text: str, *roots: Path) -> list[str]:
    """Files and folders that a text names in backticks and that are not below one of the roots."""
    below = {
        place
        for root in roots
        for path in TREE
        if path.is_relative_to(root)
        for place in (path, path.relative_to(root))
    }
    names = [name for name in dict.fromkeys(PAGE_PATH.findall(text)) if FILE_NAME.search(name)]
    return [
        name
        for name in names
        if name not in MADE_BY_THE_BUILD and not any(place.match(re.sub(r"<\w+>", "*", name)) for place in below)
    ]


def test_missing_folder_is_found():
    assert missing_paths("`joints/ball.py`, `objects/`", ROOT / "src" / "torquec" / "robot") == ["objects/"]


def test_source_files_page_names_what_exists():
    page = (ROOT / "docs" / "source-files.md").read_text(encoding="utf-8")
    for part in re.split(r"^(?=## )", page, flags=re.MULTILINE):
        room = re.match(r"## `([a-z]+)/`", part)
        prose = re.sub(r"^\|.*\n", "", part, flags=re.MULTILINE)
        assert not missing_paths(prose, ROOT / "docs", ROOT / "src" / "torquec" / (room[1] if room else ""))


@pytest.mark.parametrize("name", ["docs/layout.md", "src/torquec/codegen/llvm/README.md"])
def test_page_names_what_exists(name):
    page = ROOT / name
    text = page.read_text(encoding="utf-8").replace("`../", "`")
    assert not missing_paths(text, ROOT)
