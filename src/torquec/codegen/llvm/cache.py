"""On-disk cache of object code, so that a function is traced and compiled once.

The cache is the folder `torquec` in the user's cache directory (`TORQUEC_CACHE_DIR` names another folder,
`TORQUEC_CACHE=0` switches it off). Loaded code is trusted: the folder must belong to the user, and nobody else may
write to it. Every entry carries the SHA-256 of its content, which is checked before anything is loaded. Entries are
written to a temporary file and renamed: processes may share a cache. A damaged entry is removed; a folder that cannot
be used is the same as no cache. The least recently used entries are removed beyond 256 MB. Scanning thousands of
entries takes longer than writing one, so the sizes are checked about once per 8 MB written.

An entry: 8 bytes magic, 32 bytes SHA-256 of the rest, 4 bytes length of the header, header (JSON: key and facts), code.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MAGIC = b"torquec\x01"
_SUFFIX = ".object"
_CACHE_BYTES = 256 * 2**20  # some thousand functions; beyond it the least recently used entries are removed
_SIZE_CHECKS = 32  # scans of the sizes of all entries while `_CACHE_BYTES` are written
_TOUCH_SECONDS = 86400.0  # a day: an entry in use gets a new time stamp at most this often


@dataclass(frozen=True)
class CacheEntry:
    """Object code, and the name and ports of its function, which can be read without compiling."""

    facts: dict[str, Any]
    code: bytes


@dataclass(frozen=True)
class ObjectCache:
    """A folder of entries. Reading and writing never raise for a faulty folder."""

    folder: Path

    def read(self, key: str) -> CacheEntry | None:
        """The entry of a key, or None; one that is damaged or has an unreadable header is removed."""
        path = self._path(key)
        try:
            content = _read_own_file(path)
        except OSError:
            return None
        entry = _unpack(content, key)
        if entry is None:
            with contextlib.suppress(OSError):
                path.unlink()
        return entry

    def write(self, key: str, entry: CacheEntry) -> None:
        """Store an entry, if the folder allows it."""
        content = _pack(entry, key)
        with contextlib.suppress(OSError):
            handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=".writing-")  # readable by the owner only
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                Path(temporary).replace(self._path(key))
            except OSError:
                Path(temporary).unlink(missing_ok=True)
                raise
            chance = int(self._path(key).name[:8], 16) / 2**32  # uniform over the keys, the same in every run
            if chance * _CACHE_BYTES < _SIZE_CHECKS * len(content):
                self._prune()

    def _path(self, key: str) -> Path:
        return self.folder / (hashlib.sha256(key.encode()).hexdigest()[:40] + _SUFFIX)

    def _prune(self) -> None:
        """Remove the entries that were not used for longest until the rest fits."""
        files = []
        with os.scandir(self.folder) as entries:  # many thousand of them: no `Path` is made for each
            for entry in entries:
                if entry.name.endswith(_SUFFIX) or entry.name.startswith(".writing-"):
                    with contextlib.suppress(OSError):  # another process may have removed it
                        status = entry.stat()
                        files.append((status.st_mtime, status.st_size, entry.path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files) if total > _CACHE_BYTES else ():
            if total <= _CACHE_BYTES:
                break
            Path(path).unlink(missing_ok=True)
            total -= size


def open_cache() -> ObjectCache | None:
    """The user's cache, or None where it is switched off or its folder cannot be trusted."""
    if os.environ.get("TORQUEC_CACHE") == "0":
        return None
    try:
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except (OSError, RuntimeError):  # no home directory, no permission
        return None
    return ObjectCache(folder) if stat.S_ISDIR(status.st_mode) and _is_private(status) else None


def _folder() -> Path:
    chosen = os.environ.get("TORQUEC_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "torquec"


def _is_private(status: os.stat_result) -> bool:
    """Whether the owner is this user and nobody else may write (Windows keeps the profile private by itself)."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _read_own_file(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or not _is_private(status):
            raise PermissionError(path)
        content = file.read()
    if time.time() - status.st_mtime > _TOUCH_SECONDS:
        with contextlib.suppress(OSError):
            os.utime(path)  # in use: among the last to be pruned
    return content


def _pack(entry: CacheEntry, key: str) -> bytes:
    header = json.dumps({"key": key, "facts": entry.facts}).encode()
    rest = len(header).to_bytes(4, "little") + header + entry.code
    return _MAGIC + hashlib.sha256(rest).digest() + rest


def _unpack(content: bytes, key: str) -> CacheEntry | None:
    """The entry, or None unless the content is whole and belongs to the key."""
    rest = content[len(_MAGIC) + 32 :]
    if content[: len(_MAGIC)] != _MAGIC or content[len(_MAGIC) : len(_MAGIC) + 32] != hashlib.sha256(rest).digest():
        return None
    length = int.from_bytes(rest[:4], "little")
    try:
        header = json.loads(rest[4 : 4 + length])
        stated, facts = header["key"], header["facts"]
    except (ValueError, KeyError, TypeError):
        return None
    return CacheEntry(facts, rest[4 + length :]) if stated == key and isinstance(facts, dict) else None
