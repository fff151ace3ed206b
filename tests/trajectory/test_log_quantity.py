"""The table of quantities: each word names one of them, and is read as it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import torquec
from torquec.trajectory import log_quantity
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.log_quantity import LOG_QUANTITIES, MAPPED, UNIT_KEYS, UNIT_SPELLINGS
from torquec.trajectory.read_log import read_log


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
