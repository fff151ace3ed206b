"""Whether bytes are a whole object file: LLVM ends the process for one that is cut off or has tables elsewhere.

Read are the tables of sections (ELF) or segments (Mach-O), of 64-bit little-endian objects as LLVM makes them here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

ELF, MACH_O = b"\x7fELF", b"\xcf\xfa\xed\xfe"

_ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_ELF_SECTION = struct.Struct("<IIQQQQIIQQ")
_NO_BITS = 8  # type of a section that takes no place in the file
_MACH_HEADER = struct.Struct("<IIIIIIII")
_MACH_COMMAND = struct.Struct("<II")
_MACH_SEGMENT = struct.Struct("<II16sQQQQ")
_SEGMENT_64 = 0x19  # command that describes a segment


def is_whole_object(code: bytes, symbols: Iterable[str]) -> bool:
    """Whether `code` is an object file with all its sections, in which these symbols are named."""
    try:
        read = {ELF: _elf_ends, MACH_O: _mach_ends}[code[:4]]
        whole = max(read(code), default=0) <= len(code)
    except (KeyError, struct.error):
        return False
    return whole and all(f"{symbol}\0".encode() in code for symbol in symbols)


def _elf_ends(code: bytes) -> Iterator[int]:
    """Where the table of sections and each section end."""
    header = _ELF_HEADER.unpack_from(code)
    start, size, count = header[6], header[11], header[12]
    yield start + size * max(count, 1)
    if size != _ELF_SECTION.size or not count:
        raise struct.error("no table of sections")
    for k in range(count):
        section = _ELF_SECTION.unpack_from(code, start + k * size)
        if section[1] != _NO_BITS:
            yield section[4] + section[5]


def _mach_ends(code: bytes) -> Iterator[int]:
    """Where the load commands and each segment end."""
    header = _MACH_HEADER.unpack_from(code)
    count, total = header[4], header[5]
    yield _MACH_HEADER.size + total
    place = _MACH_HEADER.size
    for _ in range(count):
        kind, size = _MACH_COMMAND.unpack_from(code, place)
        if size < _MACH_COMMAND.size:
            raise struct.error("a load command without a length")
        if kind == _SEGMENT_64:
            segment = _MACH_SEGMENT.unpack_from(code, place)
            yield segment[5] + segment[6]
        place += size
    if not count:
        raise struct.error("no load commands")
