"""Columns beside rigid bodies: friction of shafts, coupled motors, gas springs, recorded columns."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.excitation.excitation import simulated_log
from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.friction_law import (
    FrictionLaw,
    FrictionModel,
    friction_block,
    friction_names,
    shafts_of,
)
from torquec.identification.torque.torque_columns import GasSpring, RecordedColumn, read_columns
from torquec.robot import classics

ROBOT = classics.planar2r()


@pytest.mark.parametrize("model", list(FrictionModel))
def test_names_and_columns_agree(model):
    shafts = shafts_of(ROBOT, np.array([[10.0, 0.0], [5.0, 10.0]]))
    assert [shaft.name for shaft in shafts] == ["joint1", "joint2", "motor2"]
    block = friction_block(shafts, model, np.array([[1.0, -2.0]]), load=np.ones((1, 2)))
    assert block.shape == (1, 2, len(friction_names(shafts, model)))


def test_values_of_a_coupled_shaft():
    shafts = shafts_of(ROBOT, np.array([[10.0, 0.0], [5.0, 10.0]]))
    names = friction_names(shafts, FrictionModel.SYMMETRIC)
    block = friction_block(shafts, FrictionModel.SYMMETRIC, np.array([[1.0, -2.0]]))[0]
    found = {name: block[:, k].tolist() for k, name in enumerate(names)}
    assert found["viscous_joint2"] == [0.0, -2.0]
    assert found["coulomb_joint2"] == [0.0, -1.0]
    assert found["viscous_motor2"] == [-0.75, -1.5]  # speed 0.5 * 1 - 2, on both joints by the same row
    assert found["coulomb_motor2"] == [-0.5, -1.0]


def test_a_gas_spring_is_the_slope_of_its_energy():
    samples = prepare(simulated_log(ROBOT), cutoff=10.0)
    spring = GasSpring("joint2", base=0.8, lever=0.2, area=1e-3, pressure_volume=1e4, volume=1e-3, angle=0.3)

    def energy(q):
        length = np.sqrt(0.8**2 + 0.2**2 - 2 * 0.8 * 0.2 * np.cos(q + 0.3))
        return -1e4 * np.log(1e-3 - (length - 0.6) * 1e-3)

    q, step = samples.q[:, 1], 1e-5
    slope = (energy(q + step) - energy(q - step)) / (2 * step)
    assert np.allclose(spring.torque(ROBOT, samples)[:, 1], slope, rtol=1e-5, atol=1e-3)


def test_recorded_columns_and_their_absence():
    log = simulated_log(ROBOT)
    samples = prepare(dataclasses.replace(log, others={"cable": np.arange(len(log), dtype=float)}), cutoff=10.0)
    assert RecordedColumn("joint1", "cable").torque(ROBOT, samples)[5, 0] == pytest.approx(5.0)
    with pytest.raises(ArgumentError, match="wire"):
        RecordedColumn("joint1", "wire").torque(ROBOT, samples)


def test_blank_cells_of_a_recorded_column_are_bridged_and_a_blank_column_is_refused():
    log = simulated_log(ROBOT)
    cable = np.where(np.arange(len(log)) % 7 == 0, np.arange(len(log)) * 1.0, np.nan)
    others = {"cable": cable, "wire": np.full(len(log), np.nan)}
    samples = prepare(dataclasses.replace(log, others=others), cutoff=10.0)
    assert RecordedColumn("joint1", "cable").torque(ROBOT, samples)[5, 0] == pytest.approx(5.0)
    with pytest.raises(ArgumentError, match="the column 'wire' has blanks"):
        RecordedColumn("joint1", "wire").torque(ROBOT, samples)


def test_columns_from_a_file(tmp_path):
    path = tmp_path / "columns.toml"
    path.write_text('[[recorded]]\njoint = "joint1"\ncolumn = "cable"\n')
    assert read_columns(path) == (RecordedColumn("joint1", "cable"),)
    path.write_text('[[recorded]]\njoint = "joint1"\ncolour = "red"\n')
    with pytest.raises(ArgumentError, match="colour"):
        read_columns(path)
    path.write_text("[[magnet]]\n")
    with pytest.raises(ArgumentError, match="magnet"):
        read_columns(path)


SPRING = {"joint": "joint2", "base": 0.8, "lever": 0.2, "area": 1e-3, "pressure_volume": 1e4, "volume": 1e-3}


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("joint", "3", "'joint' has the value '3'"),
        ("base", '"long"', "'base' has the value 'long'"),
        ("area", "true", "'area' has the value 'True'"),
        ("lever", "[0.2]", "'lever' has the value"),
        ("volume", "-1e-3", "volume = -0.001"),
        ("base", "nan", "base = nan"),
        ("angle", "inf", "angle = inf"),
        ("volume", None, "'volume' is missing"),
    ],
)
def test_values_of_the_wrong_kind_are_refused(tmp_path, field, text, message):
    path = tmp_path / "columns.toml"
    lines = {name: repr(value).replace("'", '"') for name, value in SPRING.items()} | {field: text}
    path.write_text("[[gas_spring]]\n" + "".join(f"{name} = {value}\n" for name, value in lines.items() if value))
    with pytest.raises(ArgumentError, match=r"columns\.toml") as caught:
        read_columns(path)
    assert message in str(caught.value)


def test_entries_that_are_no_tables_are_refused(tmp_path):
    path = tmp_path / "columns.toml"
    path.write_text("recorded = [1, 2]\n")
    with pytest.raises(ArgumentError, match="not a table"):
        read_columns(path)


def test_a_gas_spring_without_volume_is_refused():
    samples = prepare(simulated_log(ROBOT), cutoff=10.0)
    with pytest.raises(ArgumentError, match=r"counterbalance.*volume.*joint2"):
        GasSpring(**SPRING | {"volume": 1e-5}).torque(ROBOT, samples)


def test_all_powers_of_the_speed_are_tried_together():
    """One of them alone must not be negative; both can bend downwards and still take energy."""
    law = FrictionLaw()
    assert law.richer["powers"].parameters == ("viscous", "coulomb", "offset", "curved", "cubic")
    bent = law.with_term("curved")
    assert not bent.has("powers")
    assert bent.with_term("powers").parameters == ("viscous", "coulomb", "offset", "curved", "cubic")
    assert "powers" not in bent.with_term("powers").richer
