"""The CiA 402 driver against a shim (`cia402_test.c`): units, states, counts that run over, a drive that fails."""

from __future__ import annotations

import json
import subprocess

import pytest
from tests.codegen.c.compiler import COMPILERS
from tests.patience import HANGS
from tests.realtime.runtime.c_runtime import built_program

from torquec.realtime.runtime.guards import RUN_ENDS, Fault, RunEnd

USED = ("torquec_guard", "torquec_cycle", "torquec_record", "torquec_loop", "driver_cia402")
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.fixture(
    scope="module", params=[("-O0",), pytest.param(SANITIZED, marks=pytest.mark.slow)], ids=["plain", "san"]
)
def program(tmp_path_factory, request):
    if not COMPILERS:
        pytest.skip("no C compiler")
    return built_program(tmp_path_factory.mktemp("cia402"), "cia402_test.c", *request.param, only=USED)


def outcome(program, word):
    done = subprocess.run([program, word], capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_units_and_words(program):
    assert subprocess.run([program, "units"], timeout=HANGS, check=False).returncode == 0


def test_drives_wake_up_follow_and_are_switched_off(program):
    found = outcome(program, "run")
    assert RUN_ENDS[found["end"]] is RunEnd.ENDED, found
    assert found["resets"] == 2
    assert found["q"] == pytest.approx([0.2, -0.1], abs=2e-3)
    assert found["off"] == 1
    assert found["status"] == [0x40, 0x40]
    # 40 N m at the joints are 800 and 1600 per mille of the motors' rated 0.5 N m.
    assert found["largest"][0] <= 800
    assert 100 < found["largest"][1] <= 1600


def test_a_drive_that_fails_stops_all(program):
    found = outcome(program, "fault")
    assert RUN_ENDS[found["end"]] is RunEnd.FAULT
    assert Fault.DRIVER in Fault(found["first_faults"])
    assert found["off"] == 1
