"""XML element tree with line numbers, on the standard library's expat.

Refused: document types and entities (entity bombs, external files), prefixes without a namespace, documents that end
early, nesting that no robot needs. Nothing but the bytes handed in is ever read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, read_bytes
from torquec.robot.number import parse_number, parse_vector, plain_number
from torquec.robot.tuning import TUNING


@dataclass(eq=False, slots=True)
class Element:
    """One XML element: tag, attributes, character data, children in file order, and where it starts ("file:line").

    A tag outside the document's own namespace keeps its namespace, as in "{http://ros.org/wiki/xacro}macro". Nothing
    changes an element once it is made; it is not frozen because freezing makes hundreds of them three times as slow.
    """

    tag: str
    attributes: dict[str, str] = field(repr=False)
    where: str
    text: str = field(default="", repr=False)
    children: tuple[Element, ...] = field(default=(), repr=False)

    def all(self, tag: str) -> tuple[Element, ...]:
        """The children with that tag, in file order."""
        return tuple([child for child in self.children if child.tag == tag])

    def find(self, tag: str) -> Element | None:
        """The child with that tag, None if there is none; raises `RobotFileError` if there are several."""
        found = [child for child in self.children if child.tag == tag]
        if len(found) > 1:
            raise RobotFileError(
                f"{self} has {len(found)} <{tag}> elements", where=found[1].where, remedy=f"keep one <{tag}>"
            )
        return found[0] if found else None

    def need(self, tag: str) -> Element:
        """The child with that tag; raises `RobotFileError` if there is none or several."""
        found = self.find(tag)
        if found is None:
            raise RobotFileError(f"{self} has no <{tag}>", where=self.where, remedy=f"add a <{tag}> to it")
        return found

    def attribute(self, name: str) -> str:
        """The attribute; raises `RobotFileError` if it is missing or empty."""
        value = self.attributes.get(name, "")
        if not value.strip():
            raise RobotFileError(
                f"{self} has no attribute '{name}'", where=self.where, remedy=f'write <{self.tag} {name}="...">'
            )
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """The attribute as a finite number; `default` if it is missing and there is one."""
        if name not in self.attributes and default is not None:
            return default
        written = self._written(name)
        value = plain_number(written)
        # Formatting the message costs more than parsing the number: only on failure.
        return parse_number(written, what=f"{name} of {self}", where=self.where) if value is None else value

    def vector(self, name: str, default: tuple[float, float, float] | None = None) -> tuple[float, float, float]:
        """The attribute as three finite numbers; `default` if it is missing and there is one."""
        if name not in self.attributes and default is not None:
            return default
        written = self._written(name)
        values = [plain_number(word) for word in written.split()]
        if len(values) != 3 or None in values:
            return parse_vector(written, what=f"{name} of {self}", where=self.where)
        return (values[0], values[1], values[2])  # type: ignore[return-value]

    def walk(self) -> Iterator[Element]:
        """This element and everything below it, in file order."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            if element.children:
                stack.extend(reversed(element.children))

    def _written(self, name: str) -> str:
        return self.attributes[name] if name in self.attributes else self.attribute(name)

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f'<{self.tag} name="{name}">'


_Open: TypeAlias = tuple[str, dict[str, str], int, int, int]
"""An element whose end tag has not been seen yet: tag, attributes, line, and the numbers of elements and of texts that
were waiting for their parents when it began. All later ones belong to this element."""


def parse_xml(data: bytes, source: str) -> Element:
    r"""The root element of an XML document; `source` is the file's name for messages.

    Raises `RobotFileError`, with the line, for anything that is not one plain, complete XML document.

    >>> parse_xml(b"<robot name='arm'>\n<link name='base'/></robot>", "arm.urdf").children[0].where
    'arm.urdf:2'
    """
    if not data.strip():
        raise RobotFileError("the file is empty", where=source, remedy="check that it was saved or downloaded in full")
    builder = _Builder(source)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        declared = _with_prefix(data, error)
        if declared is None:
            raise _explained(error, source) from None
        root = parse_xml(declared, source)
        if _is_outside(root, "gazebo"):
            raise _explained(error, source) from None
        return root
    except (LookupError, ValueError) as error:
        # How expat's Python binding reports encodings that it cannot decode.
        raise RobotFileError(
            f"the declared encoding cannot be read: {error}", where=f"{source}:1", remedy="save the file as UTF-8"
        ) from None
    (root,) = builder.done  # expat has seen a complete document
    return root


_UNDECLARED = "undeclared"
"""Namespace of undeclared prefixes, which simulators write into <gazebo>; that element is ignored."""


def _with_prefix(data: bytes, error: expat.ExpatError) -> bytes | None:
    """The document with the undeclared prefix of an error declared at its root; None for other errors."""
    if error.code != expat.errors.codes[expat.errors.XML_ERROR_UNBOUND_PREFIX]:
        return None
    line = data.split(b"\n")[error.lineno - 1][error.offset :]
    prefix, root = re.match(rb"<([\w.-]+):", line), re.search(rb"<robot\b", data)
    if prefix is None or root is None or data.count(f'="{_UNDECLARED}"'.encode()) >= TUNING.undeclared_prefixes:
        return None
    return data[: root.end()] + b' xmlns:%s="%s"' % (prefix[1], _UNDECLARED.encode()) + data[root.end() :]


