"""Faults on a virtual clock (`fault_injection.c`): what is sent is always safe, and the stop begins in time.

Every planted bug takes one guard away; the same program must see each of them.
"""

from __future__ import annotations

import json

import pytest
from tests.codegen.c.compiler import needs_compiler, run
from tests.realtime.runtime.c_runtime import built_program

PURE = ("torquec_guard", "torquec_cycle")
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

GUARD, CYCLE = "torquec_guard.c", "torquec_cycle.c"
NOT_TOLD = {
    name: (GUARD, f"found |= TORQUEC_{fault};", "")
    for name, fault in (
        ("no position limits", "POSITION_LIMIT"),
        ("no speed limits", "SPEED_LIMIT"),
        ("no jumps", "STATE_JUMP"),
        ("no consistency", "STATE_INCONSISTENT"),
        ("old samples", "STATE_STALE"),
        ("no samples", "STATE_MISSING"),
        ("no overruns", "OVERRUN"),
    )
}
BUGS = {
    "NaN through the limiter": (GUARD, "    if (!is_finite(wanted)) {\n        return before;\n    }\n", ""),
    "law not looked at": (
        GUARD,
        "if (!torquec_all_finite(input->wanted, limits->joints)) {\n        return TORQUEC_LAW_NOT_FINITE;\n    }\n",
        "",
    ),
    "state not looked at": (
        GUARD,
        "!torquec_all_finite(sample->q, limits->joints) || !torquec_all_finite(sample->qd, limits->joints)",
        "0",
    ),
    "limit of one side": (GUARD, "    if (low < -limit) {\n        low = -limit;\n    }\n", ""),
    "limit of the other side": (GUARD, "    if (high > limit) {\n        high = limit;\n    }\n", ""),
    "no rate": (GUARD, "double low = before - step, high = before + step;", "double low = -limit, high = limit;"),
    "rate of a whole period in an early cycle": (GUARD, "gap > 0 && gap < limits->period ? gap : limits->period",
                                                 "limits->period"),
    "no power": (GUARD, "return power > limits->power ? TORQUEC_POWER_LIMIT : 0u;", "return 0u;"),
    **NOT_TOLD,
    "frozen positions": (GUARD, "size_of(carried_by(guard, sample, k, dt)) > limits->resolution[k]", "0"),
    "frozen with their speeds": (GUARD, "size_of(input->reference[k] - guard->anchor[k]) > limits->unmoved[k]", "0"),
    "standing still is frozen": (GUARD, "kept*guard->carried[k] +", "guard->carried[k] +"),
    "coarse encoders are frozen": (GUARD, "        return 0.0;\n    }\n    return kept", "    }\n    return kept"),
    "clock that goes back": (GUARD, "    if (gap <= 0) {\n        return TORQUEC_CLOCK;\n    }\n", ""),
    "storm of cycles": (GUARD, "        found |= TORQUEC_CLOCK;\n", ""),
    "faults of the caller": (GUARD, "uint32_t found = input->faults, sample_found = 0u;",
                             "uint32_t found = 0u, sample_found = 0u;"),
    "no hold": (GUARD, "guard->cycles > limits->hold_cycles", "guard->cycles > 0"),
    "no end of the ramp": (GUARD, "guard->mode == TORQUEC_RAMP && guard->cycles > limits->ramp_cycles", "0"),
    "no ramp": (GUARD, "share = 1.0 - (double)guard->cycles/(double)limits->ramp_cycles;", "share = 1.0;"),
    "not latched": (GUARD, "    guard->faults |= found;\n",
                    "    guard->faults |= found;\n    guard->mode = found == 0u ? TORQUEC_RUN : guard->mode;\n"),
    "coefficients of another robot": (CYCLE, "newest->robot != law->robot || ", ""),
    "coefficients of another size": (CYCLE, "newest->size != law->coefficients_size || ", ""),
    "coefficients that are no numbers": (CYCLE,
        "\n        || !torquec_all_finite(newest->numbers, (int)law->coefficients_size)", ""),
    "coefficients that go back": (CYCLE, "newest->time < cycle->coefficients_time", "0"),
    "coefficients that are too old": (CYCLE, "input.faults |= TORQUEC_COEFFICIENTS;", ""),
}  # fmt: skip
HARMLESS_ALONE = {"NaN through the limiter"}
"""Behind a check of their own; `test_guard.py` looks at the limiter itself."""


@needs_compiler
def test_faults_stop_the_robot_and_no_torque_is_unsafe(tmp_path):
    done = run(built_program(tmp_path, "fault_injection.c", only=PURE), "5600")
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout)
    for sound in ("nothing", "standstill", "coarse_encoder"):
        assert found[sound] == [200, 0], sound  # guards that stop a sound robot would keep every other promise
    for always in ("killed_background", "nan_coefficients", "sensor_jump", "sensor_nan", "clock_back", "nan_reference",
                   "frozen_sensor"):  # fmt: skip
        assert found[always] == [200, 200], always
    for sometimes in ("late_background", "missed_cycles", "frozen_still"):  # up to what is tolerated, the robot runs on
        assert 0 < found[sometimes][1] < 200, sometimes


@needs_compiler
def test_sanitizers_find_nothing(tmp_path):
    done = run(built_program(tmp_path, "fault_injection.c", *SANITIZED, only=PURE), "500", "7")
    assert done.returncode == 0, done.stdout + done.stderr


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("flags", [("-O2",), SANITIZED], ids=["plain", "sanitized"])
def test_a_hundred_thousand_faults(tmp_path, flags):
    done = run(built_program(tmp_path, "fault_injection.c", *flags, only=PURE), "100000", "3")
    assert done.returncode == 0, done.stdout + done.stderr


@needs_compiler
@pytest.mark.parametrize(
    "bug",
    [
        pytest.param(name, marks=() if k % 5 == 1 else pytest.mark.slow)
        for k, name in enumerate(BUGS)
        if name not in HARMLESS_ALONE
    ],
)
def test_every_guard_that_is_taken_away_is_missed(tmp_path, bug):
    done = run(built_program(tmp_path, "fault_injection.c", "-O0", "-w", planted=BUGS[bug], only=PURE), "4000")
    assert done.returncode == 1, done.stdout
    assert "failed" in json.loads(done.stdout)
