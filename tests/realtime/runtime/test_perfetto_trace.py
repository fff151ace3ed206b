"""The trace: read back by a decoder of the wire format that shares nothing with the writer."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from tests.codegen.c.compiler import needs_compiler

import torquec as tq
from torquec.realtime.runtime.cycle_log import HEAD, CycleLog
from torquec.realtime.runtime.drivers import SimulatedRobot
from torquec.realtime.runtime.guards import Fault, GuardMode
from torquec.realtime.runtime.perfetto_trace import PerfettoTrace
from torquec.realtime.runtime.run import run

JOINTS = ("shoulder", "elbow")


def decoded(content):
    """The fields of a message: number to list of values (whole numbers, bytes, doubles)."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                assert shift <= 70
                return value

    while at < len(content):
        tag = varint()
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value = varint()
        elif wire == 1:
            value, at = struct.unpack("<d", content[at : at + 8])[0], at + 8
        else:
            assert wire == 2
            size = varint()
            value, at = content[at : at + size], at + size
            assert len(value) == size
        found.setdefault(number, []).append(value)
    return found


def packets(path):
    trace = decoded(path.read_bytes())
    assert list(trace) == [1]
    return [decoded(packet) for packet in trace[1]]


def some_log(count=50, start=10**15):
    rng = np.random.default_rng(5)
    entries = np.zeros((count, HEAD + 8), dtype=np.int64)
    entries[:, 0] = np.arange(count)
    entries[:, 1] = start + 10**6 * np.arange(count)
    entries[:, 2] = entries[:, 1] + rng.integers(0, 50_000, count)
    entries[:, 3:6] = rng.integers(0, 20_000, (count, 3))
    entries[30:, 6], entries[30:, 7] = GuardMode.HOLD, Fault.STATE_JUMP
    entries[:, 8] = -1
    entries[:, HEAD:] = rng.normal(size=(count, 8)).view(np.int64)
    return CycleLog(JOINTS, entries)


def written(path, log, pieces=1):
    with PerfettoTrace(path, JOINTS, 0.001) as trace:
        for part in np.array_split(log.entries, pieces):
            trace.add(CycleLog(JOINTS, part))
    return packets(path)


def test_every_cycle_is_in_it(tmp_path):
    log = some_log()
    found = written(tmp_path / "a.pftrace", log)
    descriptors = [decoded(packet[60][0]) for packet in found if 60 in packet]
    tracks = {one[1][0]: one.get(2, [b"process"])[0].decode() for one in descriptors}
    assert list(tracks.values())[1:3] == ["cycles", "guards"]
    assert all(one[5] == [1] for one in descriptors[1:])  # every track belongs to the process
    names = {decoded(entry)[1][0]: decoded(entry)[2][0].decode() for entry in decoded(found[0][12][0])[2]}
    assert found[0][13] == [1]
    assert all(packet[10] == [1] for packet in found)  # one sequence of packets
    open_slices, slices = [], []
    for packet in found:
        if 11 not in packet:
            continue
        event, time = decoded(packet[11][0]), packet[8][0]
        kind, track = event[9][0], tracks[event[11][0]]
        if kind == 1:
            assert packet[13] == [2]
            open_slices.append((names[event[10][0]], time))
        elif kind == 2:
            name, began = open_slices.pop()
            assert time >= began
            slices.append((name, began, time))
        elif kind == 3:
            assert (track, event[23][0]) == ("guards", b"hold: state-jump")
            assert time == log.woke[30]
    assert not open_slices
    by_name = {name: [one[1:] for one in slices if one[0] == name] for name in names.values()}
    assert [began for began, _ in by_name["cycle"]] == log.woke.tolist()
    assert [end - began for began, end in by_name["compute"]] == log.durations[:, 1].tolist()
    assert [end - began for began, end in by_name["cycle"]] == log.durations.sum(axis=1).tolist()


def test_counters_have_all_their_digits(tmp_path):
    log = some_log()
    found = written(tmp_path / "a.pftrace", log)
    tracks = {decoded(p[60][0])[1][0]: decoded(p[60][0]).get(2, [b""])[0].decode() for p in found if 60 in p}
    values = {}
    for packet in found:
        event = decoded(packet[11][0]) if 11 in packet else {}
        if event.get(9) == [4]:
            values.setdefault(tracks[event[11][0]], []).append(event[44][0])
    assert values["torque of elbow"] == log.tau[:, 1].tolist()
    assert np.allclose(values["latency [us]"], log.latency * 1e6)


def test_the_age_of_coefficients_is_there_where_there_are_some(tmp_path):
    log = some_log()
    log.entries[:, 8] = 1000 * np.arange(len(log))
    for background in (False, True):
        path = tmp_path / f"{background}.pftrace"
        with PerfettoTrace(path, JOINTS, 0.001, background=background) as trace:
            trace.add(log)
        assert (b"coefficients' age" in path.read_bytes()) == background
        values = [decoded(p[11][0])[44][0] for p in packets(path) if 11 in p and decoded(p[11][0]).get(11) == [5]]
        assert np.allclose(values, np.arange(len(log)) if background else log.tau[:, 0])


def test_in_pieces_it_is_the_same_trace(tmp_path):
    log = some_log()

    def events(path, pieces):
        return sorted((p[8][0], p[11][0]) for p in written(path, log, pieces) if 11 in p)

    assert events(tmp_path / "a.pftrace", 1) == events(tmp_path / "b.pftrace", 7)


@needs_compiler
def test_of_a_run(tmp_path):
    robot = tq.classics.planar2r()
    law = tq.computed_torque(robot, -20.0, period=0.001)
    motion = tq.minimum_jerk([0.0, 0.0], [0.1, 0.1], 0.1, joints=robot.joint_names, period=0.001)
    path = tmp_path / "run.pftrace"
    result = run(robot, law, motion, robot=SimulatedRobot(clock="virtual"), trace=path)
    begins = [p for p in packets(path) if 11 in p and decoded(p[11][0]).get(10) == [1]]
    assert len(begins) == result.status.counts["cycles"]
    with pytest.raises(tq.ArgumentError, match="no such folder"):
        run(robot, law, motion, robot=SimulatedRobot(clock="virtual"), trace=tmp_path / "none" / "run.pftrace")


def test_a_run_that_fails_leaves_no_half_trace(tmp_path):
    path = tmp_path / "a.pftrace"

    def failing():
        with PerfettoTrace(path, JOINTS, 0.001) as trace:
            trace.add(some_log())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert list(tmp_path.iterdir()) == []
