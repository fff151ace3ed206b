"""Lock of an output folder against concurrent writers; the error of the second process names the holder.

(1)  the lock is the operating system's (`flock`, on Windows `msvcrt.locking`) on a hidden file beside the folder. It
     ends with its process, however that ends: a lock file that a killed process left is taken over
(2)  the file names the process that holds the lock: its number, its machine, and since when
(3)  the file is deleted when the lock is released; a process that has locked a deleted file tries again
(4)  one thread may lock a folder that it holds already: a run publishes its folder under its own lock

File systems without locks (some network mounts) leave a folder unlocked.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import hashlib
import json
import os
import platform
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from torquec.errors import ArgumentError

PATIENCE = 30.0
"""Seconds to wait for another process that only publishes its files, which takes milliseconds."""

_RETRY_SECONDS = 0.02  # s between two attempts
_LOCKED_BYTE = 2**30  # byte that is locked on Windows, where locked bytes cannot be read: beyond the text of (2)
_LOCK_TEXT_BYTES = 4096  # bytes of (2): a host's name and three numbers
_UNSUPPORTED = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOLCK}
"""Error numbers of file systems without locks."""

_HANDLES: set[int] = set()  # file handles of the locks that this process holds

_held = threading.local()


@contextlib.contextmanager
def folder_lock(directory: Path, *, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock of an output folder, which need not exist, until the context ends (1)-(4).

    Raises `ArgumentError`, with the process that holds the lock, where it is not free within `patience` seconds, and
    where the folder above cannot be written.
    """
    place = _place(directory)
    mine: set[Path] = _held.__dict__.setdefault("places", set())
    if place in mine:  # (4)
        yield
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle = _locked(place, directory, patience)
    except OSError as error:
        raise ArgumentError(
            f"cannot be written: {error.strerror or error}",
            where=str(directory),
            remedy="name a folder that can be made, where you may write",
        ) from None
    mine.add(place)
    _HANDLES.add(handle)
    try:
        yield
    finally:
        mine.discard(place)
        if handle in _HANDLES:  # a forked process has given it up
            _HANDLES.discard(handle)
            _release(handle, place)


def _place(directory: Path) -> Path:
    """The lock file of a folder, by a hash of its name: names may be as long as a file system allows."""
    whole = directory.resolve()
    digest = hashlib.sha256(os.fsencode(whole.name)).hexdigest()[:16]
    return whole.parent / f".torquec-{digest}.lock"


def _locked(place: Path, directory: Path, patience: float) -> int:
    """A handle of the lock file that holds the lock."""
    end = time.monotonic() + patience
    while True:
        handle = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            if _try_lock(handle):
                if _is_at(handle, place):  # (3)
                    _write_holder(handle)
                    return handle
            elif time.monotonic() >= end:
                raise ArgumentError(
                    f"another torquec is writing this folder: {_holder(handle)}",
                    where=str(directory),
                    remedy="wait until it has ended, or name another folder with -o",
                )
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        time.sleep(_RETRY_SECONDS)


def _release(handle: int, place: Path) -> None:
    """(3): deleted while it is locked; Windows deletes no file that is open, so there afterwards."""
    with contextlib.suppress(OSError):
        if sys.platform != "win32" and _is_at(handle, place):
            place.unlink()
    os.close(handle)
    if sys.platform == "win32":
        with contextlib.suppress(OSError):
            place.unlink()


def _is_at(handle: int, place: Path) -> bool:
    """Whether the file of a handle is still the one at this place."""
    try:
        return os.path.samestat(os.fstat(handle), place.lstat())
    except OSError:
        return False


def _write_holder(handle: int) -> None:
    """(2)."""
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    text = json.dumps({"pid": os.getpid(), "host": platform.node(), "since": now})
    os.ftruncate(handle, 0)
    os.pwrite(handle, text.encode(), 0) if hasattr(os, "pwrite") else os.write(handle, text.encode())


def _holder(handle: int) -> str:
    """Description of the process that holds a lock; the file is empty for a moment when a lock begins."""
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        found = json.loads(os.read(handle, _LOCK_TEXT_BYTES))
        return f"process {int(found['pid'])} on {found['host']!s}, since {found['since']!s}"
    except (OSError, ValueError, KeyError, TypeError):
        return "a process that has just begun"


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):
                return False
            raise
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
        return True


def _forget_handles() -> None:
    """In a forked process: close inherited locks, which must not outlive the process that holds them (1)."""
    for handle in _HANDLES:
        with contextlib.suppress(OSError):
            os.close(handle)
    _HANDLES.clear()
    _held.__dict__.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_handles)
