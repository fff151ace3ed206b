"""Identification of files in pieces: the same estimate as in memory."""

from __future__ import annotations

import dataclasses
import importlib
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tests.identification import real_logs, simulated_arm
from tests.identification.simulated_arm import QUICK, arm
from tests.posted_executor import PostedExecutor

from torquec.errors import ArgumentError
from torquec.foundation.work import Work
from torquec.identification.estimators import held_out
from torquec.identification.estimators.method import Method
from torquec.identification.identify import identify
from torquec.identification.identify_options import IdentifyOptions, Reading
from torquec.identification.logs.prepare import Derivatives
from torquec.identification.open_logs import MEMORY, expected_memory, is_read_in_pieces
from torquec.identification.torque.friction_law import CoulombShape, FrictionLaw, FrictionModel, Turnover
from torquec.trajectory.log_file import shifted
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.read_log import read_log


def written(path, log, *, noise=0.0, pause=0.0):
    """A log as a CSV file; with a pause in the middle, and a stamp in the far future."""
    t = log.t + np.where(np.arange(len(log)) < len(log) // 2, 0.0, pause)
    if pause:
        t[333] = 1e7
    tau = log.tau + noise * np.random.default_rng(0).normal(size=log.tau.shape)
    names = ["t", *(f"{word}{k + 1}" for word in ("q", "dq", "tau") for k in range(log.n))]
    table = np.column_stack([t, log.q, log.qd, tau])
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.12g")
    return path


def in_pieces(robot, logs, *, options=QUICK, rows=16384, **more):
    """The estimate from files that are never in memory."""
    options = dataclasses.replace(options, reading=Reading.PIECES, piece_rows=rows)
    return identify(robot, logs, options=options, **more)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    return [
        written(folder / "a.csv", simulated_arm.log(), noise=0.05, pause=20.0),
        written(folder / "b.csv", simulated_arm.log(5), noise=0.05),
    ]


def assert_the_same(found, expected):
    assert found.names == expected.names
    assert (found.strength, found.cutoff, found.status) == (expected.strength, expected.cutoff, expected.status)
    assert np.allclose(found.x, expected.x, rtol=1e-9, atol=1e-9 * np.abs(expected.x).max())
    assert np.allclose(found.std, expected.std, rtol=1e-9, atol=0.0)
    assert [p.significant for p in found.parameters] == [p.significant for p in expected.parameters]
    assert found.condition == pytest.approx(expected.condition, rel=1e-9)
    assert found.validation_error == pytest.approx(expected.validation_error, rel=1e-9)
    for ours, theirs in zip(
        (*found.training, *found.validation), (*expected.training, *expected.validation), strict=True
    ):
        assert ours.relative_error == pytest.approx(theirs.relative_error, rel=1e-9)
        for name in ("rmse", "average", "std", "largest", "smallest"):
            assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("method", [Method.CONSISTENT, Method.WEIGHTED, Method.RIDGE])
def test_pieces_give_what_memory_gives(files, method):
    options = dataclasses.replace(QUICK, method=method, rotors=None, strength=None)
    robot = arm(1.3)
    found = in_pieces(robot, files[:1], validate=files[1:], options=options, rows=300)
    expected = identify(robot, read_log(files[0], robot), validate=[read_log(files[1], robot)], options=options)
    assert_the_same(found, expected)


def test_several_files_are_folds_of_their_own(files):
    robot = arm(1.3)
    found = in_pieces(robot, files, options=QUICK, rows=300)
    assert_the_same(found, identify(robot, [read_log(path, robot) for path in files], options=QUICK))


@pytest.mark.parametrize("friction", [FrictionModel.LOAD, FrictionModel.STRIBECK, FrictionModel.DIRECTIONAL])
def test_laws_of_friction(files, friction):
    # Ridge: where a constraint of the consistent fit is active, its solver stops at 1e-8.
    robot, options = arm(1.3), dataclasses.replace(QUICK, friction=friction, method=Method.RIDGE)
    found = in_pieces(robot, files[1:], options=options, rows=300)
    assert_the_same(found, identify(robot, read_log(files[1], robot), options=options))


@pytest.mark.parametrize("rows", [1500, pytest.param(None, marks=pytest.mark.slow)], ids=["part", "whole"])
def test_a_recorded_log(tmp_path, rows):
    robot, logs = real_logs.lwr4()
    lines = Path(logs[0].source).read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "recorded.csv"
    path.write_text("".join(lines if rows is None else lines[: rows + 1]), encoding="utf-8")
    options = IdentifyOptions(
        cutoff=4.0, friction=FrictionModel.OFFSET, rotors=False, strength=30.0, method=Method.RIDGE
    )
    found = in_pieces(robot, [path], options=options, rows=4000 if rows is None else 600)
    assert_the_same(found, identify(robot, read_log(path, robot), options=options))


def test_friction_is_searched_as_in_memory(tmp_path):
    log = simulated_arm.log()
    curved = dataclasses.replace(log, tau=log.tau + 0.3 * log.qd * np.abs(log.qd))
    path = written(tmp_path / "curved.csv", curved, noise=0.02)
    options = dataclasses.replace(QUICK, friction=None, method=Method.RIDGE)
    found = in_pieces(arm(1.3), [path], options=options, rows=300)
    assert "curved" in found.model.friction.parameters
    assert_the_same(found, identify(arm(1.3), path, options=options))


def test_friction_that_turns_over_a_distance_goes_on_from_piece_to_piece(tmp_path):
    """With rests, during which it stays as it is, longer than what the filter remembers."""
    log = simulated_arm.log()
    rest = np.concatenate(
        [np.arange(200), np.full(300, 200), np.arange(200, 500), np.full(300, 500), np.arange(500, 800)]
    )
    still = np.isin(rest, (200, 500))[:, None]
    held = dataclasses.replace(
        log, t=np.arange(len(rest)) * 0.01, q=log.q[rest], tau=log.tau[rest], qd=np.where(still, 0.0, log.qd[rest])
    )
    path = written(tmp_path / "held.csv", held, noise=0.02)
    law = FrictionLaw(shape=CoulombShape(Turnover.DISTANCE, 0.05))
    options = dataclasses.replace(QUICK, friction=law, method=Method.RIDGE)
    assert_the_same(in_pieces(arm(1.3), [path], options=options, rows=300), identify(arm(1.3), path, options=options))


def test_a_log_in_memory_can_be_gone_through_in_pieces(files):
    robot = arm(1.3)
    log = read_log(files[0], robot)
    assert_the_same(in_pieces(robot, log, rows=300), identify(robot, log, options=QUICK))


def test_a_map_that_asks_for_the_delay_is_heard(tmp_path):
    log = simulated_arm.log()
    late = dataclasses.replace(log, tau=shifted(log.t, log.tau, -0.02))
    path, asked = written(tmp_path / "late.csv", late, noise=0.01), LogMap(estimate_delay=True)
    found = identify(arm(), path, log_map=asked, options=QUICK)
    assert any("torques are late by" in note and "removed" in note for note in found.notes)
    assert found.relative_error < 0.1 * identify(arm(), path, options=QUICK).relative_error
    with pytest.raises(ArgumentError, match="estimate_delay with logs in pieces"):
        in_pieces(arm(), path, log_map=asked)


def test_pieces_are_chosen_by_expected_memory(files, tmp_path):
    robot, options = arm(), IdentifyOptions()
    assert not is_read_in_pieces(files[0], robot, options)
    long = tmp_path / "long.csv"
    with long.open("wb") as stream:
        stream.truncate(200_000_000)  # as large as one, without its bytes on the disk
    # Two joints take 7 numbers a row and 960 bytes a row of columns: 200 MB are 2.9 million rows.
    assert expected_memory(2_857_142, 2) > MEMORY
    assert is_read_in_pieces(long, robot, options)
    assert not is_read_in_pieces(long, robot, dataclasses.replace(options, reading=Reading.WHOLE))
    assert not is_read_in_pieces(long, robot, dataclasses.replace(options, method=Method.HUBER))
    few = simulated_arm.log()
    many = dataclasses.replace(few, t=np.arange(2e6), q=np.zeros((2_000_000, 2)), tau=np.zeros((2_000_000, 2)), qd=None)
    assert is_read_in_pieces(many, robot, options)
    assert not is_read_in_pieces(few, robot, options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": Method.HUBER}, "huber"),
        ({"method": Method.INSTRUMENTAL}, "instrumental"),
        ({"derivatives": Derivatives.SPLINES}, "splines"),
        ({"slowest": 0.1}, "slow"),
    ],
)
def test_what_needs_all_rows_is_refused(files, change, message):
    with pytest.raises(ArgumentError, match=message):
        in_pieces(arm(), files, options=dataclasses.replace(QUICK, **change))


