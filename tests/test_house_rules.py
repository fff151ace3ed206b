"""House rules that a machine can check: layout, names, docstrings, start-up (style, types, layers: `./run lint`)."""

from __future__ import annotations

import ast
import functools
import graphlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.layout_page import MAP, PAGE, sources, true_page
from tests.mirrors import COVERED_BY
from tests.path_names import OWN_NAMES, unescaped_names
from tests.patience import HANGS
from tests.tuning_numbers import tuning_numbers

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "torquec"
SOURCES = sorted(path for path in PACKAGE.rglob("*.py"))
MOST_LINES = 400
MOST_REPEATED = 9
MOST_ARGUMENTS = 6
MOST_IN_A_TUPLE = 3
MOST_TUNING_NUMBERS = 400
DOCUMENT = re.compile(r"(^|_)(dict|document|json|toml_values|format)$")
BOUND = re.compile(r"\b(bound|bounds|proven|torque_margin)\b")
BANNED_NAMES = ("utils", "helpers", "common", "misc", "manager")
BANNED_CALLS = ("eval", "exec", "__import__")
BANNED_IMPORTS = ("pickle", "marshal", "shelve")
NOT_AT_START = ("casadi", "jax", "llvmlite", "matplotlib", "mujoco", "pinocchio", "scipy", "torch", "typer")


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(parsed(path)))


def each_source(rule):
    """A test of all files from a rule, a generator of what is wrong in one of them."""

    def test():
        wrong = [f"{relative(path)}: {fault}" for path in SOURCES for fault in rule(path)]
        assert not wrong, "\n".join(wrong)

    test.__doc__ = rule.__doc__
    return test


@each_source
def test_file_is_short_enough(path):
    many = len(path.read_text(encoding="utf-8").splitlines())
    if many > MOST_LINES:
        yield f"{many} lines"


@each_source
def test_file_has_a_telling_name(path):
    yield from sorted(set(BANNED_NAMES) & set(Path(relative(path)).with_suffix("").parts))


@each_source
def test_no_dangerous_calls(path):
    for node in nodes_of(path):
        if isinstance(node, ast.Call):
            is_banned = isinstance(node.func, ast.Name) and node.func.id in BANNED_CALLS
            is_shell = isinstance(node.func, ast.Attribute) and node.func.attr in ("system", "popen")
            if is_banned or (is_shell and ast.unparse(node.func) in ("os.system", "os.popen")):
                yield f"line {node.lineno}: {ast.unparse(node.func)}"
            if any(word.arg == "shell" for word in node.keywords):
                yield f"line {node.lineno}: shell="
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.split(".")[0] in BANNED_IMPORTS for name in names):
            yield f"line {node.lineno}: {names}"


@each_source
def test_names_reach_paths_through_the_escaping_function_only(path):
    """A robot may be called "../../up": `prefix_identifier` makes a file's name of it, or `OWN_NAMES` says why not."""
    for line, name in sorted(set(unescaped_names(parsed(path)))):
        if (relative(path), name) not in OWN_NAMES:
            yield f"line {line}: {name} becomes part of a path: escape it with prefix_identifier"


def test_every_exception_of_names_in_paths_is_needed():
    found = {(relative(path), name) for path in SOURCES for _, name in unescaped_names(parsed(path))}
    assert not OWN_NAMES.keys() - found, "remove these rows of OWN_NAMES in tests/path_names.py"


@pytest.mark.parametrize(
    "planted",
    [
        'file = f"{self.model.robot.name}.certificate.json"',
        'path = folder / f"{robot.name}.json"',
        'path = folder / f"part_{joint.name}"',
        "path = folder / frame.name",
        'path = folder / (robot.name + ".json")',
        'path = folder / "{}.json".format(robot.name)',
        "path = Path(robot.name)",
        'path = target.with_name(f"{robot.name}.png")',
        "def write(robot, folder):\n    name = robot.name\n    return folder / name",
        'def write(robot, folder):\n    name = robot.name\n    return folder / f"{name}.json"',
        "def write(robot, folder):\n    return [folder / name for name in robot.joint_names]",
        'def write(name, folder):\n    return folder / f"{name}.json"',
        'texts[f"{name}.txt"] = text',
    ],
)
def test_a_name_that_is_not_escaped_is_found(planted):
    assert list(unescaped_names(ast.parse(planted)))


def test_an_escaped_name_is_accepted():
    escaped = (
        'def write(robot, folder):\n    name = prefix_identifier(robot.name)\n    return folder / f"{name}_rt.json"'
    )
    assert not list(unescaped_names(ast.parse(escaped)))


@each_source
def test_arrays_go_by_the_names_of_the_shelf(path):
    text = path.read_text(encoding="utf-8")
    if relative(path) != "foundation/arrays.py" and re.search(r"\bNDArray\[|\bnp\.ndarray\[", text):
        yield "import its name from torquec.foundation.arrays"


