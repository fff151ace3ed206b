"""Friction that drives: found for every law and speed, and written to no file."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification.simulated_arm import arm

import torquec as tq
from torquec.dynamics import friction_torque
from torquec.errors import RobotError, RobotFileError
from torquec.model.generate import generate
from torquec.realtime.package import write_two_rate_package
from torquec.realtime.ros2_package import write_ros2_package
from torquec.robot import classics, write_mjcf, write_urdf
from torquec.robot.friction import Friction
from torquec.robot.passive_friction import check_friction_is_passive, driving_speed
from torquec.robot.robot import Drives, Motor


def rubbing(friction, motor=None):
    """A planar arm whose second joint has this friction."""
    robot = arm()
    joint = dataclasses.replace(robot.bodies[1].joint, friction=friction)
    bodies = (robot.bodies[0], dataclasses.replace(robot.bodies[1], joint=joint))
    drives = robot.drives if motor is None else Drives((Motor("drive", 0.0, motor),), ((0.0, 50.0),))
    return dataclasses.replace(robot, bodies=bodies, drives=drives)


ACTIVE = Friction.of({"viscous": 0.4, "coulomb": 0.5, "curved": -0.1})  # 0.5 + 0.4 v - 0.1 v^2: zero at 5 rad/s


@pytest.mark.parametrize(
    ("viscous", "curved", "coulomb", "speed"),
    [
        (1.3779e-06, -0.40012, 0.55234, 1.175),  # joints 2, 3, 5 and 7 of a KUKA LWR4, fitted without the constraint
        (1.82585, -2.33690, 0.24595, 0.899),
        (4.6e-07, -0.53866, 0.94714, 1.326),
        (0.45114, -0.95373, 0.030773, 0.534),
    ],
)
def test_the_speeds_at_which_a_fitted_arm_was_driven(viscous, curved, coulomb, speed):
    friction = Friction.of({"viscous": viscous, "curved": curved, "coulomb": coulomb})
    assert driving_speed(friction) == pytest.approx(speed, abs=6e-4)


@pytest.mark.parametrize(
    ("words", "speed"),
    [
        ({}, None),
        ({"viscous": 0.4, "coulomb": 0.5, "offset": -3.0}, None),
        ({"viscous": 1.0, "curved": -2.0, "cubic": 1.0}, None),  # (1 - v)^2 touches zero
        ({"viscous": 1.0, "curved": -2.01, "cubic": 1.0}, 0.9049),
        ({"coulomb": 4.0, "viscous": 1.0, "curved": -3.0, "cubic": 1.0}, None),  # Coulomb friction makes up for it
        ({"coulomb": 1.0, "viscous": -0.1}, 10.0),
        ({"viscous": -0.1}, 0.0),
        ({"coulomb": -0.1, "viscous": 5.0}, 0.0),
        ({"coulomb_positive": 1.0, "coulomb_negative": -0.1}, 0.0),
        ({"coulomb": 1.0, "load": -0.01}, 0.0),
        ({"coulomb": 1.0, "stribeck": -0.5, "stribeck_speed": 0.1}, None),
        ({"coulomb": 1.0, "stribeck": -1.5, "stribeck_speed": 0.1}, 0.0),
        ({"coulomb": 1.0, "turnover_speed": 0.1, "curved": -0.1}, 0.0),
        ({"concave": 0.5, "concave_speed": 0.1}, None),
        ({"coulomb": 1.0, "concave": -1.5, "concave_speed": 0.1}, 0.0),
    ],
)
def test_known_laws(words, speed):
    found = driving_speed(Friction.of(words))
    assert found == (None if speed is None else pytest.approx(speed, abs=1e-4))


def test_no_sampled_speed_contradicts_it():
    """10^5 random speeds up to 10^6 rad/s of 100 laws: power is lost below that speed, gained just beyond it."""
    rng = np.random.default_rng(3)
    magnitudes = 10.0 ** rng.uniform(-6.0, 6.0, 100_000)
    speeds = magnitudes * rng.choice([-1.0, 1.0], len(magnitudes))
    drives = 0
    for _ in range(100):
        values = rng.normal(size=6) * rng.choice([0.0, 1.0], 6)
        if rng.random() < 0.7:
            values[[0, 1, 2, 3, 5]] = np.abs(values[[0, 1, 2, 3, 5]])
        names = ("viscous_positive", "viscous_negative", "coulomb_positive", "coulomb_negative", "curved", "cubic")
        friction = Friction.of(dict(zip(names, values.tolist(), strict=True)))
        beyond = driving_speed(friction)
        robot = rubbing(friction)
        power = np.asarray(friction_torque(robot, [0.0 * speeds, speeds])[1]) * speeds
        inside = np.abs(speeds) < (np.inf if beyond is None else beyond)
        assert np.all(power[inside] >= -1e-9 * np.abs(power[inside]).max(initial=0.0))
        if beyond is not None:
            drives += 1
            near = beyond * (1.0 + 1e-6) + 1e-9
            sides = np.array([near, -near])
            assert np.min(np.asarray(friction_torque(robot, [0.0 * sides, sides])[1]) * sides) < 0.0
    assert 20 < drives < 80


@pytest.mark.parametrize("robot", [rubbing(ACTIVE), rubbing(Friction(), motor=ACTIVE)], ids=["joint", "motor"])
def test_no_file_is_written_with_friction_that_drives(robot, tmp_path):
    writers = [
        lambda: write_mjcf(robot, tmp_path / "arm.xml"),
        lambda: write_urdf(robot, tmp_path / "arm.urdf"),
        lambda: tq.save(tq.compile(robot), tmp_path / "arm.tq.json"),
        lambda: generate(robot, tmp_path / "c"),
        lambda: generate(robot, tmp_path / "numpy", target="numpy", quantities=["total_torque"]),
        lambda: write_two_rate_package(robot, tmp_path / "rt"),
        lambda: write_ros2_package(robot, tmp_path / "ros2"),
    ]
    for write in writers:
        with pytest.raises(RobotError, match="drives it beyond 5 rad/s") as refused:
            write()
        assert "opposes motion at every speed" in refused.value.remedy
    assert not list(tmp_path.iterdir())
    # Code without friction is as good as any.
    generate(robot, tmp_path / "rigid", quantities=["inverse_dynamics"])
    write_two_rate_package(robot, tmp_path / "rigid_rt", friction="none")


def test_every_classic_is_passive():
    for name in classics.names():
        check_friction_is_passive(classics.load_classic(name))


def test_a_file_with_such_friction_is_loaded_with_a_warning(tmp_path):
    (tmp_path / "arm.drives.toml").write_text(
        '[joint."joint2"]\nfriction = { viscous = 0.4, coulomb = 0.5, curved = -0.1 }\n'
    )
    write_urdf(arm(), tmp_path / "plain.urdf")
    (tmp_path / "plain.urdf").rename(tmp_path / "arm.urdf")
    found = [warning for warning in tq.load(tmp_path / "arm.urdf").warnings if warning.about == "joint2"]
    assert [warning.text for warning in found] == [
        "the friction of joint 'joint2' drives it beyond 5 rad/s: no file is written with it"
    ]
    assert found[0].where.endswith("arm.drives.toml")
    with pytest.raises(RobotFileError, match="drives it beyond 5 rad/s"):
        tq.load(tmp_path / "arm.urdf", strict=True)


def test_the_reader_of_mjcf_warns_too(tmp_path):
    joint = '<joint name="hinge" axis="0 1 0" damping="0.4 -0.1 0" frictionloss="0.5"/>'
    body = f'<body><inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.1 0.1"/>{joint}</body>'
    (tmp_path / "arm.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert any("drives it beyond 5 rad/s" in warning.text for warning in tq.load(tmp_path / "arm.xml").warnings)
