"""xacro to URDF: macros, properties, conditions and arithmetic, expanded without executing code from the file.

Supported are `property`, `macro` (parameters with defaults, blocks `*block` and `**block`), calls, `insert_block`,
`if`, `unless`, `include` and `arg`. `${...}` is arithmetic (:mod:`torquec.robot.xacro_expression`). `$(arg name)`,
`$(find package)` and `$(dirname)` are replaced. Everything else in xacro runs Python or reads the environment, and is
refused by name.

(1)  properties are evaluated where they are used, with the names that are known where they were defined
(2)  a macro sees its parameters, then its caller's names; its own definitions end with it, except those with a `scope`
(3)  files are included from the robot's folder or below: the folder of the robot file, or once `$(find package)` is
     used, the folder of that name just above the file, as in package/urdf/robot.xacro
(4)  the elements and text of all expansions together are limited, so that recursive macros end
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, is_below, read_bytes
from torquec.robot.number import plain_number
from torquec.robot.tuning import TUNING
from torquec.robot.xacro_expression import Value, XacroExpressionError, evaluate_expression
from torquec.robot.xml import Element, parse_xml, read_included

_PACKAGE_ABOVE = 3
"""Folders above the file in which its package is looked for: package/robots/arm/arm.xacro."""

_XACRO = re.compile(r"\{[^}]*xacro[^}]*\}(.+)")
_PIECE = re.compile(r"\$\$(?=[{(])|\$\{([^{}]*)\}|\$\(([^()]*)\)")
_PARAMETER = re.compile(r"(\*{0,2}[\w.]+)(?::?=(\^\|?)?((?:'[^']*'|\"[^\"]*\"|[^\s'\"])*))?(?:\s+|$)")
_BOOLEANS = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}
_REMEDY = "expand it yourself with 'xacro robot.urdf.xacro > robot.urdf', if you trust it, and load the result"


def expand_xacro(path: Path) -> Element:
    """The root element of the URDF that a xacro file expands to.

    Raises `RobotFileError`, with file and line, for a file that is not xacro, needs more than arithmetic, includes a
    file from outside the robot's folder, or expands without end.
    """
    try:
        return _Expansion(path).expanded()
    except RecursionError:
        raise RobotFileError("elements are nested too deep", where=f"{path}:1", remedy="flatten them") from None


@dataclass
class _Property:
    """A property: its text, and the scope whose names it was defined with (1); a block instead of a text."""

    text: str
    scope: _Scope
    where: str
    value: Value | None = None
    block: tuple[Element, ...] | None = None


@dataclass(frozen=True)
class _Parameter:
    """A macro's parameter: `default` is None if a value is required; if `inherited`, the caller's value comes first."""

    name: str
    default: str | None
    inherited: bool


@dataclass(frozen=True)
class _Macro:
    element: Element
    parameters: tuple[_Parameter, ...]
    folder: Path


@dataclass
class _Scope:
    """Properties and macros that are visible at one place (2)."""

    parent: _Scope | None = None
    properties: dict[str, _Property] = field(default_factory=dict)
    macros: dict[str, _Macro] = field(default_factory=dict)
    depth: int = 0

    def up(self) -> Iterator[_Scope]:
        scope: _Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def find_property(self, name: str) -> _Property | None:
        return next((scope.properties[name] for scope in self.up() if name in scope.properties), None)

    def find_macro(self, name: str) -> _Macro | None:
        return next((scope.macros[name] for scope in self.up() if name in scope.macros), None)

    def inner(self) -> _Scope:
        return _Scope(self, depth=self.depth + 1)


class _Expansion:
    """One run over a file and what it includes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.parent
        self.arguments: dict[str, str] = {}
        self.elements = 0
        self.characters = 0
        self.evaluating = 0

    def expanded(self) -> Element:
        root = parse_xml(read_bytes(self.path, FileKind.ROBOT), str(self.path))
        if root.tag != "robot":
            raise _refused(root, f"the document is <{root.tag}>, not <robot>")
        scope = _Scope()
        attributes = self.attributes(root, scope, self.folder)
        return replace(root, attributes=attributes, children=tuple(self.inside(root.children, scope, self.folder)))

    def inside(self, elements: tuple[Element, ...], scope: _Scope, folder: Path) -> Iterator[Element]:
        for element in elements:
            yield from self.one(element, scope, folder)

    def one(self, element: Element, scope: _Scope, folder: Path) -> Iterator[Element]:
        """The expansion of an element of the file: itself, nothing, or many."""
        self.elements += 1
        if self.elements > TUNING.expanded_elements:
            raise _refused(
                element, f"the macros give more than {TUNING.expanded_elements} elements", "look for a macro in a loop"
            )
        word = _word(element)
        if word is None:
            children = tuple(self.inside(element.children, scope, folder))
            text = self.text(element.text, element, scope, folder) if "$" in element.text else element.text
            yield Element(element.tag, self.attributes(element, scope, folder), element.where, _written(text), children)
            return
        match word:
            case "property":
                self.define_property(element, scope, folder)
            case "macro":
                scope.macros[_need(element, "name").removeprefix("xacro:")] = _read_macro(element, folder)
            case "arg":
                default = element.attributes.get("default")
                if default is not None:
                    written = _written(self.text(default, element, scope, folder))
                    self.arguments.setdefault(_need(element, "name"), written)
            case "include":
                yield from self.include(element, scope, folder)
            case "if" | "unless":
                if self.condition(element, scope, folder) is (word == "if"):
                    yield from self.inside(element.children, scope, folder)
            case "insert_block":
                yield from self.insert(element, scope)
            case "call":
                macro = _written(self.text(_need(element, "macro"), element, scope, folder))
                yield from self.call(macro.removeprefix("xacro:"), element, scope, folder)
            case _:
                yield from self.call(word, element, scope, folder)

    # --- properties and text ----------------------------------------------------------------------------------------

    def define_property(self, element: Element, scope: _Scope, folder: Path) -> None:
        name = _written(self.text(_need(element, "name"), element, scope, folder))
        if not name.isidentifier():
            raise _refused(element, f"'{name[:60]}' is not a valid name of a property", "use letters, digits and '_'")
        target = {"parent": scope.parent or scope, "global": list(scope.up())[-1]}.get(
            element.attributes.get("scope", ""), scope
        )
        written = element.attributes.get("value", element.attributes.get("default"))
        if "value" not in element.attributes and "default" in element.attributes and scope.find_property(name):
            return
        if written is None:
            block = tuple(self.inside(element.children, scope, folder))
            target.properties[name] = _Property("", scope, element.where, block=block)
            return
        # Evaluated now if it refers to itself, or if its names would be out of scope later.
        value = None
        if target is not scope or re.search(rf"\b{re.escape(name)}\b", written):
            value = self.text(written, element, scope, folder)
        target.properties[name] = _Property(written, scope, element.where, value=value)

    def lookup(self, name: str, element: Element, scope: _Scope, folder: Path) -> Value:
        found = scope.find_property(name.removeprefix("xacro."))
        if found is None or found.block is not None:
            raise XacroExpressionError(f"there is no property '{name}'")
        if found.value is None:
            self.evaluating += 1
            if self.evaluating > TUNING.macro_nesting:
                raise XacroExpressionError(f"the property '{name}' is defined by itself")
            found.value = self.text(found.text, replace(element, where=found.where), found.scope, folder)
            self.evaluating -= 1
        return found.value

    def text(self, text: str, element: Element, scope: _Scope, folder: Path) -> Value:
        """A text with its `${...}` and `$(...)` replaced; a number where it is one."""
        pieces: list[Value] = []
        end = 0
        for piece in _PIECE.finditer(text):
            pieces.append(text[end : piece.start()])
            end = piece.end()
            if piece[1] is not None:
                try:
                    pieces.append(evaluate_expression(piece[1], lambda n: self.lookup(n, element, scope, folder)))
                except XacroExpressionError as fault:
                    raise _refused(element, f"'${{{piece[1][:60]}}}' of {_name(element)}: {fault}", _REMEDY) from None
            elif piece[2] is not None:
                pieces.append(self.substitution(piece[2], element, folder))
            else:
                pieces.append("$")
        pieces.append(text[end:])
        if "${" in text[end:] or any(isinstance(p, str) and "${" in p for p in pieces[:-1:2]):
            raise _refused(element, f"an expression of {_name(element)} is not closed", "close it with }")
        full = [piece for piece in pieces if piece != ""]
        if len(full) == 1:
            return _literal(full[0])
        self.characters += sum(len(_written(piece)) for piece in full)
        if self.characters > TUNING.expression_text:
            raise _refused(
                element, f"the expressions write more than {TUNING.expression_text} characters", "write less"
            )
        return _literal("".join(_written(piece) for piece in full))

    def substitution(self, text: str, element: Element, folder: Path) -> str:
        """The text that replaces `$(arg name)`, `$(find package)` or `$(dirname)`."""
        command, _, rest = text.strip().partition(" ")
        rest = rest.strip()
        if command == "arg":
            if rest not in self.arguments:
                raise _refused(element, f"the argument '{rest[:60]}' has no default", _REMEDY)
            return self.arguments[rest]
        if command == "dirname":
            return str(folder)
        if command == "find":
            for above in list(self.path.resolve().parents)[:_PACKAGE_ABOVE]:
                if rest and above.name == rest:
                    self.folder = above  # (3)
                    return str(above)
            raise _refused(element, f"the package '{rest[:60]}' is not the one that the file lies in", _REMEDY)
        raise _refused(element, f"'$({text[:60]})' is not expanded: it could run or read anything", _REMEDY)

    def attributes(self, element: Element, scope: _Scope, folder: Path) -> dict[str, str]:
        return {
            name: _written(self.text(value, element, scope, folder)) if "$" in value else value
            for name, value in element.attributes.items()
        }

    def condition(self, element: Element, scope: _Scope, folder: Path) -> bool:
        value = self.text(_need(element, "value"), element, scope, folder)
        if isinstance(value, str):
            if value.strip() not in _BOOLEANS:
                raise _refused(element, f"the condition '{value[:60]}' is neither true nor false")
            return _BOOLEANS[value.strip()]
        return bool(value)

    # --- files, blocks and macros -----------------------------------------------------------------------------------

    def include(self, element: Element, scope: _Scope, folder: Path) -> Iterator[Element]:
        name = _written(self.text(_need(element, "filename"), element, scope, folder))
        path = folder / name
        if not is_below(path, self.folder):
            raise _refused(element, f"the file '{name[:120]}' lies outside the robot's folder", "include files inside")
        if scope.depth > TUNING.macro_nesting:
            raise _refused(element, f"files include each other more than {TUNING.macro_nesting} deep")
        root = parse_xml(read_included(path, name, element), str(path))
        inner = _Scope(scope.parent, scope.properties, scope.macros, scope.depth + 1)
        yield from self.inside(root.children, inner, path.parent)

    def insert(self, element: Element, scope: _Scope) -> Iterator[Element]:
        found = scope.find_property(_need(element, "name"))
        if found is None or found.block is None:
            raise _refused(element, f"there is no block '{_need(element, 'name')}'")
        self.elements += sum(1 for block in found.block for _ in block.walk())
        yield from found.block

    def call(self, name: str, element: Element, scope: _Scope, folder: Path) -> Iterator[Element]:
        macro = scope.find_macro(name)
        if macro is None:
            raise _refused(element, f"there is no macro 'xacro:{name}'", "define it before it is called")
        inner = scope.inner()
        if inner.depth > TUNING.macro_nesting:
            raise _refused(element, f"macros call each other more than {TUNING.macro_nesting} deep")
        given = {key: value for key, value in element.attributes.items() if not (key == "macro" and name != "macro")}
        blocks = list(self.inside(element.children, scope, folder))
        for parameter in macro.parameters:
            if parameter.name.startswith("*"):
                if not blocks:
                    raise _refused(element, f"the macro '{name}' needs a block '{parameter.name}'")
                block = blocks.pop(0)
                content = block.children if parameter.name.startswith("**") else (block,)
                key = parameter.name.lstrip("*")
                inner.properties[key] = _Property("", scope, element.where, block=content)
            elif parameter.name in given:
                value = self.text(given.pop(parameter.name), element, scope, folder)
                inner.properties[parameter.name] = _Property("", scope, element.where, value=value)
            else:
                inner.properties[parameter.name] = self.default(parameter, name, element, scope, macro)
        if given or blocks:
            odd = f"parameter '{next(iter(given))}'" if given else f"block <{blocks[0].tag}>"
            raise _refused(element, f"the macro '{name}' has no {odd}", "name the macro's own parameters")
        yield from self.inside(macro.element.children, inner, macro.folder)

    def default(self, parameter: _Parameter, name: str, element: Element, scope: _Scope, macro: _Macro) -> _Property:
        outer = scope.find_property(parameter.name) if parameter.inherited else None
        if outer is not None:
            return outer
        if parameter.default is None:
            raise _refused(element, f"the macro '{name}' needs its parameter '{parameter.name}'")
        value = self.text(parameter.default, element, scope, macro.folder)
        return _Property("", scope, element.where, value=value)


