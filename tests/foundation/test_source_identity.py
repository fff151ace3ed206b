"""The source's identity: every file of the package counts, and it is the same for everybody who has the same files."""

from __future__ import annotations

import shutil
from pathlib import Path

import torquec
from torquec.foundation.source_identity import source_identity


def test_every_source_file_counts(tmp_path, monkeypatch):
    source_identity.cache_clear()
    here = source_identity()
    copy = tmp_path / "torquec"
    shutil.copytree(Path(torquec.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(torquec, "__file__", str(copy / "__init__.py"))

    def identity():
        source_identity.cache_clear()
        return source_identity()

    try:
        assert identity() == here
        (copy / "foundation" / "work.py").write_text("# changed\n")
        changed = identity()
        assert changed != here
        (copy / "foundation" / "work.py").rename(copy / "foundation" / "other.py")
        assert identity() not in (here, changed)
    finally:
        source_identity.cache_clear()
