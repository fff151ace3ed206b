"""HDF5 and MATLAB logs: groups and structs, arrays either way round, tables, versions, what is refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from torquec.errors import ArgumentError, MissingExtraError
from torquec.robot import classics
from torquec.trajectory.log import Pathology
from torquec.trajectory.read_log import read_log, read_log_chunks

h5py = pytest.importorskip("h5py")
scipy_io = pytest.importorskip("scipy.io")

ROBOT = classics.planar2r()
T = 0.01 * np.arange(30)
Q, TAU = np.stack([T, 2 * T], axis=1), np.stack([3 * T, 4 * T], axis=1)


def written(path, arrays):
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            file[name] = values
    return path


def matlab73(path, arrays):
    """As MATLAB writes it: a header of 512 bytes, every array turned and with its class."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, values in arrays.items():
            data = np.atleast_2d(values)
            file[name] = data.T
            file[name].attrs["MATLAB_class"] = np.bytes_("double")
        file["comment"] = np.frombuffer(b"run 1", dtype=np.uint8).astype(np.uint16)[:, None]
        file["comment"].attrs["MATLAB_class"] = np.bytes_("char")
        file.create_dataset("#refs#/a", data=T)
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512, b" "))
    return path


def assert_is_the_log(log):
    assert np.array_equal(log.t, T)
    assert np.array_equal(log.q, Q)
    assert np.array_equal(log.tau, TAU)


@pytest.mark.parametrize("suffix", [".h5", ".hdf5", ".H5"])
def test_datasets_by_name(tmp_path, suffix):
    assert_is_the_log(read_log(written(tmp_path / f"log{suffix}", {"t": T, "q": Q, "tau": TAU}), ROBOT))


def test_groups_single_columns_and_arrays_by_joint(tmp_path):
    arrays = {"run/t": T, "run/state/q1": Q[:, 0], "run/state/q2": Q[:, 1:], "run/tau": TAU.T, "rate": 100.0}
    assert_is_the_log(read_log(written(tmp_path / "log.h5", arrays), ROBOT))


def test_two_arrays_of_one_name_have_their_paths(tmp_path):
    log = read_log(written(tmp_path / "log.h5", {"t": T, "q": Q, "tau": TAU, "a/x": T, "b/x": 2 * T}), ROBOT)
    assert np.array_equal(log.others["b_x"], 2 * T)


def test_tables_have_a_column_per_field(tmp_path):
    table = np.zeros(30, dtype=[("time", "f8"), ("q1", "f4"), ("q2", "f8"), ("tau1", "f8"), ("tau2", "i4")])
    table["time"], table["q2"], table["tau1"], table["tau2"] = T, Q[:, 1], TAU[:, 0], 7
    log = read_log(written(tmp_path / "log.h5", {"samples": table}), ROBOT)
    assert np.array_equal(log.tau, np.stack([TAU[:, 0], np.full(30, 7.0)], axis=1))


def test_what_has_other_lengths_is_named(tmp_path):
    arrays = {"t": T, "q": Q, "tau": TAU, "camera": np.zeros(7), "label": np.bytes_("x")}
    log = read_log(written(tmp_path / "log.h5", arrays), ROBOT)
    assert_is_the_log(log)
    (left_out,) = [one.text for one in log.findings if one.kind is Pathology.LEFT_OUT]
    assert "camera (7,)" in left_out
    assert "label" in left_out


def test_pieces(tmp_path):
    path = written(tmp_path / "log.h5", {"t": T, "q": Q.T, "tau": TAU})
    pieces = list(read_log_chunks(path, ROBOT, rows=7))
    assert [len(piece) for piece in pieces] == [7, 7, 7, 7, 2]
    assert np.array_equal(np.concatenate([piece.q for piece in pieces]), Q)


@pytest.mark.parametrize("turned", [False, True])
def test_matlab_73(tmp_path, turned):
    q, tau = (Q.T, TAU.T) if turned else (Q, TAU)
    t = T if turned else T[:, None]
    assert_is_the_log(read_log(matlab73(tmp_path / "log.mat", {"t": t, "q": q, "tau": tau}), ROBOT))


@pytest.mark.parametrize("version", ["4", "5"])
@pytest.mark.parametrize("turned", [False, True])
def test_older_matlab(tmp_path, version, turned):
    arrays = {"t": T, "q": Q.T if turned else Q, "tau": TAU.T if turned else TAU}
    scipy_io.savemat(tmp_path / "log.mat", arrays, format=version)
    assert_is_the_log(read_log(tmp_path / "log.mat", ROBOT))


def test_matlab_structs_cells_and_texts(tmp_path):
    cells = np.array([np.zeros(3), "text"], dtype=object)
    run = {"time": T, "state": {"q": Q}, "tau": TAU, "name": "run 1", "parts": cells, "rate": 100.0}
    scipy_io.savemat(tmp_path / "log.mat", {"run": run})
    log = read_log(tmp_path / "log.mat", ROBOT)
    assert_is_the_log(log)
    (left_out,) = [one.text for one in log.findings if one.kind is Pathology.LEFT_OUT]
    assert "run_name" in left_out
    assert "rate" not in left_out


@pytest.mark.parametrize(("name", "data"), [("a.h5", b""), ("a.h5", b"\x89HDF\r\n\x1a\n" + 99 * b"x"), ("a.mat", b"x")])
def test_what_is_no_such_file_is_refused(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ArgumentError, match="cannot be read"):
        read_log(tmp_path / name, ROBOT)


def test_files_without_numbers_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match="no arrays of numbers"):
        read_log(written(tmp_path / "log.h5", {"label": np.bytes_("x"), "rate": 3.0}), ROBOT)


def test_a_dataset_that_claims_more_than_there_is_is_refused(tmp_path):
    with h5py.File(tmp_path / "log.h5", "w") as file:
        file.create_dataset("t", shape=(10**9,), dtype="f8", chunks=(1000,))
    with pytest.raises(ArgumentError, match="which are not there"):
        read_log(tmp_path / "log.h5", ROBOT)


@pytest.mark.parametrize(("package", "name", "extra"), [("h5py", "a.h5", "hdf5"), ("scipy.io", "a.mat", "identify")])
def test_a_missing_package_is_named(tmp_path, monkeypatch, package, name, extra):
    (tmp_path / name).write_bytes(b"x" * 200)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=package.split(".")[0]) as missing:
        read_log(tmp_path / name, ROBOT)
    assert extra in missing.value.remedy
