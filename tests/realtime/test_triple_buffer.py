"""The triple buffer between two threads; also under ThreadSanitizer, and with planted bugs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.codegen.c.compiler import COMPILERS, build, needs_compiler, run
from tests.patience import HANGS

from torquec.foundation.template import package_text

PROGRAM = Path(__file__).with_name("triple_buffer_test.c")


def built(tmp_path, header, *flags):
    (tmp_path / "triple_buffer.h").write_text(header)
    program = tmp_path / "handover"
    build(COMPILERS[0], "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", *flags, f"-I{tmp_path}", PROGRAM, "-lpthread",
          "-o", program)  # fmt: skip
    return program


@needs_compiler
@pytest.mark.parametrize("flags", [(), ("-fsanitize=thread",)], ids=["plain", "tsan"])
def test_no_record_is_torn_and_none_goes_back(tmp_path, flags):
    done = run(built(tmp_path, package_text("realtime/c", "triple_buffer.h"), *flags), "100000")
    assert done.returncode == 0, done.stdout + done.stderr


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(("flags", "count"), [((), 10**8), (("-fsanitize=thread",), 10**7)], ids=["plain", "tsan"])
def test_hundred_million_hand_overs(tmp_path, flags, count):
    done = run(built(tmp_path, package_text("realtime/c", "triple_buffer.h"), *flags), str(count))
    assert done.returncode == 0, done.stdout + done.stderr


@needs_compiler
def test_a_buffer_of_two_slots_is_caught(tmp_path):
    # Planted bug: the writer keeps its slot after publishing it, so it writes what is being read.
    header = package_text("realtime/c", "triple_buffer.h")
    broken = header.replace(
        "    buffer->writer = atomic_exchange_explicit(&buffer->between, fresh, memory_order_acq_rel) "
        "& TORQUEC_TRIPLE_SLOT;",
        "    atomic_store_explicit(&buffer->between, fresh, memory_order_release);",
    )
    assert broken != header
    program = built(tmp_path, broken, "-fsanitize=thread")
    done = subprocess.run([program, "100000"], capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode != 0
