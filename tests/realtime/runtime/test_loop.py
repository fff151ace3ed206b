"""The loop with its threads (`loop_test.c`): threads race for nothing, nothing is allocated, and hangs are seen."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from tests.codegen.c.compiler import COMPILERS, build, each_compiler, needs_compiler, run
from tests.patience import HANGS
from tests.realtime.runtime.c_runtime import STRICT, built_program, write_sources

from torquec.realtime.runtime.guards import RUN_ENDS, Fault, RunEnd

THREADS, MEMORY = ("-O1", "-g", "-fsanitize=thread"), ("-O1", "-g", "-fsanitize=address,undefined")

USED = ("torquec_guard", "torquec_cycle", "torquec_record", "torquec_loop", "driver_simulated")

ALLOWED = {
    "torquec_guard": {"memcpy", "memset"},
    "torquec_cycle": {"memcpy", "memset"},
    "torquec_record": {"memcpy", "memset"},
    "driver_simulated": {"memcpy", "memset"},
}
"""What the parts of a cycle may call besides each other: nothing that allocates, prints, locks or reads a clock."""


@each_compiler
def test_compiles_without_a_warning_and_calls_nothing_that_waits(tmp_path, compiler):
    for path in write_sources(tmp_path):
        if compiler != COMPILERS[0]:
            build(compiler, *STRICT, "-fsyntax-only", path)
            continue
        build(compiler, *STRICT, "-O1", "-c", path, "-o", path.with_suffix(".o"))
        called = set(re.findall(r"U (\w+)", run("nm", "-u", path.with_suffix(".o")).stdout))
        others = {name for name in called if not name.startswith(("torquec_", "_GLOBAL_OFFSET", "__stack_chk"))}
        assert others <= ALLOWED.get(path.stem, others), path.name


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    if not COMPILERS:
        pytest.skip("no C compiler")
    return built_program(tmp_path_factory.mktemp("loop"), "loop_test.c", "-O0", only=USED)


def outcome(program, word):
    done = subprocess.run([program, word], capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_sound_run_ends_as_asked_and_allocates_nothing(plain):
    found = outcome(plain, "sound")
    assert RUN_ENDS[found["end"]] is RunEnd.ENDED
    assert Fault(found["first_faults"]) == Fault.REQUESTED
    assert found["allocations"] == 0
    assert found["logged"] + found["dropped"] == found["cycles"]
    assert found["backgrounds"] > 0
    assert found["stops"] >= 1


@pytest.mark.parametrize(
    ("word", "fault"),
    [("hang", Fault.WATCHDOG), ("broken", Fault.DRIVER), ("silent", Fault.STATE_MISSING), ("refuses", Fault.DRIVER)],
)
def test_a_robot_that_fails_is_stopped(plain, word, fault):
    found = outcome(plain, word)
    assert RUN_ENDS[found["end"]] is RunEnd.FAULT
    assert fault in Fault(found["first_faults"])
    if word == "hang":
        assert found["stops"] >= 2  # by the watchdog while the loop hung, and at the end


def test_another_number_of_joints_is_not_started(plain):
    found = outcome(plain, "foreign")
    assert RUN_ENDS[found["end"]] is RunEnd.OTHER_JOINTS
    assert found["cycles"] == 0


@needs_compiler
@pytest.mark.parametrize("flags", [THREADS, pytest.param(MEMORY, marks=pytest.mark.slow)], ids=["threads", "memory"])
def test_sanitizers_find_nothing(tmp_path, flags):
    program = built_program(tmp_path, "loop_test.c", *flags, only=USED)
    for word in ("sound", "hang"):
        assert outcome(program, word)["cycles"] > 0


@needs_compiler
@pytest.mark.slow
def test_a_log_without_its_barrier_is_caught(tmp_path):
    # Planted bug: the writer says that an entry is complete without making it visible first.
    bug = ("torquec_record.c", "atomic_store_explicit(&log->written, place + 1u, memory_order_release)",
           "SET(log->written, place + 1u)")  # fmt: skip
    program = built_program(tmp_path, "loop_test.c", *THREADS, planted=bug, only=USED)
    done = subprocess.run([program, "sound"], capture_output=True, text=True, timeout=HANGS, check=False)
    assert "data race" in done.stderr
