"""Standard parameters: names, values, frames."""

from __future__ import annotations

import numpy as np
import pytest
from tests.parameters.serial_arms import shared_model

from torquec.dynamics.friction_regressor import FrictionColumns
from torquec.dynamics.total_torque import total_torque
from torquec.parameters.standard_parameters import (
    ParameterFrames,
    StandardParameterKind,
    elimination_order,
    standard_parameters,
    standard_regressor,
    standard_values,
    to_body_frames,
)
from torquec.robot import classics


def parameters_of(robot, **options):
    return standard_parameters(robot, **({"motors": True, "friction": FrictionColumns.needed(robot)} | options))


def test_puma260_has_78():
    parameters = parameters_of(classics.puma260())
    assert len(parameters) == 78
    assert parameters.kinds.count(StandardParameterKind.INERTIAL) == 60
    assert parameters.kinds.count(StandardParameterKind.FRICTION) == 12


def test_link_frames_give_the_moments_of_the_paper():
    """Izaguirre et al., Table 2, in the frames of the table."""
    robot = classics.puma260()
    parameters = parameters_of(robot, frames=ParameterFrames.LINK)
    found = dict(zip(parameters.names, standard_values(robot, parameters), strict=True))
    assert found["my_link4"] == pytest.approx(-0.38219, abs=1e-15)
    assert found["Ixx_link4"] == pytest.approx(0.079781, abs=1e-15)
    assert found["Izz_link4"] == pytest.approx(0.077761, abs=1e-15)
    assert found["Iyy_link4"] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("frames", ParameterFrames)
@pytest.mark.parametrize("name", ["puma260", "puma560", "scara"])
def test_regressor_times_values_is_the_total_torque(name, frames):
    robot = classics.load_classic(name)
    parameters = parameters_of(robot, frames=frames)
    q, qd, qdd = np.random.default_rng(0).uniform(-2.0, 2.0, (3, 4, robot.n))
    expected = [total_torque(robot, *state) for state in zip(q.tolist(), qd.tolist(), qdd.tolist(), strict=True)]
    found = standard_regressor(robot, parameters, q, qd, qdd) @ standard_values(robot, parameters)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_without_motors_the_other_columns_stay():
    robot = classics.puma560()
    with_motors, without = parameters_of(robot), parameters_of(robot, motors=False)
    assert len(with_motors) == len(without) + 6
    placed = to_body_frames(robot, without)
    assert placed.shape == (len(with_motors), len(without))
    assert not placed[60:66].any()
    assert with_motors.names[66:] == without.names[60:]


def test_no_inertia_no_values():
    robot = shared_model("fanuc_m10ia_noinertia.urdf")
    assert standard_values(robot, parameters_of(robot)) is None


def ordered(robot, **options):
    parameters = standard_parameters(robot, motors=True, friction=FrictionColumns.SYMMETRIC)
    return [parameters.names[k] for k in elimination_order(robot, parameters, **options)]


def test_every_column_once():
    names = ordered(classics.stanford())
    assert len(names) == len(set(names)) == 60 + 6 + 12


def test_what_goes_inward_comes_last():
    names = ordered(classics.stanford())
    assert names.index("Izz_link2") < names.index("Iyy_link2")
    assert names.index("my_link6") < names.index("mz_link1")
    assert names.index("m_link3") < names.index("m_link2")  # link 3 slides
    assert names.index("m_link6") < names.index("Ixx_link3") < names.index("rotor_joint1")
    assert names[-1] == "coulomb_joint6"


def test_axes_other_than_z():
    """The UR5's shoulder turns about y of its link frame: Izz, my and m go inward."""
    names = ordered(shared_model("ur5.urdf"))
    late = {name.partition("_")[0] for name in names[42:60] if name.endswith("_upper_arm_link")}
    assert late == {"Izz", "my", "m"}


def test_wanted_names_come_first():
    names = ordered(classics.stanford(), wanted=["m_link6", "rotor_joint2"])
    assert names[:2] == ["m_link6", "rotor_joint2"]
    assert len(set(names)) == 78
