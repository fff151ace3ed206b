"""The shell around script and data: every place filled once, nothing in them able to leave its element."""

from __future__ import annotations

import json
import re

from torquec.page.self_contained import PageBundle, content_policy, inline_script, json_in_html, self_contained

SHELL = '<p c="@policy@"><title>@title@</title><style>@style@</style><i>@data@</i><script>@script@</script>'


def test_places_are_filled_once_whatever_the_texts_hold():
    bundle = PageBundle(SHELL, "let a = '@data@ </script>'", "a{content:'@script@</style>'}")
    text = self_contained(bundle, title="<b>@data@</b>", data={"name": "@script@</i>"})
    assert text.count("</script>") == text.count("</style>") == text.count("</i>") == 1
    assert "&lt;b&gt;@data@&lt;/b&gt;" in text
    assert json.loads(re.search(r"<i>(.*?)</i>", text)[1]) == {"name": "@script@</i>"}


def test_the_policy_names_script_and_style_by_their_hashes():
    assert len({content_policy(script, style) for script in "ab" for style in "ab"}) == 4
    policy = content_policy("a", "b")
    assert "unsafe-eval" not in policy.replace("wasm-unsafe-eval", "")
    assert "unsafe-inline" not in policy
    assert "worker-src" not in policy
    assert "worker-src blob:" in content_policy("a", "b", threads=True)


def test_text_between_tags():
    assert "</" not in inline_script("</script></SCRIPT>")
    assert "<" not in json_in_html({"a<b": "<!-- <script>"})