def test_bad_files_are_refused(files, tmp_path):
    with pytest.raises(ArgumentError, match="no log"):
        in_pieces(arm(), [])
    log = read_log(files[1], arm())
    path = written(tmp_path / "zero.csv", dataclasses.replace(log, tau=0.0 * log.tau))
    with pytest.raises(ArgumentError, match="all torques are zero"):
        in_pieces(arm(), [path], options=QUICK)
    some = slice(0, 60)
    short = dataclasses.replace(log, t=log.t[some], q=log.q[some], qd=log.qd[some], tau=log.tau[some])
    with pytest.raises(ArgumentError, match="no samples remain"):
        in_pieces(arm(), [written(tmp_path / "short.csv", short)], options=QUICK)


@pytest.mark.usefixtures("usual_garbage")
def test_memory_does_not_grow_with_the_log(tmp_path, monkeypatch):
    from torquec.trajectory.tables import csv_table

    monkeypatch.setattr(csv_table, "_BLOCK", 200_000)
    monkeypatch.setattr(importlib.import_module("torquec.trajectory.read_log"), "_TRIED_ROWS", 2000)
    monkeypatch.setattr(held_out, "MOST_SAMPLES", 500)
    log, peaks = simulated_arm.log(), []
    for times in (1, 4, 10):
        t = 0.01 * np.arange(times * len(log))
        long = dataclasses.replace(
            log, t=t, q=np.tile(log.q, (times, 1)), qd=np.tile(log.qd, (times, 1)), tau=np.tile(log.tau, (times, 1))
        )
        path = written(tmp_path / "long.csv", long)
        del long, t
        tracemalloc.start()
        in_pieces(arm(1.3), [path], options=QUICK, rows=256)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.1 * peaks[1] + 200_000  # the first run is for what is compiled once


