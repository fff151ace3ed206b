"""The documentation as a site: `./run docs`, or `python -m sphinx -W docs build/site` with the extra `docs`.

Pages are Markdown (MyST) and read well as plain files, too. Three things happen to them on the way to HTML: formulas
become MathML, which browsers draw themselves, so that the site needs no script from elsewhere; the reference of each
public name is made from its docstring, task by task, from the table `torquec.API`; and links of docs/api.md to
the source lead to that reference.
"""

from __future__ import annotations

import html
import inspect
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))

import torquec  # noqa: E402 - found through the line above

project = "Torquec"
author = "The Torquec developers"
project_copyright = "The Torquec developers; Apache-2.0"
release = version = torquec.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["README.md"]
suppress_warnings = ["toc.empty_glob"]  # a page that a checkout may still lack
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
nitpicky = False  # signatures name types of rooms that are no public names
default_role = "code"  # docstrings write `names` as Markdown does
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
toc_object_entries = False
maximum_signature_line_length = 90
highlight_language = "text"
pygments_style = "friendly"
pygments_dark_style = "github-dark"

html_theme = "furo"
html_title = "Torquec"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/mark.svg"
html_logo = "_static/mark.svg"
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {
    "sidebar_hide_name": False,
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#6db3f2", "color-brand-content": "#6db3f2"},
}

REFERENCE = HERE / "reference"
"""Made anew by every build; not kept in git."""


def reference_name(task: str) -> str:
    """The file of a task's reference, without its ending."""
    return re.sub(r"[^a-z]+", "-", task.lower()).strip("-")


def reference_page(task: str, names: list[str]) -> str:
    """The page of a task: each public name with its signature and docstring."""
    parts = [f"# {task}", ""]
    for name in names:
        found = getattr(torquec, name)
        if inspect.ismodule(found):
            directive, options = f"automodule:: {found.__name__}", ""
            parts += [f"(torquec.{name})=", f"## torquec.{name}", ""]
        elif inspect.isclass(found):
            kind = "autoexception" if issubclass(found, BaseException) else "autoclass"
            directive, options = f"{kind}:: torquec.{name}", "   :members:\n" if kind == "autoclass" else ""
        else:
            directive, options = f"autofunction:: torquec.{name}", ""
        parts += ["```{eval-rst}", f".. {directive}", options, "```", ""]
    return "\n".join(parts)


def write_reference(_app) -> None:
    """One page for each task of the table; a page whose text is the same is left alone, so that builds are short."""
    REFERENCE.mkdir(exist_ok=True)
    for task, homes in torquec.API.items():
        path = REFERENCE / f"{reference_name(task)}.md"
        text = reference_page(task, [name for names in homes.values() for name in names])
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for stray in {path.stem for path in REFERENCE.glob("*.md")} - {reference_name(task) for task in torquec.API}:
        (REFERENCE / f"{stray}.md").unlink()


def link_reference(_app, docname: str, source: list[str]) -> None:
    """Names of docs/api.md lead to their reference instead of to the source, and headings list it for the sidebar."""
    source[0] = re.sub(r"\]\(\.\./(CONTRIBUTING|CHANGELOG)\.md", lambda found: f"]({found[1].lower()}.md", source[0])
    if docname != "api":
        return
    modules = {name for name in torquec.__all__ if inspect.ismodule(getattr(torquec, name))}

    def link(match: re.Match[str]) -> str:
        name = match[1]
        return f"[`{name}`](#torquec.{name})" if name in modules else f"{{py:obj}}`{name} <torquec.{name}>`"

    text = re.sub(r"\[`(\w+)`\]\(\.\./src/[^)]*\)", link, source[0])
    pages = "\n".join(f"reference/{reference_name(task)}" for task in torquec.API)
    source[0] = text + f"\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"


def escape_marks(_app, _what, _name, _object, _options, lines: list[str]) -> None:
    """Docstrings use * and | as mathematics does: they begin no emphasis and no substitution, but in doctests."""
    is_doctest = False
    for k, line in enumerate(lines):
        is_doctest = line.lstrip().startswith(">>>") or (is_doctest and bool(line.strip()))
        if not is_doctest:
            parts = re.split(r"(`[^`]*`)", line)
            parts[::2] = [re.sub(r"([*|])", r"\\\1", part) for part in parts[::2]]
            lines[k] = "".join(parts)


_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_ACCENTS = {"˙": "\u0307", "¨": "\u0308", "⃛": "\u20db", "ˆ": "\u0302", "~": "\u0303"}
"""Signs above a letter, and the characters that put them there."""


def math_markup(formula: str, *, as_block: bool) -> str:
    """TeX as MathML; raises `MathError` for what cannot be converted."""
    return tidy_accents(tex2mathml(formula, as_block=as_block))


def tidy_accents(formula: str) -> str:
    """Letters with their accents as one sign: docutils puts the index of an accented letter below it, not beside it."""
    ET.register_namespace("", _NAMESPACE)
    known = re.sub(r"&(?!lt;|gt;|amp;|#)\w+;", lambda found: html.unescape(found[0]), formula)  # XML has few entities
    root = ET.fromstring(known)  # noqa: S314 - made by docutils a line before
    for element in root.iter():
        kind, parts = element.tag.removeprefix(f"{{{_NAMESPACE}}}"), list(element)
        if kind not in ("mover", "munderover") or len(parts[0]) or (parts[-1].text or "") not in _ACCENTS:
            continue
        letter = f"{parts[0].text}{_ACCENTS[parts[-1].text or '']}"
        place = parts[0] if kind == "munderover" else element
        element.remove(parts[-1])
        if kind == "munderover":
            element.tag = f"{{{_NAMESPACE}}}msub"
        else:
            element.remove(parts[0])
            element.tag = f"{{{_NAMESPACE}}}mi"
        place.attrib.clear()
        place.text, place.attrib["class"] = letter, "accented"
    return ET.tostring(root, encoding="unicode")


def draw_math(translator, node: nodes.Element, *, as_block: bool) -> None:
    """A formula as MathML; one that cannot be converted is a warning, and so fails the build."""
    try:
        translator.body.append(math_markup(node.astext(), as_block=as_block))
    except MathError as error:
        logging.getLogger(__name__).warning("formula: %s: %s", error, node.astext(), location=node)
    raise nodes.SkipNode


def setup(app) -> None:
    """Sphinx calls this."""
    app.connect("builder-inited", write_reference)
    app.connect("source-read", link_reference)
    app.connect("autodoc-process-docstring", escape_marks)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(lambda self, node: draw_math(self, node, as_block=False), None),
        block_renderers=(lambda self, node: draw_math(self, node, as_block=True), None),
    )