def _is_outside(element: Element, section: str) -> bool:
    """Whether an element with an undeclared prefix stands outside of all sections of that name."""
    if element.tag.startswith(f"{{{_UNDECLARED}}}"):
        return True
    return element.tag != section and any(_is_outside(child, section) for child in element.children)


def read_included(path: Path, name: str, include: Element) -> bytes:
    """The bytes of a file that a robot file includes; errors in it are reported at the line that includes it."""
    try:
        return read_bytes(path, FileKind.ROBOT)
    except RobotFileError as error:
        raise RobotFileError(f'"{name[:120]}": {error.found}', where=include.where, remedy=error.remedy) from None


def xml_document(root: Element) -> str:
    """A document with the elements, attributes and texts of a tree, indented; comments were not kept.

    Raises `RobotFileError` for elements of other namespaces, whose prefixes were not kept either.

    >>> print(xml_document(parse_xml(b"<robot name='arm'><link name='base'/></robot>", "arm.urdf")), end="")
    <?xml version="1.0" encoding="utf-8"?>
    <robot name="arm">
      <link name="base"/>
    </robot>
    """
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    stack: list[tuple[Element, int] | str] = [(root, 0)]
    while stack:
        entry = stack.pop()
        if isinstance(entry, str):
            lines.append(entry)
            continue
        element, depth = entry
        if element.tag.startswith("{") or any(" " in name for name in element.attributes):
            raise RobotFileError(f"{element} is of another namespace", where=element.where, remedy="leave it out")
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in element.attributes.items())
        start, text = f"{'  ' * depth}<{element.tag}{attributes}", escape(element.text.strip())
        if not element.children:
            lines.append(f"{start}>{text}</{element.tag}>" if text else f"{start}/>")
            continue
        lines.append(f"{start}>{text}")
        stack.append(f"{'  ' * depth}</{element.tag}>")
        stack.extend((child, depth + 1) for child in reversed(element.children))
    return "\n".join([*lines, ""])


class _Builder:
    """Collects expat's events into elements, children before their parents."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.stack: list[_Open] = []
        self.done: list[Element] = []
        self.texts: list[str] = []
        self.namespace = ""
        # With a namespace separator, expat itself refuses unbound prefixes.
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.texts.append
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype
        self.parser.EntityDeclHandler = self.refuse_doctype

    def start(self, name: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if len(self.stack) >= TUNING.element_nesting:
            raise RobotFileError(
                f"elements are nested more than {TUNING.element_nesting} deep",
                where=f"{self.source}:{line}",
                remedy="flatten them",
            )
        namespace, _, tag = name.rpartition(" ")
        if not self.stack:
            self.namespace = namespace
        if namespace not in ("", self.namespace):
            tag = f"{{{namespace}}}{tag}"
        self.stack.append((tag, attributes, line, len(self.done), len(self.texts)))

    def end(self, _name: str) -> None:
        tag, attributes, line, first_child, first_text = self.stack.pop()
        text, children = "".join(self.texts[first_text:]), tuple(self.done[first_child:])
        del self.texts[first_text:], self.done[first_child:]
        self.done.append(Element(tag, attributes, f"{self.source}:{line}", text, children))

    def refuse_doctype(self, *_: object) -> None:
        raise RobotFileError(
            "the file declares a document type or entities",
            where=f"{self.source}:{self.parser.CurrentLineNumber}",
            remedy="remove the <!DOCTYPE ...>: entities are never expanded and no other file is ever opened",
        )


def _explained(error: expat.ExpatError, source: str) -> RobotFileError:
    """The error of expat, explained."""
    reason = expat.ErrorString(error.code) or "not well-formed"
    remedies = {
        expat.errors.XML_ERROR_NO_ELEMENTS: "the document ends early: check that the file is complete",
        expat.errors.XML_ERROR_UNCLOSED_TOKEN: "the document ends early: check that the file is complete",
        expat.errors.XML_ERROR_UNBOUND_PREFIX: 'declare the prefix, as in <robot xmlns:xacro="http://ros.org/wiki/xacro">',
        expat.errors.XML_ERROR_TAG_MISMATCH: "close every element with its own end tag",
        expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE: "give each attribute once",
        expat.errors.XML_ERROR_INCORRECT_ENCODING: "save the file as UTF-8",
        expat.errors.XML_ERROR_UNKNOWN_ENCODING: "save the file as UTF-8",
        expat.errors.XML_ERROR_UNDEFINED_ENTITY: "write the character itself: only &amp; &lt; &gt; &quot; &apos; exist",
    }
    remedy = remedies.get(reason, "correct the XML at this line, and check that the file is text in UTF-8")
    return RobotFileError(f"not valid XML: {reason}", where=f"{source}:{error.lineno}", remedy=remedy)
