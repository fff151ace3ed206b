"""The page's document is typed once: `document.ts` is generated, and real documents have the declared types."""

from __future__ import annotations

import types
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from tests.page.test_view_page import data_of, needs_bundle

from torquec.page import document_types
from torquec.page.document_types import PoseData, ViewData
from torquec.page.typescript_types import COMMAND, SOURCE, TARGET, typescript_text
from torquec.page.view_page import view_page
from torquec.robot import classics
from torquec.trajectory import puma560_standard_trajectory


def misfit(value, kind, where="data"):
    """Where a JSON value first differs from a type; empty where it does not."""
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return ""
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        if not isinstance(value, dict) or value.keys() != hints.keys():
            return f"{where}: keys {sorted(value) if isinstance(value, dict) else value!r}, not {sorted(hints)}"
        return next(filter(None, (misfit(value[key], hint, f"{where}.{key}") for key, hint in hints.items())), "")
    if origin is Annotated:
        length = args[1].count(",") + 1
        return f"{where}: {len(value)} entries" if len(value) != length else misfit(value, args[0], where)
    if origin is types.UnionType:
        return "" if any(not misfit(value, one, where) for one in args) else f"{where}: {value!r}"[:200]
    if origin is Literal:
        return "" if value in args else f"{where}: {value!r}"
    if origin is list and isinstance(value, list):
        return next(filter(None, (misfit(x, args[0], f"{where}[{k}]") for k, x in enumerate(value))), "")
    if origin is dict and isinstance(value, dict):
        return next(filter(None, (misfit(x, args[1], f"{where}.{key}") for key, x in value.items())), "")
    plain = (int, float) if kind is float else kind
    fits = origin is None and isinstance(value, plain) and (kind is bool or not isinstance(value, bool))
    return "" if fits else f"{where}: {value!r} is no {kind}"


def test_the_file_is_current():
    assert TARGET.read_text(encoding="utf-8") == typescript_text(SOURCE.read_text(encoding="utf-8")), f"run {COMMAND}"


def test_a_class_becomes_an_interface():
    source = """
Pair = Annotated[list[int], "[number, number]"]
class _Inner(TypedDict):
    y: dict[str, Pair]
class A(TypedDict):
    '''Doc
    string.'''
class B(A):
    x: list[_Inner] | None
    '''Of x.'''
    w: Literal["a", "b"]
"""
    assert typescript_text(source).split("\n\n", 1)[1] == (
        "export type Pair = [number, number];\n\n/** Doc string. */\nexport interface A {\n}\n\n"
        "export interface B extends A {\n  /** Of x. */\n  x: { y: Record<string, Pair> }[] | null;\n"
        '  w: "a" | "b";\n}\n'
    )
    with pytest.raises(ValueError, match=r"no TypeScript for set\[int\]"):
        typescript_text("class A(TypedDict):\n    x: set[int]\n")


@needs_bundle
@pytest.mark.parametrize(
    ("robot", "more"),
    [
        (classics.planar2r(), {}),
        (classics.puma560(), {"trajectory": puma560_standard_trajectory(period=0.02)}),
        (classics.puma560(), {"haptic": True}),
    ],
    ids=["two joints", "a motion", "haptic"],
)
def test_a_page_holds_a_document_of_these_types(robot, more):
    assert misfit(data_of(view_page(robot, **more).html), ViewData) == ""


def test_a_wrong_document_is_found():
    right = {"rotation": [1.0] * 9, "origin": [0, 0.0, 1.0]}
    assert misfit(right, PoseData) == ""
    assert "keys" in misfit({"rotation": []}, PoseData)
    assert "2 entries" in misfit(right | {"origin": [0.0, 1.0]}, PoseData)
    assert "data.rotation[0]: '1'" in misfit(right | {"rotation": ["1"]}, PoseData)
    assert "True" in misfit(right | {"rotation": [True]}, PoseData)
    assert misfit("wall", document_types.ShapeRole)
