"""Names that reach a path: which expressions of a source file become the name of a file, and which are not escaped.

A robot, a joint, a frame or a function may be called `../../up`. A name becomes part of a path only through one of
`ESCAPES`, or is one of `OWN_NAMES`: names that Torquec itself chose.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

ESCAPES = frozenset({"prefix_identifier", "c_identifier", "python_identifier", "package_names"})
PATH_CALLS = frozenset({"Path", "PurePath", "PurePosixPath", "with_name", "with_stem", "joinpath"})
FROM_FILES = frozenset({"name", "names", "joint_names", "frame_names", "joints", "frames", "bodies", "links"})
"""Attributes that hold what a user's file says."""
FILE_NAME = re.compile(r"[^\s\0]*\0\S*\.[a-z][a-z0-9]*")
"""A text without blanks that ends in a suffix; \\0 stands for what is interpolated."""

OWN_NAMES = {
    ("robot/mjcf_file.py", "path.name"): "the last part of a mesh's path; read only below the robot's folder",
    ("cli/compare.py", "Path(PAGE).stem"): "a constant",
    ("cli/haptic.py", "Path(PAGE).stem"): "a constant",
    ("cli/haptic.py", "result.experiment.value"): "the member of an enum",
    ("codegen/verify/c_package.py", "prefix"): "the stem of a file that was found in the folder",
    ("codegen/verify/c_package.py", "self.prefix"): "the stem of a file that was found in the folder",
    ("codegen/verify/c_package.py", "stem"): "the stem of a file that was found in the folder",
    ("codegen/verify/verification.py", "compiler"): "a name of our table of platforms",
    ("codegen/verify/verification.py", "function.name"): "an identifier, read from C",
    ("codegen/verify/verification.py", "package.prefix"): "the stem of a file that was found in the folder",
    ("realtime/fmu_package.py", "name"): "of a unit, made with prefix_identifier",
    ("foundation/writing.py", "one.name"): "the name of a folder, for the folder beside it",
    ("foundation/executor_tasks.py", "self.path"): "a path, for the file beside it",
    ("foundation/folder_lock.py", "digest"): "a hash",
    ("foundation/result_cache.py", "key"): "a hash",
    ("robot/robot_document.py", "field"): "a place in a document, not a file",
    ("robot/robot_document.py", "index"): "a place in a document, not a file",
    ("project/manifest.py", "output.name"): "the name of a folder, for the folder beside it",
    ("project/run_project.py", "step.name"): "a row of our table of steps",
    ("realtime/runtime/loop_package.py", "names.prefix"): "of package_names, escaped",
    ("realtime/tasks_text.py", "key"): "an expression of C, not a file",
    ("report/design.py", "factor"): "alpha, beta or gamma: a factor of ErrorFactor",
    ("robot/classics/__init__.py", "name"): "a name of our table of classics",
}
"""By file and expression: why it needs no escaping."""


Bindings = dict[str, list[ast.expr]]


def unescaped_names(tree: ast.AST, bound: Bindings | None = None) -> Iterator[tuple[int, str]]:
    """Lines and expressions that become part of a path as they are; `bound` is what names of the scope stand for."""
    here = _bindings(tree) if bound is None else bound
    for part in _path_parts(tree):
        yield from ((part.lineno, ast.unparse(name)) for name in _unescaped(part, here))
    for child in ast.iter_child_nodes(tree):
        is_scope = isinstance(child, ast.FunctionDef | ast.Lambda)
        yield from unescaped_names(child, here | _bindings(child) if is_scope else here)


def _bindings(scope: ast.AST) -> Bindings:
    """What each name is bound to in a function, or in a file outside of them; an item of a loop to what is iterated."""
    found: Bindings = {}
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        waiting += ast.iter_child_nodes(node)
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.For | ast.comprehension):
            pairs = [(node.target, node.iter)]
        for target, value in pairs:
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    found.setdefault(name.id, []).append(value)
    return found


def _path_parts(node: ast.AST) -> list[ast.expr]:
    """What of an expression names a file: after a slash, given to one of `PATH_CALLS`, or a text that looks so."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return [node.right]
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return node.args if called in PATH_CALLS else []
    if isinstance(node, ast.JoinedStr):
        text = "".join(part.value if isinstance(part, ast.Constant) else "\0" for part in node.values)
        return [node] if FILE_NAME.fullmatch(text) else []
    return []


def _unescaped(part: ast.expr, bound: Bindings, seen: frozenset[str] = frozenset()) -> Iterator[ast.expr]:
    """The expressions in a part of a path that hold a name as a file has it."""
    if isinstance(part, ast.JoinedStr):
        for value in part.values:
            if isinstance(value, ast.FormattedValue) and not _is_escaped(value.value, bound, seen):
                yield from _origins(value.value, bound)
    elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
        yield from _unescaped(part.left, bound, seen)
        yield from _unescaped(part.right, bound, seen)
    elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "format":
        yield from (each for each in part.args if not _is_escaped(each, bound, seen))
    elif isinstance(part, ast.Attribute) and part.attr in FROM_FILES:
        yield part
    elif isinstance(part, ast.Name) and part.id not in seen:
        for value in bound.get(part.id, []):
            names = (each for each in ast.walk(value) if isinstance(each, ast.Attribute) and each.attr in FROM_FILES)
            if not _is_escaped(value, bound, seen):
                yield from _unescaped(value, bound, seen | {part.id})
                yield from names if _is_plain(value) else ()


def _is_plain(value: ast.expr) -> bool:
    """Whether a value is names of a file as they are: an attribute, or an attribute of what is iterated over."""
    return isinstance(value, ast.Attribute) or (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute))


def _origins(value: ast.expr, bound: Bindings) -> list[ast.expr]:
    """What a name stands for, where it stands for one attribute; else the expression itself."""
    found = bound.get(value.id, []) if isinstance(value, ast.Name) else []
    return found if found and all(isinstance(each, ast.Attribute) for each in found) else [value]


def _is_escaped(value: ast.expr, bound: Bindings, seen: frozenset[str]) -> bool:
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, ast.Call):
        called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return called in ESCAPES or (called == "lower" and _is_escaped(value.func.value, bound, seen))
    if isinstance(value, ast.Attribute):
        return value.attr == "prefix" and _is_escaped(value.value, bound, seen)
    if isinstance(value, ast.JoinedStr):
        parts = [part.value for part in value.values if isinstance(part, ast.FormattedValue)]
        return all(_is_escaped(part, bound, seen) for part in parts)
    if isinstance(value, ast.Name) and value.id not in seen and value.id in bound:
        return all(_is_escaped(each, bound, seen | {value.id}) for each in bound[value.id])
    return False
