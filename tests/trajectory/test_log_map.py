"""Every key of a map: what it does to recorded numbers, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.robot import classics
from torquec.trajectory.log_map import LogMap, read_log_map
from torquec.trajectory.read_log import read_log

ROBOT = classics.planar2r()
T = 0.01 * np.arange(40)
RAW = {
    "stamp": 1000.0 * T,
    "p1": 30.0 + 10.0 * T,
    "p2": -20.0 * T,
    "v1": np.full(40, 10.0),
    "v2": np.full(40, -20.0),
    "i1": 1.0 + T,
    "i2": 2.0 - T,
}
COLUMNS = 'time = "stamp"\nposition = "p{}"\nvelocity = "v{}"\ntorque = "i{}"\ntime_unit = "ms"\n'


def mapped(tmp_path, keys, raw=RAW, robot=ROBOT):
    (tmp_path / "map.toml").write_text(COLUMNS + keys)
    np.savez(tmp_path / "log.npz", **raw)
    return read_log(tmp_path / "log.npz", robot, log_map=read_log_map(tmp_path / "map.toml"))


def columns(*names):
    return np.stack([RAW[name] for name in names], axis=1)


def test_columns_and_time(tmp_path):
    log = mapped(tmp_path, 'angle = "rad"')
    assert np.allclose(log.t, T)
    assert np.array_equal(log.q, columns("p1", "p2"))
    assert np.array_equal(log.tau, columns("i1", "i2"))


def test_degrees(tmp_path):
    log = mapped(tmp_path, 'angle = "deg"')
    assert np.allclose(log.q, np.radians(columns("p1", "p2")))
    assert np.allclose(log.qd, np.radians(columns("v1", "v2")))


def test_speeds_in_another_unit(tmp_path):
    log = mapped(tmp_path, 'angle = "deg"\nvelocity_angle = "rad"')
    assert np.allclose(log.q, np.radians(columns("p1", "p2")))
    assert np.allclose(log.qd, columns("v1", "v2"))


def test_currents_with_drive_gains(tmp_path):
    log = mapped(tmp_path, 'angle = "deg"\ngains = [0.5, -2.0]')
    assert np.allclose(log.tau, columns("i1", "i2") * [0.5, -2.0])


def test_millinewtonmetres(tmp_path):
    assert np.allclose(mapped(tmp_path, 'angle = "deg"\ntorque_unit = "mNm"').tau, 1e-3 * columns("i1", "i2"))


def test_signs_turn_a_column_of_every_quantity(tmp_path):
    log = mapped(tmp_path, 'angle = "deg"\nsigns = [1, -1]')
    assert np.allclose(log.q, np.radians(columns("p1", "p2")) * [1, -1])
    assert np.allclose(log.qd, np.radians(columns("v1", "v2")) * [1, -1])
    assert np.allclose(log.tau, columns("i1", "i2") * [1, -1])


def test_gear_ratios(tmp_path):
    log = mapped(tmp_path, 'angle = "deg"\ngear_ratios = [100, -50]')
    assert np.allclose(log.q, np.radians(columns("p1", "p2")) / [100, -50])
    assert np.allclose(log.tau, columns("i1", "i2") * [100, -50])


def test_gears_of_the_torque_alone(tmp_path):
    log = mapped(tmp_path, 'angle = "deg"\ngear_ratios = [100, 50]\nmotor_side = ["torque"]')
    assert np.allclose(log.q, np.radians(columns("p1", "p2")))
    assert np.allclose(log.tau, columns("i1", "i2") * [100, 50])


def test_coupled_drives_keep_power():
    gears = np.array([[10.0, 0.0], [4.0, 5.0]])
    coupled = LogMap(transmission=tuple(map(tuple, gears.tolist())))
    speed, torque = np.array([[3.0, 4.0]]), np.array([[0.5, -0.2]])
    joint = coupled.to_joint("velocity", speed), coupled.to_joint("torque", torque)
    assert np.allclose(gears @ joint[0][0], speed[0])
    assert np.isclose((joint[0] * joint[1]).sum(), (speed * torque).sum())


def test_a_missing_value_stays_in_its_joint():
    coupled = LogMap(transmission=((10.0, 0.0), (4.0, 5.0)))
    assert np.isnan(coupled.to_joint("torque", np.array([[1.0, np.nan]]))).tolist() == [[True, True]]
    assert np.isnan(coupled.to_joint("position", np.array([[1.0, np.nan]]))).tolist() == [[False, True]]


def test_zero_offsets_are_of_the_joints_and_in_their_unit(tmp_path):
    log = mapped(tmp_path, 'angle = "deg"\ngear_ratios = [10, 10]\noffset = [0, -90]')
    assert np.allclose(log.q, np.radians(columns("p1", "p2")) / 10 + [0.0, -math.pi / 2])


def test_sliding_joints_are_lengths():
    scara = classics.scara()
    sliding = tuple(joint.type.is_prismatic for joint in scara.joints)
    values = LogMap(angle_unit="deg", length_unit="mm", offset=(0.0, 0.0, 1.0, 0.0)).to_joint(
        "position", np.array([[90.0, 90.0, 500.0, 90.0]]), sliding=sliding
    )
    assert np.allclose(values, np.where(sliding, [0, 0, 0.501, 0], np.radians(90.0)))


def test_a_motor_that_drives_a_sliding_joint_turns():
    screw = LogMap(angle_unit="deg", gear_ratios=(1000.0,))
    assert np.allclose(screw.to_joint("position", np.array([[180.0]]), sliding=(True,)), math.pi / 1000.0)


def test_turns_are_joined_also_over_missing_values_and_pieces(tmp_path):
    true = np.stack([0.3 * T * 100, -0.2 * T * 100], axis=1)
    wrapped = (true + np.pi) % (2.0 * np.pi) - np.pi
    wrapped[5] = np.nan
    raw = RAW | {"p1": wrapped[:, 0], "p2": wrapped[:, 1]}
    log = mapped(tmp_path, "unwrap = true", raw)
    keep = np.arange(40) != 5
    assert np.allclose(log.q[keep], true[keep])
    (tmp_path / "map.toml").write_text(COLUMNS + "unwrap = true")
    from torquec.trajectory.read_log import read_log_chunks

    pieces = read_log_chunks(tmp_path / "log.npz", ROBOT, log_map=read_log_map(tmp_path / "map.toml"), rows=6)
    joined = np.concatenate([piece.q for piece in pieces])
    assert np.allclose(joined[keep], true[keep])


@pytest.mark.parametrize("delay", [0.004, -0.013])
def test_a_delay_moves_torques_between_samples(tmp_path, delay):
    log = mapped(tmp_path, f'angle = "deg"\ndelay = {delay}')
    inside = slice(3, -3)
    assert np.allclose(log.tau[inside, 0], 1.0 + T[inside] + delay)
    assert np.allclose(log.tau[inside, 1], 2.0 - T[inside] - delay)


def test_joints_in_another_order(tmp_path):
    a, b = ROBOT.joint_names
    log = mapped(tmp_path, f'angle = "deg"\njoints = ["{b}", "{a}"]')
    assert log.joints == (a, b)
    assert np.allclose(log.q, np.radians(columns("p2", "p1")))
    assert log.columns["tau"] == ("i2", "i1")


def test_keys_that_are_left_out_come_from_the_header(tmp_path):
    np.savez(tmp_path / "log.npz", t=T, q=columns("p1", "p2"), dq=columns("v1", "v2"), tau=columns("i1", "i2"))
    log = read_log(tmp_path / "log.npz", ROBOT, log_map=LogMap(angle_unit="deg", gains=(2.0, 2.0)))
    assert np.allclose(log.q, np.radians(columns("p1", "p2")))
    assert np.allclose(log.qd, np.radians(columns("v1", "v2")))
    assert np.allclose(log.tau, 2.0 * columns("i1", "i2"))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("colour = 1", "colour"),
        ('angle = "grad"', "grad"),
        ('torque_unit = "lbf"', "lbf"),
        ('length = "inch"', "inch"),
        ("gains = [1]", "gains has 1 entries"),
        ('gains = ["a", "b"]', "gains"),
        ("signs = [1, 2]", "signs are"),
        ("gear_ratios = [1, 0]", "inverse"),
        ("gear_ratios = [1, 2]\ntransmission = [[1, 0], [0, 1]]", "gear_ratios and a transmission"),
        ("transmission = [[1, 0], [1]]", "too short"),
        ('motor_side = ["colour"]', "colour"),
        ("delay = 2", "a delay of 2 s"),
        ('delay = "much"', "delay"),
        ("unwrap = 1", "true or false"),
        ('joints = ["knee", "hip"]', "knee"),
        ("= 1", "not TOML"),
    ],
)
def test_bad_maps_are_refused(tmp_path, keys, said):
    with pytest.raises(ArgumentError, match=said):
        mapped(tmp_path, keys)


def test_keys_of_older_files_are_read(tmp_path):
    old = tmp_path / "old.toml"
    old.write_text('angle = "deg"\nvelocity_angle = "rad"\nlength = "mm"\n')
    new = tmp_path / "new.toml"
    new.write_text('angle_unit = "deg"\nspeed_unit = "rad"\nlength_unit = "mm"\n')
    assert read_log_map(old) == read_log_map(new) == LogMap(angle_unit="deg", speed_unit="rad", length_unit="mm")
    new.write_text('angle_unit = "deg"\nangle = "rad"\n')
    with pytest.raises(ArgumentError, match="there are 'angle' and 'angle_unit'"):
        read_log_map(new)
