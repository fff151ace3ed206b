"""Tables of numbers as CSV text, every number with all its digits."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from torquec.foundation.arrays import Array


def csv_text(header: Sequence[str], rows: Array) -> str:
    r"""A header and rows (N, columns) as CSV.

    >>> import numpy as np
    >>> csv_text(["t", "q, 1"], np.array([[0.0, 0.1]]))
    't,"q, 1"\n0.0,0.1\n'
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([[repr(value) for value in row] for row in rows.tolist()])
    return stream.getvalue()
