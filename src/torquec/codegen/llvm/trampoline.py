"""CPython entry point (trampoline): a built-in function whose machine code LLVM makes, so that no compiler is needed.

`call(self, args, nargs, kwnames)` follows CPython's fast-call convention. It serves the common calls: every input is an
exact `ndarray` of native, aligned, C-contiguous doubles, in the shape of its port (one state) or with one more axis in
front (a batch, for which the GIL is released). `out=` is absent, or has arrays of the same kind that do not overlap the
inputs. Batches of floats throughout are served where there is a kernel for floats. Any other call goes unchanged to a
Python function, which converts the arguments or raises.

One trampoline serves all functions of a process. A record describes each function. It is memory behind a capsule, the
built-in's `self`: Python can neither read nor write what a capsule holds. The record in 64-bit words:

    word 0      number of inputs          word 3   batch kernel, or 0 to leave batches to Python
    word 1      number of outputs         word 4   the Python function for everything else
    word 2      packed scalar kernel      word 5   batch kernel for floats, or 0
    word 6+     per port, inputs first: axes, elements, lengths of up to 4 axes

The capsule also owns a reference to all that the words point to, and releases it when the last caller is gone.

Structure offsets are those of CPython's object header and capsule (unchanged while `object` has 16 bytes) and of
NumPy's array (part of its binary interface since 1.7); all are checked before use. Functions of the C API are reached
through a table that is filled with addresses, never by the linker.
"""

from __future__ import annotations

import ctypes
import importlib
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from torquec.codegen.llvm.cache import CacheEntry, open_cache
from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.load import LoadedObject, is_whole_object
from torquec.codegen.llvm.module import environment_identity, object_code
from torquec.foundation.template import filled_template

HEADER_WORDS, PORT_WORDS, MOST_AXES, MOST_PORTS = 6, 6, 4, 32
BATCH_WORD, SINGLE_WORD = 3, 5
"""Layout and limits of a record."""

SLOTS = (
    "ndarray_type",
    "float64",
    "float32",
    "tuple_type",
    "none",
    "out_name",
    "new_array",
    "vectorcall",
    "incref",
    "decref",
    "save_thread",
    "restore_thread",
    "new_tuple",
    "set_item",
)
"""Slots of the trampoline for addresses of objects and of C functions."""


def trampoline_text(*, tuple_items: int) -> str:
    """The text of the trampoline; `tuple_items` is the offset of the first item in a tuple object."""
    text = filled_template(
        "codegen/llvm",
        "trampoline.ll",
        MOST_PORTS=MOST_PORTS,
        MOST_LENGTHS=MOST_AXES + 1,
        HEADER_WORDS=HEADER_WORDS,
        PORT_WORDS=PORT_WORDS,
        BATCH_WORD=BATCH_WORD,
        SINGLE_WORD=SINGLE_WORD,
        SHAPE_BYTES=8 * MOST_AXES,
        TUPLE_ITEMS=tuple_items,
    )
    return "\n".join([text, *(f"@{slot} = global ptr null" for slot in SLOTS)])


CallRecord = ctypes.Array[ctypes.c_uint64]
"""The record of one function."""

_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002  # of CPython's methodobject.h
_OUT = sys.intern("out")  # keyword names are interned: comparing addresses is enough for the fast path

# Index of each entry of NumPy's C API table that is used.
_NUMPY_ABI_VERSION, _NUMPY_ARRAY_TYPE, _NUMPY_NEW = 0, 2, 93
_KNOWN_NUMPY_ABI = (0x01000009, 0x02000000)  # NPY_ABI_VERSION of NumPy 1 and 2


def make_record(words: list[int]) -> CallRecord:
    """A record with these words (see the module's description)."""
    return (ctypes.c_uint64 * len(words))(*words)


def make_builtin(record: CallRecord, keeps: tuple[object, ...], *, name: str, doc: str) -> Callable[..., Any]:
    """The built-in function of a record, which keeps `keeps` alive.

    Raises `RuntimeError` where this interpreter cannot have one.
    """
    problem = find_obstacle()
    if problem:
        raise RuntimeError(problem)
    trampoline = _load_trampoline()
    method = _MethodDefinition(
        name.encode(), trampoline.address("call"), _METH_FASTCALL_KEYWORDS, doc.encode("utf-8", "replace")
    )
    capsule = _new_capsule(record, (record, method, *keeps), trampoline.address("release"))
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    new = prototype(("PyCFunction_NewEx", ctypes.pythonapi))
    return cast("Callable[..., Any]", new(ctypes.addressof(method), capsule, "torquec"))


