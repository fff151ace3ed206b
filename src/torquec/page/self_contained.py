"""A page that needs and reaches nothing else: script, style and data in one text, and a policy that says so.

The policy forbids every connection, and allows the page's own script by its hash and WebAssembly, nothing more. Data
stands in an element that is no script; whatever names it holds, they cannot end it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from typing import Any

from torquec.page.bundle import PageBundle


def self_contained(bundle: PageBundle, *, title: str, data: dict[str, Any]) -> str:
    """The text of the page with its title and its data (JSON values)."""
    script = inline_script(bundle.script)
    filled = {
        "@policy@": content_policy(script),
        "@title@": html.escape(title),
        "@style@": bundle.style.replace("</", "<\\/"),
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


def content_policy(script: str) -> str:
    """The Content-Security-Policy of a page with this script (as it stands in the page)."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rules = {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest}' 'wasm-unsafe-eval'",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
        "connect-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def json_in_html(values: Any) -> str:
    r"""JSON that can stand in an element: its signs of HTML are written as escapes of JSON.

    >>> json_in_html({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(values, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
