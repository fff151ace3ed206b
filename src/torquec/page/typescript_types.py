"""TypeScript interfaces from the classes of `document_types.py`: `python -m torquec.page.typescript_types`.

Writes `web/source/document.ts`; a test compares it. The classes are read as source text, so that names, order and
comments stay. Like `build_bundle.py`, this file uses the standard library alone.
"""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).with_name("document_types.py")
TARGET = Path(__file__).with_name("web") / "source" / "document.ts"
COMMAND = "python -m torquec.page.typescript_types"

_HEAD = f"""\
// What Python writes into the page, as one JSON document. Generated from `{SOURCE.name}`: edit that file, then run
// `{COMMAND}`.
"""
_NAMES = {"str": "string", "int": "number", "float": "number", "bool": "boolean", "None": "null", "Any": "unknown"}


def typescript_text(source: str) -> str:
    """The interfaces of the classes, and the types of the aliases, in a module's source.

    >>> print(typescript_text("class A(TypedDict): x: list[int | None]").partition("export ")[2], end="")
    interface A {
      x: (number | null)[];
    }
    """
    body = ast.parse(source).body
    inline = {node.name: node for node in body if isinstance(node, ast.ClassDef) and node.name.startswith("_")}
    blocks = [_HEAD]
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef) and node.name not in inline:
            blocks.append(_interface(node, inline))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            comment = _comment(_text_of(after), "")
            blocks.append(f"{comment}export type {node.targets[0].id} = {_type(node.value, inline)};\n")
    return "\n".join(blocks)


def _interface(node: ast.ClassDef, inline: dict[str, ast.ClassDef]) -> str:
    bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id != "TypedDict"]
    extends = f" extends {', '.join(bases)}" if bases else ""
    lines = []
    for item, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(item, ast.AnnAssign):
            lines.append(f"{_comment(_text_of(after), '  ')}  {_field(item, inline)};\n")
    return (
        f"{_comment(ast.get_docstring(node) or '', '')}export interface {node.name}{extends} {{\n{''.join(lines)}}}\n"
    )


def _field(item: ast.AnnAssign, inline: dict[str, ast.ClassDef]) -> str:
    assert isinstance(item.target, ast.Name)
    return f"{item.target.id}: {_type(item.annotation, inline)}"


def _text_of(node: ast.stmt | None) -> str:
    """The text of a string that stands alone: the comment on the field before it."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return node.value.value
    return ""


def _comment(text: str, indent: str) -> str:
    return f"{indent}/** {' '.join(text.split())} */\n" if text else ""


def _type(node: ast.expr, inline: dict[str, ast.ClassDef]) -> str:
    """The TypeScript of an annotation; raises `ValueError` for one without a TypeScript type."""
    match node:
        case ast.Constant(value=None):
            return "null"
        case ast.Name(id=name) if name in inline:
            fields = [_field(item, inline) for item in inline[name].body if isinstance(item, ast.AnnAssign)]
            return f"{{ {'; '.join(fields)} }}"
        case ast.Name(id=name):
            return _NAMES.get(name, name)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return f"{_type(left, inline)} | {_type(right, inline)}"
        case ast.Subscript(value=ast.Name(id="list"), slice=inner):
            item = _type(inner, inline)
            return f"({item})[]" if isinstance(inner, ast.BinOp) else f"{item}[]"
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[ast.Name(id="str"), inner])):
            return f"Record<string, {_type(inner, inline)}>"
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[_, ast.Constant(value=str(text))])):
            return text
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=words)):
            return " | ".join(f'"{ast.literal_eval(word)}"' for word in words)
    raise ValueError(f"no TypeScript for {ast.unparse(node)}")


if __name__ == "__main__":
    TARGET.write_text(typescript_text(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
