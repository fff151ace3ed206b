"""Logs and trajectories with one thing wrong: the text, the line of the message (None: no line), and its words."""

from __future__ import annotations

import io
import zipfile

import numpy as np
from tests.corpus.good import LOG, TRAJECTORY, WAY_POINTS

Case = tuple[str, int | None, str]

_HEADER = "t,q1,q2,tau1,tau2\n"
_ROWS = "".join(f"{k / 100},{k},{-k},1,2\n" for k in range(6))


def _with(old: str, new: str, text: str = LOG) -> str:
    assert text.count(old) == 1, f"{text.count(old)} times: {old}"
    return text.replace(old, new)


_FIFTH = "0.05,0.1,-0.07142857142857142,2,-1.4,5,3,30.5"

LOGS: dict[str, Case] = {
    "empty": ("", None, "the file has no rows"),
    "a blank line": ("\n", None, "the file has no rows"),
    "blank lines": ("\n" * 2000, None, "the file has no rows"),
    "a header alone": (_HEADER, None, "no rows"),
    "prose": ("this is\nnot a log\n", None, ""),
    "zeros": ("\0" * 100 + "\n", None, ""),
    "a picture": ("\x89PNG\r\n\x1a\n" + "\xff\x00" * 50, None, ""),
    "no end of line": ("x" * 10_000_001, 1, "the line has no end"),
    "20001 columns": (",".join(["t", *(f"c{k}" for k in range(20_000))]) + "\n1\n", 1, "20001 columns"),
    "200001 columns": (",".join(["t", *(f"c{k}" for k in range(200_000))]) + "\n1\n", 1, "200001 columns"),
    "no time": (_with("t,q1", "x,q1"), None, "time"),
    "no positions": (_with("t,q1,q2,dq1", "t,a1,a2,dq1"), None, "position"),
    "no torques": (_with("tau1,tau2", "b1,b2"), None, "torque"),
    "a column twice": (_with("t,q1,q2,dq1", "t,q1,q1,dq1"), 1, "q1"),
    "a row too short": (_with(_FIFTH, "0.05,0.1"), 7, "2 values where there are 8 columns"),
    "a row too long": (_with(_FIFTH, f"{_FIFTH},1"), 7, "9 values where there are 8 columns"),
    "a word": (_with(_FIFTH, _FIFTH.replace(",2,", ",fast,")), 7, "column 'dq1' holds 'fast', which is not a number"),
    "a hexadecimal number": (_with(_FIFTH, _FIFTH.replace(",2,", ",0x2,")), 7, "holds '0x2', which is not a number"),
    "a number with its unit": (
        _with(_FIFTH, _FIFTH.replace(",5,", ",5 Nm,")),
        7,
        "holds '5 Nm', which is not a number",
    ),
    "a quoted word": (_with(_FIFTH, _FIFTH.replace(",2,", ',"x",')), 7, "which is not a number"),
    "digits of another script": (_with(_FIFTH, _FIFTH.replace(",2,", ",２,")), 7, "which is not a number"),
    "two separators": (_with(_FIFTH, _FIFTH.replace(",", ";")), 7, "1 values where there are 8 columns"),
    "a header in the middle": (_with(_FIFTH, "t,q1,q2,dq1,dq2,tau1,tau2,temperature"), 7, "which is not a number"),
    "a field of 200 kB": (_with(_FIFTH, _FIFTH.replace(",2,", f",{'x' * 200_000},")), 7, "which is not a number"),
}
"""As .csv, for a robot of two joints."""


def _archive(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **{name: np.asarray(values) for name, values in arrays.items()})  # type: ignore[arg-type]
    return stream.getvalue()


def _claiming(shape: tuple[int, ...], data: bytes = b"") -> bytes:
    """An archive whose array says that it has a shape."""
    content, stream = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.npy", content.getvalue() + data)
    return stream.getvalue()


_T, _Q = [0.0, 0.1, 0.2], [[0.0, 0.0], [0.1, 0.2], [0.2, 0.4]]

