"""STL: triangles with three corners each, as bytes or as text; no colours, no unit."""

from __future__ import annotations

import numpy as np

from torquec.errors import RobotFileError
from torquec.page.mesh import MeshPart, TriangleMesh

_HEAD = 84  # bytes before the triangles of a binary file: 80 of anything, then how many there are
_TRIANGLE = 50  # bytes of each: normal, three corners, two bytes more


def read_stl(data: bytes, where: str) -> TriangleMesh:
    """The mesh of an STL file; raises `RobotFileError` for one that is cut or is none."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= _HEAD else -1
    # Files that begin with "solid" may be binary all the same; the length decides.
    if count >= 0 and len(data) >= _HEAD + count * _TRIANGLE and not (data[:5] == b"solid" and b"facet" in data[:400]):
        rows = np.frombuffer(data, np.uint8, count * _TRIANGLE, _HEAD).reshape(count, _TRIANGLE)
        corners = rows[:, 12:48].copy().view("<f4").reshape(-1, 3).astype(float)
    elif data.lstrip()[:5] == b"solid":
        corners = _text_corners(data, where)
    else:
        raise RobotFileError("this is no STL file, or it is cut", where=where, remedy="export the mesh again")
    return TriangleMesh(corners, (MeshPart(np.arange(len(corners)).reshape(-1, 3)),))


def _text_corners(data: bytes, where: str) -> np.ndarray:
    words = data.split()
    places = [k for k, word in enumerate(words) if word == b"vertex"]
    try:
        values = np.array([words[k + 1 : k + 4] for k in places], dtype=float).reshape(-1, 3)
    except ValueError:
        raise RobotFileError("a vertex of the STL file is no point", where=where, remedy="export it again") from None
    return values[: len(values) // 3 * 3]
