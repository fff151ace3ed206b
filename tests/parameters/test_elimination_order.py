"""The order of elimination: what is kept first."""

from __future__ import annotations

from tests.parameters.serial_arms import shared_model

from torquec.dynamics.friction_regressor import FrictionColumns
from torquec.parameters.elimination_order import elimination_order
from torquec.parameters.standard_parameters import standard_parameters
from torquec.robot import classics


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