def _word(element: Element) -> str | None:
    """'macro' for <xacro:macro>, None for an element of URDF."""
    found = _XACRO.fullmatch(element.tag)
    return None if found is None else found[1]


def _name(element: Element) -> str:
    word = _word(element)
    return str(element) if word is None else f"<xacro:{word}>"


def _read_macro(element: Element, folder: Path) -> _Macro:
    written = element.attributes.get("params", "").strip()
    parameters = []
    end = 0
    while end < len(written):
        found = _PARAMETER.match(written, end)
        if found is None or found.end() == end:
            raise _refused(element, f"the parameters '{written[end : end + 60]}' cannot be read")
        default = None if found[3] is None else found[3].strip("'\"")
        if found[3] == "" and found[2] == "^":
            default = None  # inherited, without a default
        parameters.append(_Parameter(found[1], default, found[2] is not None))
        end = found.end()
    return _Macro(element, tuple(parameters), folder)


def _need(element: Element, name: str) -> str:
    value = element.attributes.get(name, "")
    if not value.strip():
        raise _refused(element, f"{_name(element)} has no attribute '{name}'", f'write {name}="..."')
    return value


def _literal(value: Value) -> Value:
    """A word as a number or truth value if it is one; unchanged otherwise."""
    if not isinstance(value, str):
        return value
    word = value.strip()
    if word in ("true", "True", "false", "False"):
        return _BOOLEANS[word]
    if re.fullmatch(r"[+-]?[0-9]{1,15}", word):
        return int(word)
    number = plain_number(word)
    return value if number is None else number


def _written(value: Value) -> str:
    return value if isinstance(value, str) else str(value)


def _refused(element: Element, found: str, remedy: str = "correct the xacro file") -> RobotFileError:
    return RobotFileError(found, where=element.where, remedy=remedy)