@each_source
def test_proven_bounds_are_not_rounded_to_nearest(path):
    """`rounded_up` and `rounded_down` print what is proven; messages of the checker are about what is not."""
    for node in nodes_of(path):
        rounded = None
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            rounded = node.value if re.search(r"\.\d+[efg]", ast.unparse(node.format_spec)) else None
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("number", "round") and node.args:
            rounded = node.args[0]
        if rounded is not None and BOUND.search(ast.unparse(rounded).replace("bound['found']", "")):
            yield f"line {node.lineno}: {ast.unparse(rounded)} is rounded to nearest: torquec_check.claim"


@each_source
def test_public_things_have_docstrings(path):
    tree = parsed(path)
    if not ast.get_docstring(tree):
        yield "the module has no docstring"
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    for holder in [tree, *classes]:
        for node in holder.body:
            is_public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            if is_public and not ast.get_docstring(node):
                yield f"line {node.lineno}: {node.name}"


@functools.cache
def functions_of(path: Path) -> list[ast.FunctionDef]:
    return [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef)]


@each_source
def test_few_positional_arguments(path):
    for function in functions_of(path):
        names = [word.arg for word in (*function.args.posonlyargs, *function.args.args)]
        if len(names) > MOST_ARGUMENTS + (names[:1] in (["self"], ["cls"])):
            yield f"line {function.lineno}: {function.name}: group them, or give them by keyword"


def is_carrier(returned: ast.expr) -> bool:
    return ast.unparse(returned) in ("dict", "dict[str, Any]", "dict[str, object]")


@each_source
def test_what_functions_return_has_named_parts(path):
    """Tuples are short; what a dict carries to other files is a mapping, the outputs of a program, or a document."""
    for function in functions_of(path):
        for part in ast.walk(function.returns) if function.returns is not None else ():
            if isinstance(part, ast.Subscript) and ast.unparse(part.value) == "tuple":
                many = len(part.slice.elts) if isinstance(part.slice, ast.Tuple) else 1
                if many > MOST_IN_A_TUPLE:
                    yield f"line {function.lineno}: {function.name}: return a dataclass"
    if relative(path).startswith(("cli/", "project/", "report/")) or relative(path) == "expr/replay.py":
        return
    for node in parsed(path).body:
        is_public = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if is_public and node.returns is not None and not DOCUMENT.search(node.name) and is_carrier(node.returns):
            yield f"line {node.lineno}: {node.name}: return a dataclass"


def is_number(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp):
        return is_number(value.left) and is_number(value.right)
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    if isinstance(value, ast.Tuple):
        return all(is_number(part) for part in value.elts)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


@each_source
def test_private_numbers_have_reasons(path):
    """In a comment beside the number or above it, or in the docstring of its group."""
    lines, body = path.read_text(encoding="utf-8").splitlines(), parsed(path).body
    for k, node in enumerate(body):
        if not (
            isinstance(node, ast.Assign)
            and is_number(node.value)
            and ast.unparse(node.targets[0]).lstrip("(")[0] == "_"
        ):
            continue
        rest = (other for other in body[k + 1 :] if not isinstance(other, ast.Assign))
        after = next(rest, None)
        gap = "" in lines[node.end_lineno - 1 : after.lineno] if after is not None else True
        has_docstring = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and not gap
        has_comment = "#" in lines[node.end_lineno - 1] or lines[node.lineno - 2].startswith("#")
        if not (has_docstring or has_comment):
            yield f"line {node.lineno}: why this number?"


def test_tuning_constants_become_fewer():
    """New ones are fields of the room's `tuning.py`; as constants move there, `MOST_TUNING_NUMBERS` falls to 300."""
    found = [f"{relative(path)}:{line}: {name}" for path in SOURCES for line, name in tuning_numbers(path)]
    assert len(found) <= MOST_TUNING_NUMBERS, "\n".join(found)


def test_layout_page_is_true():
    page = PAGE.read_text(encoding="utf-8")
    assert true_page(page) == page, "docs/source-files.md is out of date: run python -m tests.layout_page"


def test_the_map_names_every_room_once_and_fits_on_a_screen():
    page = MAP.read_text(encoding="utf-8")
    rooms = sorted({name.split("/")[0] for name in sources() if "/" in name})
    assert sorted(re.findall(r"^\| `([a-z]+)/` \|", page.split("## Walks")[0], flags=re.MULTILINE)) == rooms
    assert len(page.splitlines()) <= 100


def test_the_files_of_the_map_exist():
    walks = MAP.read_text(encoding="utf-8").split("## Walks")[1].split("## ")[0]
    missing = [name for name in re.findall(r"`([a-z_]+/[a-z_/]*(?:\.py)?)`", walks) if not (PACKAGE / name).exists()]
    assert not missing, f"docs/layout.md names {missing}"


def test_every_dynamics_module_has_its_test():
    tests = {path.name for path in (ROOT / "tests" / "dynamics").glob("test_*.py")}
    modules = {path.stem for path in (PACKAGE / "dynamics").glob("*.py") if not path.stem.startswith("_")}
    assert {f"test_{name}.py" for name in modules} <= tests