def _new_capsule(record: CallRecord, keeps: tuple[object, ...], release: int) -> Any:
    """A capsule of the record's memory that owns `keeps`; `release`, if not 0, is its destructor."""
    # Prototypes of our own: others may have set those of `ctypes.pythonapi` to something else.
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    capsule = prototype(("PyCapsule_New", ctypes.pythonapi))(ctypes.addressof(record), None, release or None)
    if release:
        prototype = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
        _keep_forever(keeps)  # until `release` gives this reference back
        prototype(("PyCapsule_SetContext", ctypes.pythonapi))(capsule, id(keeps))
    return capsule


def _keep_forever(kept: object) -> None:
    """Add a reference that no Python object owns."""
    ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", ctypes.pythonapi))(kept)


class _MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@cache
def find_obstacle() -> str:
    """Why there can be no trampoline in this process, or an empty text."""
    if sys.implementation.name != "cpython":
        return f"the interpreter is {sys.implementation.name}"
    if struct.calcsize("P") != 8 or object.__basicsize__ != 16:
        return "objects of this interpreter have another header (free-threaded, tracing or 32-bit build)"
    if np.ndarray.__basicsize__ < 72 or np.dtype(np.float64).byteorder not in "=<":
        return "arrays have another layout"
    try:
        probe = make_record([0])
        capsule = _new_capsule(probe, (), 0)
        if ctypes.c_void_p.from_address(id(capsule) + object.__basicsize__).value != ctypes.addressof(probe):
            return "capsules have another layout"
        abi = _numpy_function(_NUMPY_ABI_VERSION, ctypes.CFUNCTYPE(ctypes.c_uint))()
        _slot_values()
    except (ImportError, AttributeError, ValueError, OSError) as error:
        return f"the C interface of Python or NumPy is out of reach ({error})"
    return "" if abi in _KNOWN_NUMPY_ABI else f"NumPy has the unknown binary interface {abi:#x}"


def _numpy_table() -> ctypes.Array[ctypes.c_void_p]:
    name = "numpy._core" if int(np.__version__.split(".")[0]) >= 2 else "numpy.core"
    umath = importlib.import_module(f"{name}._multiarray_umath")
    prototype = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    address = prototype(("PyCapsule_GetPointer", ctypes.pythonapi))(umath._ARRAY_API, None)
    return (ctypes.c_void_p * (_NUMPY_NEW + 1)).from_address(address)


def _numpy_function(index: int, prototype: Any) -> Any:
    return prototype(_numpy_table()[index])


def _slot_values() -> dict[str, int]:
    """The table of the trampoline: addresses of objects and functions."""

    def function(name: str) -> int:
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0

    table = _numpy_table()
    if table[_NUMPY_ARRAY_TYPE] != id(np.ndarray):
        raise ValueError("NumPy's table is not where it was expected")
    return {
        "ndarray_type": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "float32": id(np.dtype(np.float32)),
        "tuple_type": id(tuple),
        "none": id(None),
        "out_name": id(_OUT),
        "new_array": int(table[_NUMPY_NEW] or 0),
        "vectorcall": function("PyObject_Vectorcall"),
        "incref": function("Py_IncRef"),
        "decref": function("Py_DecRef"),
        "save_thread": function("PyEval_SaveThread"),
        "restore_thread": function("PyEval_RestoreThread"),
        "new_tuple": function("PyTuple_New"),
        "set_item": function("PyTuple_SetItem"),
    }


@cache
def _load_trampoline() -> LoadedObject:
    """The trampoline of this process, from the cache or made anew."""
    cpu, store = host_cpu(), open_cache()
    # Its text holds all that it knows of the interpreter; addresses are filled in below.
    text = trampoline_text(tuple_items=tuple.__basicsize__)
    key = f"trampoline\n{environment_identity(cpu)}\n{text}"
    entry = store.read(key) if store else None
    if entry is None or not is_whole_object(entry.code, _slot_values()):
        entry = CacheEntry({}, object_code(text, cpu))
        if store:
            store.write(key, entry)
    loaded = LoadedObject(entry.code, cpu, _slot_values())
    _keep_forever(loaded)  # functions that run this code may outlive this module at interpreter exit
    return loaded