BINARY_LOGS: dict[str, tuple[str, bytes, str]] = {
    "an empty archive": ("log.npz", b"", "cannot be read"),
    "text": ("log.npz", b"t,q1\n0,1\n", "cannot be read"),
    "an archive cut off": ("log.npz", _archive(t=_T, q=_Q, tau=_Q)[:200], "cannot be read"),
    "an archive of nothing": ("log.npz", _archive(), "rows"),
    "an archive of text": ("log.npz", _archive(t=["a", "b", "c"], q=_Q, tau=_Q), "not real numbers"),
    "complex numbers": ("log.npz", _archive(t=[1j, 2j, 3j], q=_Q, tau=_Q), "not real numbers"),
    "records": ("log.npz", _archive(t=np.zeros(3, dtype=[("a", "f8")]), q=_Q, tau=_Q), "not real numbers"),
    "arrays of different lengths": ("log.npz", _archive(t=[0.0, 0.1], q=_Q, tau=_Q), "give all arrays the same length"),
    "a log of one column": ("log.npz", _archive(t=_T), "position"),
    "no torques": ("log.npz", _archive(t=_T, q=_Q), "torque"),
    "no time": ("log.npz", _archive(q=_Q, tau=_Q), "time"),
    "10001 columns": ("log.npz", _archive(t=_T, q=_Q, tau=_Q, x=np.zeros((3, 10_001))), "10006 columns"),
    "an array that claims a terabyte": ("log.npz", _claiming((10**12,)), "claims (1000000000000,) numbers"),
    "a Parquet file of nothing": ("log.parquet", b"", "cannot be read"),
    "a Parquet file of text": ("log.parquet", b"PAR1" + b"x" * 50 + b"PAR1", "cannot be read"),
    "a bag of nothing": ("log.mcap", b"", ""),
    "a bag of text": ("log.db3", b"SQLite format 3\0" + b"x" * 100, ""),
    "another kind of file": ("log.xlsx", b"PK", "unsupported log format '.xlsx'"),
}
"""The name of the file, its bytes, and the words of the answer; there are no lines."""

_SECOND = "0.02,0.04,-0.02857142857142857,2,-1.4,0,0"


def _motion(old: str, new: str) -> str:
    return _with(old, new, TRAJECTORY)


TRAJECTORIES: dict[str, Case] = {
    "empty": ("", None, "the file is empty"),
    "a blank line": ("\n", None, "the file is empty"),
    "a header alone": ("t,q_joint1,q_joint2\n", None, "0 rows of values"),
    "one row": ("t,q_joint1,q_joint2\n0,0,0\n", None, "1 rows of values"),
    "no time": (_motion("t,q_joint1", "x,q_joint1"), 1, "there is no column 't'"),
    "no positions": ("t\n0\n1\n", 1, "there are no positions"),
    "another joint": (_motion(",q_joint2", ",q_knee"), 1, "column q of 'joint2' is missing"),
    "speeds of one joint": (_motion(",qd_joint2", ",tau_x"), 1, "column qd of 'joint2' is missing"),
    "a column twice": (_motion("q_joint1,q_joint2", "q_joint1,q_joint1"), 1, "appears twice"),
    "a column without a name": (_motion("t,q_joint1", "t,"), 1, "a column has no name"),
    "a row too short": (_motion(_SECOND, "0.02,0.04"), 4, "2 values where the header has 7"),
    "a row too long": (_motion(_SECOND, f"{_SECOND},1"), 4, "8 values where the header has 7"),
    "a blank line in between": (_motion(_SECOND, ""), 4, "0 values where the header has 7"),
    "a word": (_motion(_SECOND, _SECOND.replace(",2,", ",fast,")), 4, "'fast', which is not a finite number"),
    "NaN": (_motion(_SECOND, _SECOND.replace(",2,", ",nan,")), 4, "'nan', which is not a finite number"),
    "an empty cell": (_motion(_SECOND, _SECOND.replace(",2,", ",,")), 4, "'', which is not a finite number"),
    "400 digits": (_motion(_SECOND, _SECOND.replace(",2,", f",{'9' * 400},")), 4, "which is not a finite number"),
    "times that stand still": (_motion("\n0.02,", "\n0.01,"), 4, "time goes from 0.01 s to 0.01 s"),
    "times that go back": (_motion("\n0.03,", "\n0.001,"), 5, "time goes from 0.02 s to 0.001 s"),
    "a thousand years": (_with("1.5,", "3e10,", WAY_POINTS), None, "a trajectory may take 500 MB"),
    "for ever": (_with("1.5,", "1e300,", WAY_POINTS), None, "a trajectory may take 500 MB"),
    "20001 columns": ("t," + ",".join(f"q_{k}" for k in range(20_000)) + "\n", 1, "20001 columns"),
    "a field of 200 kB": (_motion(_SECOND, _SECOND.replace(",2,", f",{'1' * 200_000},")), None, "not CSV"),
    "a quote that is not closed": (_motion(_SECOND, '"' + _SECOND), 4, ""),
}

PARAMETERS: dict[str, Case] = {
    "empty": ("", 1, "there are no columns 'expression' and 'value'"),
    "other columns": ("name,value\na,1\n", 1, "there are no columns 'expression' and 'value'"),
    "an unknown parameter": ("expression,value\nIzz_knee,1\n", 2, "Izz_knee"),
    "no sum": ("expression,value\nIzz_link1 *,1\n", 2, ""),
    "a value in words": ("expression,value\nIzz_link1,big\n", 2, "a number is missing"),
    "no value": ("expression,value\nIzz_link1\n", 2, "a number is missing"),
    "a value that is NaN": ("expression,value\nIzz_link1,nan\n", 2, "not finite"),
    "a negative deviation": ("expression,value,std\nIzz_link1,1,-1\n", 2, "a deviation negative"),
}