def own_test(name: str) -> Path:
    path = ROOT / "tests" / name
    return path.with_name(f"test_{path.name}")


def test_every_file_has_a_test_of_its_name_or_a_row_that_says_which():
    named = {relative(path) for path in SOURCES if not path.name.startswith("__")}
    alone = {name for name in named if not own_test(name).exists()}
    assert not alone - COVERED_BY.keys(), "write tests of these names, or add rows to COVERED_BY in tests/mirrors.py"
    assert not COVERED_BY.keys() - alone, "these rows of tests/mirrors.py are no longer needed: remove them"
    assert all((ROOT / "tests" / test).exists() for test in COVERED_BY.values())


def code_lines(path: Path) -> list[tuple[int, str]]:
    """Lines that say something, with their numbers; imports, which files share by nature, are left out."""
    text = path.read_text(encoding="utf-8")
    shared = {
        line
        for node in nodes_of(path)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = enumerate((line.strip() for line in text.splitlines()), start=1)
    return [(number, line) for number, line in lines if line and number not in shared and not line.startswith("#")]


def test_no_ten_lines_stand_in_two_places():
    seen: dict[tuple[str, ...], str] = {}
    twice = []
    for path in SOURCES:
        lines = code_lines(path)
        for k in range(len(lines) - MOST_REPEATED):
            run = tuple(line for _, line in lines[k : k + MOST_REPEATED + 1])
            here = f"{relative(path)}:{lines[k][0]}"
            if seen.setdefault(run, here) != here:
                twice.append(f"{seen[run]} and {here}")
    assert not twice, "give these lines one place: " + "; ".join(twice[:10])


def test_public_names_stand_for_one_thing():
    """Classes everywhere; functions outside `cli/`, whose commands are named like what they call.

    `accepts` is one function a room, by contract: `torquec.model.accepting_rooms` lists them.
    """
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in parsed(path).body:
            is_function = isinstance(node, ast.FunctionDef) and not relative(path).startswith("cli/")
            if (isinstance(node, ast.ClassDef) or is_function) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(relative(path))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    twice.pop("accepts")
    assert not twice


def imports_at_start(body: list[ast.stmt]) -> set[str]:
    """Names of what a file imports when it is imported itself: not in functions, not for type checkers alone."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.If | ast.Try) and "TYPE_CHECKING" not in ast.unparse(node).partition("\n")[0]:
            found |= imports_at_start(node.body)
    return found


def test_no_files_import_each_other():
    names = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in SOURCES}
    files = {name.removesuffix(".__init__"): path for name, path in names.items()}
    graph = {name: imports_at_start(parsed(path).body) & files.keys() - {name} for name, path in files.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises `CycleError` with the files of a circle


def test_types_are_shipped():
    assert (PACKAGE / "py.typed").exists()
    assert (
        "/src"
        in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    )


def test_import_stays_light():
    code = f"import sys, torquec; print([name for name in {NOT_AT_START!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=HANGS, check=True)
    assert result.stdout.strip() == "[]"


def test_every_public_name_exists():
    import torquec

    for name in torquec.__all__:
        assert getattr(torquec, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = torquec.nothing_of_that_name


def test_public_names_stand_in_one_table():
    """docs/api.md and the imports for type checkers are made from it; no name stands in it twice."""
    from tests import api_page

    import torquec

    names = [name for homes in torquec.API.values() for found in homes.values() for name in found]
    assert sorted(names) == sorted(set(names)) == torquec.__all__
    message = "run python -m tests.api_page"
    assert api_page.PAGE.read_text(encoding="utf-8") == api_page.true_page(), message
    assert api_page.TYPED.read_text(encoding="utf-8") == api_page.true_typed_names(), message
    assert api_page.QUANTITY_STUB.read_text(encoding="utf-8") == api_page.true_quantity_stub(), message


def test_every_deliberate_error_is_public():
    import torquec
    from torquec import errors

    kinds = [name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)]
    assert set(kinds) <= set(torquec.__all__)


def test_contributing_names_files_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = [name for name in re.findall(r"`([\w/*]+(?:/|\.py|\.md))`", text) if "/" in name]
    assert len(named) > 40
    for name in named:
        assert any(list(place.glob(name)) for place in (PACKAGE, ROOT)), name


def test_the_changelog_has_at_most_five_lines_a_version():
    versions = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert versions
    assert all(len(re.findall(r"^- ", part, flags=re.MULTILINE)) <= 5 and "\n#" not in part for part in versions)


def test_ci_runs_the_test_command_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(r"^    \./run demo$", readme, flags=re.MULTILINE)
    assert re.search(r"^    \./run test$", readme, flags=re.MULTILINE)
    assert script.rstrip().splitlines()[-1] == "./run test"
    assert os.access(ROOT / "run", os.X_OK)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
