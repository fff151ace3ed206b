"""The identity of Torquec's own source: what was made by other code is never used again."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import torquec


@cache
def source_identity() -> str:
    """A hash of the version and of every source file of this package, in hexadecimal digits.

    Object code and kept results are stored under it.
    """
    digest = hashlib.sha256(torquec.__version__.encode())
    root = Path(torquec.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()
