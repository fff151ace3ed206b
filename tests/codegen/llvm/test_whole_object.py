"""Objects that LLVM made are whole; those that are cut off, emptied or of another kind are not."""

from __future__ import annotations

import random
import struct

import pytest
from tests.codegen.llvm.programs import arm

from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.module import KERNEL, PACKED, compile_scalar
from torquec.codegen.llvm.whole_object import MACH_O, is_whole_object


@pytest.fixture(scope="module")
def code():
    return compile_scalar(arm(), host_cpu())


def test_what_llvm_makes_is_whole(code):
    assert is_whole_object(code, [KERNEL, PACKED])
    assert not is_whole_object(code, ["no_such_kernel"])


def test_what_is_cut_off_is_not(code):
    for length in {0, 1, 4, 63, 64, *range(65, len(code), 97), len(code) - 1}:
        assert not is_whole_object(code[:length], [KERNEL]), length


def test_what_is_garbage_is_not(code):
    rng = random.Random(1)
    for _ in range(100):
        assert not is_whole_object(code[:4] + rng.randbytes(4000) + KERNEL.encode() + b"\0", [KERNEL])
    assert not is_whole_object(b"garbage", [])
    assert not is_whole_object(code[:64] + bytes(len(code) - 64), [KERNEL])


def test_segments_of_mach_o():
    """Header, one segment of 16 bytes behind it."""
    segment = struct.pack("<II16sQQQQ", 0x19, 72, b"__TEXT", 0, 16, 104, 16) + bytes(16)
    whole = MACH_O + struct.pack("<IIIIIII", 0, 0, 1, 1, 72, 0, 0) + segment + b"_kernel\0".ljust(16, b"\0")
    assert is_whole_object(whole, ["kernel"])
    assert not is_whole_object(whole[:-1], ["kernel"])
    assert not is_whole_object(whole[:60], [])
    assert not is_whole_object(MACH_O + bytes(100), [])