def test_files_spread_over_workers_give_the_same_estimate_to_the_last_bit(files):
    robot, posted = arm(1.3), PostedExecutor()
    alone = in_pieces(robot, files, rows=400, validate=files[1:])
    spread = in_pieces(robot, files, rows=400, validate=files[1:], work=Work(executor=posted))
    assert set(posted.done) == {"_of_log", "partial"}  # opening, and every pass after it
    assert len(posted.done) >= 3 + 2 * 4
    np.testing.assert_array_equal(spread.x, alone.x)
    np.testing.assert_array_equal(spread.covariance, alone.covariance)
    for name in (
        "parameters",
        "training",
        "validation",
        "validation_error",
        "condition",
        "notes",
        "strength",
        "verdict",
    ):
        assert getattr(spread, name) == getattr(alone, name), name


def test_logs_in_memory_stay_here(files):
    posted = PostedExecutor()
    identify(arm(1.3), [simulated_arm.log()], options=QUICK, work=Work(executor=posted))
    assert posted.done == []


def test_what_is_wrong_with_a_file_is_told_from_elsewhere(files, tmp_path):
    broken = tmp_path / "broken.csv"
    broken.write_text("t,q1,q2,tau1,tau2\n" + "".join(f"{0.01 * k},0,0,0,0\n" for k in range(3000)))
    with pytest.raises(ArgumentError, match=r"broken\.csv") as here:
        in_pieces(arm(), [files[1], broken], rows=400)
    with pytest.raises(ArgumentError) as there:
        in_pieces(arm(), [files[1], broken], rows=400, work=Work(executor=PostedExecutor()))
    assert str(there.value) == str(here.value)
