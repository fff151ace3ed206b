"""The table of quantities: each word names one of them, and is read as it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import torquec
from torquec.errors import ArgumentError
from torquec.trajectory import log_quantity
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap, read_log_map
from torquec.trajectory.log_quantity import LOG_QUANTITIES, MAPPED, UNIT_KEYS, UNIT_SPELLINGS, further_quantities
from torquec.trajectory.read_log import read_log, read_log_chunks


def test_every_word_names_one_quantity():
    words = [word for quantity in LOG_QUANTITIES for word in quantity.words] + list(log_quantity.TIME_WORDS)
    assert len(words) == len(set(words))
    assert all(word == word.lower() for word in words)


def test_maps_and_logs_have_a_place_for_every_row():
    keys = {field.name for field in dataclasses.fields(LogMap)}
    assert set(MAPPED) | set(UNIT_KEYS) <= keys
    symbols = {quantity.symbol for quantity in LOG_QUANTITIES if quantity.symbol}
    assert symbols <= {field.name for field in dataclasses.fields(Log)}


@pytest.mark.parametrize("spelling", UNIT_SPELLINGS)
def test_every_spelling_is_a_unit_that_is_converted(spelling):
    measured, unit = UNIT_SPELLINGS[spelling]
    key = measured if measured in UNIT_KEYS else f"{measured}_unit"
    assert unit in UNIT_KEYS[key]


@pytest.mark.parametrize("word", [word for quantity in LOG_QUANTITIES if quantity.symbol for word in quantity.words])
def test_every_word_is_read(word, tmp_path):
    names = {quantity.symbol: quantity.words[0] for quantity in LOG_QUANTITIES if quantity.symbol}
    symbol = next(quantity.symbol for quantity in LOG_QUANTITIES if word in quantity.words)
    names[symbol] = word
    t = np.arange(20.0) / 100.0
    columns = {key: np.column_stack([np.sin(t + k), np.cos(t - k)]) for k, key in enumerate(names)}
    header = ",".join(["t", *(f"{names[key]}_{k}" for key in names for k in (1, 2))])
    np.savetxt(tmp_path / "log.csv", np.column_stack([t, *columns.values()]), "%.17g", ",", header=header, comments="")
    log = read_log(tmp_path / "log.csv", torquec.classics.planar2r())
    for key, values in columns.items():
        assert np.array_equal(getattr(log, key), values)


MORE = [word for quantity in LOG_QUANTITIES if not quantity.symbol for word in quantity.words]


def with_more(path, *names):
    """A log of the planar arm with a column for each further name, which holds its number."""
    t = np.arange(20.0) / 100.0
    table = np.column_stack(
        [t, *(np.sin(t + k) for k in range(4)), *(np.full(20, float(k)) for k in range(len(names)))]
    )
    header = ",".join(["t", "q1", "q2", "tau1", "tau2", *names])
    np.savetxt(path, table, "%.17g", ",", header=header, comments="")
    return path


@pytest.mark.parametrize("word", MORE)
def test_a_row_is_all_that_a_quantity_needs(word, tmp_path):
    key = next(quantity.key for quantity in LOG_QUANTITIES if word in quantity.words)
    robot = torquec.classics.planar2r()
    path = with_more(tmp_path / "log.csv", f"{word}_2", f"{word}_1", "stage")
    log = read_log(path, robot)
    assert {name: values[0] for name, values in log.others.items()} == {
        f"{key}_joint2": 0.0, f"{key}_joint1": 1.0, "stage": 2.0,
    }  # fmt: skip
    pieces = list(read_log_chunks(path, robot, rows=7))
    assert all(set(piece.others) == set(log.others) for piece in pieces)


@pytest.mark.parametrize("key", further_quantities())
def test_maps_have_the_key_of_every_row(key, tmp_path):
    robot = torquec.classics.planar2r()
    path = with_more(tmp_path / "log.csv", "x_b", "x_a")
    (tmp_path / "map.toml").write_text(f'{key} = ["x_a", "x_b"]\n')
    log = read_log(path, robot, log_map=read_log_map(tmp_path / "map.toml"))
    assert log.others[f"{key}_joint1"][0] == 1.0
    assert log.others[f"{key}_joint2"][0] == 0.0
    for wrong, words in (
        ('["x_a"]', "has 1 entries"),
        ('["x_a", "gone"]', "'gone' that is not there"),
        ("3", "pattern"),
    ):
        (tmp_path / "map.toml").write_text(f"{key} = {wrong}\n")
        with pytest.raises(ArgumentError, match=words):
            read_log(path, robot, log_map=read_log_map(tmp_path / "map.toml"))


def test_columns_beyond_the_robot_and_second_ones_keep_their_names(tmp_path):
    log = read_log(with_more(tmp_path / "log.csv", "temp1", "temperature_1", "temp7"), torquec.classics.planar2r())
    assert set(log.others) == {"temperature_joint1", "temperature_1", "temp7"}
