"""Text templates: files of another language that come with Torquec, with words such as @PREFIX@ filled in."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_WORD = re.compile(r"@([A-Z][A-Z0-9_]*)@")


@cache
def package_text(room: str, file: str) -> str:
    """The text of a file in a folder of this package, as in `package_text("realtime/c", "triple_buffer.h")`."""
    return (resources.files("torquec") / room / file).read_text(encoding="utf-8")


def filled_template(room: str, file: str, **words: object) -> str:
    """The text of a file with every @WORD@ replaced, in one pass; raises `KeyError` for a word that is not given."""
    return _WORD.sub(lambda found: str(words[found[1]]), package_text(room, file))
