"""Samples in blocks are those of the whole log; memory does not grow with the log."""

from __future__ import annotations

import dataclasses
import tracemalloc

import numpy as np
import pytest
from tests.identification import real_logs

from torquec.errors import ArgumentError
from torquec.identification.estimators.joint_factors import joint_factors, stream_factors
from torquec.identification.logs.prepare import prepare
from torquec.identification.logs.stream_log import scan_log, stream_log, stream_samples
from torquec.identification.torque.torque_model import torque_model
from torquec.robot import classics
from torquec.trajectory.log import Log
from torquec.trajectory.read_log import read_log

ROBOT = classics.planar2r()


def recorded(seconds, *, rate=500.0, seed=0, jitter=0.3, speeds=True):
    """A log with jitter, a missing value, a repeated stamp, a step back and a gap."""
    rng = np.random.default_rng(seed)
    t = (np.arange(round(seconds * rate)) + rng.uniform(-jitter, jitter, round(seconds * rate))) / rate
    t[len(t) // 2 :] += 0.3
    q = np.stack([np.sin(1.3 * t) + 0.3 * np.sin(7.0 * t), np.cos(2.1 * t)], axis=1)
    qd = np.stack([1.3 * np.cos(1.3 * t) + 2.1 * np.cos(7.0 * t), -2.1 * np.sin(2.1 * t)], axis=1)
    tau = 3.0 * q + qd + 0.1 * rng.normal(size=q.shape)
    q[100, 1] = np.nan
    t[201] = t[200]
    t[301] = t[290]
    return Log(ROBOT.joint_names, t, q, tau, qd if speeds else None, {"extra": np.arange(len(t)) * 1.0})


def cut(log, rows):
    """The pieces of a log."""

    def pieces():
        for k in range(0, len(log), rows):
            part = slice(k, k + rows)
            qd = None if log.qd is None else log.qd[part]
            others = {name: values[part] for name, values in log.others.items()}
            yield Log(log.joints, log.t[part], log.q[part], log.tau[part], qd, others, first_row=k)

    return pieces


def assert_the_same(blocks, whole, tolerance=1e-9):
    taken = np.zeros(len(whole), dtype=int)
    for block in blocks:
        k = np.searchsorted(whole.t, block.t - 0.5 / whole.rate)[block.used]
        taken[k] += 1
        for name in ("q", "qd", "qdd", "tau"):
            expected = getattr(whole, name)
            difference = np.abs(getattr(block, name)[block.used] - expected[k])
            assert difference.max(initial=0.0) <= tolerance * np.abs(expected).max()
        for name, expected in whole.others.items():
            assert np.allclose(block.others[name][block.used], expected[k], rtol=1e-9, atol=0.0)
    assert np.array_equal(taken, whole.used)


@pytest.mark.parametrize("speeds", [True, False])
@pytest.mark.parametrize("rows", [500, 3000, 100_000])
def test_blocks_are_the_whole(speeds, rows):
    log = recorded(40.0, speeds=speeds)
    blocks = list(stream_samples(cut(log, 777), cutoff=10.0, rows=rows))
    assert (len(blocks) == 2) == (rows == 100_000)  # the gap makes two parts
    assert_the_same(blocks, prepare(log, cutoff=10.0))


@pytest.mark.parametrize(
    ("case", "log_map", "cutoff"),
    [("panda", None, 8.0), ("lwr4", None, 4.0), ("kr300", real_logs.KR300, 10.0), ("tx40", real_logs.TX40, 30.0)],
)
def test_recorded_logs_in_blocks_are_the_whole(case, log_map, cutoff):
    robot, logs = getattr(real_logs, case)()
    blocks = list(stream_log(logs[0].source, robot, log_map=log_map, cutoff=cutoff, rows=1000))
    assert len(blocks) > 1
    assert_the_same(blocks, prepare(logs[0], cutoff=cutoff))


def test_factors_of_blocks_are_those_of_the_whole():
    log = recorded(40.0)
    model = torque_model(ROBOT)
    whole = prepare(log, cutoff=10.0)
    expected = joint_factors(model.regressor(whole)[whole.used], whole.tau[whole.used])
    blocks = stream_samples(cut(log, 5000), cutoff=10.0, rows=3000)
    found = stream_factors((model.regressor(s)[s.used], s.tau[s.used]) for s in blocks)
    assert found.count == expected.count
    for a, b in zip(found.triangles, expected.triangles, strict=True):
        assert np.allclose(a.T @ a, b.T @ b, rtol=1e-9, atol=1e-9 * np.abs(b.T @ b).max())


def test_a_stamp_in_the_far_future_at_the_end_of_a_piece_costs_one_row():
    log = recorded(20.0)
    log.t[1553] = 1e9
    blocks = list(stream_samples(cut(log, 777), cutoff=10.0, rows=3000))
    assert_the_same(blocks, prepare(log, cutoff=10.0))
    assert sum(int(block.used.sum()) for block in blocks) > 8000


def test_a_long_pause_does_not_change_the_rate():
    log = recorded(20.0)
    log.t[len(log) // 2 :] += 300.0
    assert scan_log(cut(log, 777), cutoff=10.0).rate == pytest.approx(500.0, rel=1e-3)
    assert_the_same(stream_samples(cut(log, 777), cutoff=10.0, rows=3000), prepare(log, cutoff=10.0))


def test_a_cutoff_is_chosen_from_the_first_rows():
    log = recorded(10.0)
    assert scan_log(cut(log, 10_000)).cutoff == pytest.approx(prepare(log).cutoff, rel=0.1)


def test_misuse_is_told():
    log = recorded(10.0)
    with pytest.raises(ArgumentError, match="cut-off of 400 Hz"):
        next(stream_samples(cut(log, 1000), cutoff=400.0))
    broken = Log(log.joints, log.t, np.full_like(log.q, np.nan), log.tau)
    with pytest.raises(ArgumentError, match="fewer than two complete rows"):
        next(stream_samples(cut(broken, 1000), cutoff=10.0))


def write_long_log(path, seconds):
    """A motion that repeats every ten seconds, at 500 Hz, about 70 bytes a row."""
    t = np.arange(5000) / 500.0
    w = 2.0 * np.pi / 10.0 * np.array([1.0, 3.0])
    q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
    rows = np.concatenate([q, qd, 3.0 * q + qd], axis=1)
    tails = [",".join(f"{value:.7f}" for value in row) for row in rows.tolist()]
    with path.open("w") as file:
        file.write("t,q1,q2,dq1,dq2,tau1,tau2\n")
        for start in range(0, seconds, 10):
            file.writelines(f"{start + k / 500.0:.4f},{tail}\n" for k, tail in enumerate(tails))
    return path


def peak_memory(path, seconds):
    """Bytes that Python and NumPy hold at most while a log of this length passes through the factors."""
    write_long_log(path, seconds)
    model = torque_model(ROBOT)
    tracemalloc.start()
    blocks = stream_log(path, ROBOT, cutoff=10.0, rows=4096)
    factors = stream_factors((model.regressor(s)[s.used], s.tau[s.used]) for s in blocks)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert factors.count == pytest.approx(seconds * 500 - 500, abs=2)
    return peak


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.usefixtures("usual_garbage")
def test_memory_does_not_grow_with_the_log(tmp_path):
    peak_memory(tmp_path / "warm.csv", 20)
    short, long = (peak_memory(tmp_path / "log.csv", seconds) for seconds in (60, 240))
    assert long < 1.1 * short + 100_000


@pytest.mark.slow
def test_memory_of_two_hundred_megabytes(tmp_path):
    peak_memory(tmp_path / "warm.csv", 20)
    short, long = (peak_memory(tmp_path / "log.csv", seconds) for seconds in (1200, 6000))
    assert (tmp_path / "log.csv").stat().st_size > 1.8e8
    assert long < 1.1 * short + 1_000_000


@pytest.fixture
def small_blocks(monkeypatch):
    """Files are read in small blocks, so that a short log has many."""
    from torquec.trajectory.tables import csv_table

    monkeypatch.setattr(csv_table, "_BLOCK", 200_000)


@pytest.mark.usefixtures("small_blocks")
def test_a_file_in_blocks_is_the_whole(tmp_path):
    path = write_long_log(tmp_path / "log.csv", 30)
    assert_the_same(stream_log(path, ROBOT, cutoff=5.0, rows=4096), prepare(read_log(path, ROBOT), cutoff=5.0))


@pytest.mark.parametrize("rows", [80, 500, 100_000])
def test_a_slow_sensor_is_bridged_as_in_the_whole_log(rows):
    """A value in every thirtieth row, and none at the ends; the unknown columns stay unknown, and disturb nothing."""
    log = recorded(6.0)
    slow = np.full(len(log), np.nan)
    slow[40:-70:30] = np.sin(log.t[40:-70:30])
    log = dataclasses.replace(log, others={"slow": slow, "never": np.full(len(log), np.nan)})
    whole = prepare(log, cutoff=10.0)
    middle = whole.used & (whole.t > 0.5) & (whole.t < 5.5) & (np.abs(whole.t - 3.15) > 0.3)
    assert np.abs(whole.others["slow"] - np.sin(whole.t))[middle].max() < 1e-3  # h^2/8 of a chord over h = 60 ms
    assert np.isnan(whole.others["never"]).all()
    for block in stream_samples(cut(log, rows), cutoff=10.0, rows=rows):
        k = np.searchsorted(whole.t, block.t - 0.5 / whole.rate)
        assert np.allclose(block.others["slow"], whole.others["slow"][k], atol=1e-12)
        assert np.isnan(block.others["never"]).all()


def test_a_blank_longer_than_a_piece_stays_blank():
    log = recorded(6.0)
    slow = np.full(len(log), np.nan)
    slow[[10, 2900]] = 1.0, 2.0
    log = dataclasses.replace(log, others={"slow": slow})
    values = [block.others["slow"] for block in stream_samples(cut(log, 200), cutoff=10.0, rows=200)]
    assert np.isnan(np.concatenate(values)).any()
    assert np.isfinite(prepare(log, cutoff=10.0).others["slow"]).all()
