"""Base parameters: counts and formulas of known arms, laws, agreement of all methods, misuse."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state
from tests.parameters.serial_arms import QUARTER, dh_arm, panda_arm, random_arm, shared_model

from torquec.dynamics.friction_regressor import FrictionColumns
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.total_torque import total_torque
from torquec.errors import ArgumentError, CheckError
from torquec.parameters.base_parameters import BasisMethod, base_parameters
from torquec.parameters.check_base_parameters import check_base_parameters
from torquec.parameters.standard_parameters import StandardParameterKind, standard_regressor
from torquec.robot import classics
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives, JointType, Mimic, Motor, Robot

TILTED = (2.0, 1.3, -9.0)


# --- known answers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", BasisMethod)
@pytest.mark.parametrize(
    ("name", "gravity", "count"),
    [
        ("puma560", None, 36),
        ("puma560", TILTED, 38),
        ("puma560", (0.0, 0.0, 0.0), 34),
        ("stanford", None, 33),
        ("stanford", TILTED, 35),
        ("scara", None, 8),
        ("scara", TILTED, 10),
        ("planar2r", None, 6),
        ("planar2r", (0.0, 0.0, -9.81), 4),
        ("puma260", None, 36),
    ],
)
def test_counts_of_the_classics(name, gravity, count, method):
    base = base_parameters(classics.load_classic(name, gravity=gravity), method=method, motors=False)
    assert base.count == len(base) == count


def test_panda_has_43():
    assert base_parameters(panda_arm()).count == 43


def test_ur5_has_36():
    assert base_parameters(shared_model("ur5.urdf")).count == 36


def test_planar_arm_in_full():
    base = base_parameters(classics.planar2r())
    assert base.expressions == (
        "Izz_link1 + m_link2",
        "mx_link1 + m_link2",
        "my_link1",
        "Izz_link2",
        "mx_link2",
        "my_link2",
    )
    assert base.names == ("Izz_link1+", "mx_link1+", "my_link1", "Izz_link2", "mx_link2", "my_link2")
    assert np.allclose(base.values, [4 / 3, 1.5, 0.0, 1 / 3, 0.5, 0.0])
    assert base.grouped == ("m_link2",)
    assert len(base.dropped) == 13
    assert base.method == "elimination; exact rational rank"


def test_panda_groups_as_gaz_and_others_published():
    """Gaz et al. 2019, supplement, Table III: the first coefficients of the Panda in its DH frames."""
    base = base_parameters(panda_arm())
    found = dict(zip(base.names, base.expressions, strict=True))
    prefix = "panda_link"
    assert found[f"Izz_{prefix}1+"] == f"Izz_{prefix}1 + Iyy_{prefix}2"
    row = base.projection[base.names.index(f"Ixx_{prefix}2+")]
    terms = {name: value for name, value in zip(base.parameters.names, row, strict=True) if value}
    assert terms == pytest.approx(
        {f"Ixx_{prefix}2": 1.0, f"Iyy_{prefix}2": -1.0, f"Iyy_{prefix}3": 1.0, f"mz_{prefix}3": 0.632}
        | {f"m_{prefix}3": 0.316**2}
        | {f"m_{prefix}{k}": 0.316**2 + 0.0825**2 for k in (4, 5, 6, 7)}
    )


def puma260_order():
    """Motors first, then links 6 to 1, each by its letters, then friction (Izaguirre et al., Table 1)."""
    links = [f"{name}_link{k}" for k in range(6, 0, -1) for name in LETTERS.values()]
    motors = [f"rotor_joint{k}" for k in range(1, 7)]
    friction = [f"{kind}_joint{k}" for kind in ("coulomb", "viscous") for k in range(1, 7)]
    return motors + links + friction


LETTERS = {
    "m": "m", "x": "mx", "y": "my", "z": "mz", "a": "Ixx", "b": "Iyy", "c": "Izz", "d": "Ixy", "e": "Iyz", "f": "Ixz",
}  # fmt: skip
"""The letters of the paper."""

TABLE_1 = {
    6: "m x y z a b c d e f",
    5: "x y a c d e f",
    4: "x y a c d e f",
    3: "x y a d e f",
    2: "x y d e",
}
"""The link moments kept in Table 1."""


def test_puma260_of_izaguirre():
    order = puma260_order()
    assert len(order) == 78
    base = base_parameters(classics.puma260(), friction=True, frames="link", order=order)
    kept = [f"{LETTERS[letter]}_link{k}" for k, row in TABLE_1.items() for letter in row.split()]
    assert len(base) == 52
    assert [name.removesuffix("+") for name in base.names] == order[:6] + kept + order[-12:]
    assert (base.count, base.motor_count, base.friction_count) == (34, 6, 12)
    check_base_parameters(classics.puma260(), base)


# --- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", BasisMethod)
@pytest.mark.parametrize("name", ["puma560", "stanford", "scara"])
def test_base_gives_the_torques(name, method):
    robot = classics.load_classic(name)
    base = base_parameters(robot, method=method, friction=True)
    q, qd, qdd = np.random.default_rng(3).uniform(-2.0, 2.0, (3, 5, robot.n))
    regressor = standard_regressor(robot, base.parameters, q, qd, qdd) @ base.expansion
    expected = np.array(
        [total_torque(robot, *state) for state in zip(q.tolist(), qd.tolist(), qdd.tolist(), strict=True)]
    )
    np.testing.assert_allclose(regressor @ base.values, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", range(12))
def test_trees_couplings_and_motors(seed):
    """Any robot without axes that are almost parallel: all methods agree, and the independent check passes."""
    robot = random_robot(seed, placements=("generic", "right-angled", "parallel", "collinear", "no offset"))
    base = base_parameters(robot, friction=True)
    assert check_base_parameters(robot, base).rank == len(base)
    state = random_state(robot, seed)
    without = base_parameters(robot)
    y = standard_regressor(robot, without.parameters, state.q, state.qd, state.qdd) @ without.expansion
    expected = [
        inverse_dynamics(robot, *row)
        for row in zip(state.q.tolist(), state.qd.tolist(), state.qdd.tolist(), strict=True)
    ]
    np.testing.assert_allclose(y @ without.values, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", BasisMethod)
def test_methods_span_the_same_space(method):
    robot = random_arm(5)
    usual, other = base_parameters(robot), base_parameters(robot, method=method)
    stacked = np.vstack([usual.projection, other.projection])
    values = np.linalg.svd(stacked / np.linalg.norm(stacked, axis=1)[:, None], compute_uv=False)
    assert len(usual) == len(other) == np.sum(values > 1e-9)


def test_the_order_decides_what_is_kept():
    robot = classics.planar2r()
    assert "m_link2+" in base_parameters(robot, order=["m_link2"]).names
    assert "m_link2" in base_parameters(robot).grouped


def test_vertical_slide_with_motor_and_offset():
    """m (qdd + g), rotor qdd and offset 1 are three columns of rank two."""
    slide = dh_arm("slide", [(True, 0.0, 0.0, 0.0, 0.0)])
    driven = dataclasses.replace(slide, drives=Drives((Motor("motor", 0.01),), ((10.0,),)))
    base = base_parameters(driven, friction=FrictionColumns.OFFSET)
    assert base.kinds.count(StandardParameterKind.INERTIAL) == 1
    assert len(base) == 4  # mass, rotor (holding the offset), viscous, Coulomb


def test_friction_of_joint_and_geared_motor_is_one():
    arm = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0)])
    motor = Motor("motor", 0.01, Friction.symmetric(0.1, 0.2))
    driven = dataclasses.replace(arm, drives=Drives((motor,), ((10.0,),)))
    base = base_parameters(driven, friction=True)
    assert base.friction_count == 2
    assert base.expressions[-2:] == ("viscous_joint1 + 100*viscous_motor", "coulomb_joint1 + 10*coulomb_motor")


def test_simple_mimic_ratios_are_exact_and_others_are_said_to_be_numeric():
    arm = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0), (False, QUARTER, 0.3, 0.0, 0.0), (False, 0.0, 0.4, 0.0, 0.0)])

    def coupled(ratio):
        last = arm.bodies[2]
        follower = dataclasses.replace(last.joint, mimic=Mimic("joint2", ratio))
        return dataclasses.replace(arm, bodies=(*arm.bodies[:2], dataclasses.replace(last, joint=follower)))

    for ratio in (-1.0, 0.5, 2.0):
        base = base_parameters(coupled(ratio))
        assert base.exact
        check_base_parameters(coupled(ratio), base)
    base = base_parameters(coupled(0.7391))
    assert not base.exact
    assert "no simple mimic ratio" in base.method
    check_base_parameters(coupled(0.7391), base)


def test_other_angles_are_said_to_be_numeric():
    arm = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.1), (False, 0.7, 0.3, 0.0, 0.0), (False, -0.7, 0.2, 0.0, 0.0)])
    base = base_parameters(arm)
    assert not base.exact
    assert "numeric rank" in base.method
    assert "joint2" in base.method
    check_base_parameters(arm, base)


def test_without_inertias_there_is_structure_and_no_values():
    robot = shared_model("fanuc_m10ia_noinertia.urdf")
    base = base_parameters(robot)
    assert base.count == 36
    assert base.values is None
    assert base.record.values is None
    check_base_parameters(robot, base)


def test_gravity_of_zero_and_branches_fall_back_to_rank_and_say_so():
    still = classics.puma560(gravity=(0.0, 0.0, 0.0))
    base = base_parameters(still, method=BasisMethod.THEOREM, motors=False)
    assert base.count == 34
    assert "gravity is zero" in base.method
    hand = shared_model("panda.urdf")
    assert "branches" in base_parameters(hand, method="theorem").method


def test_a_robot_without_joints_has_none():
    for method in BasisMethod:
        assert len(base_parameters(Robot("rock", ()), method=method, friction=True)) == 0


def test_snap_turns_38_into_36():
    """1.5708 for a right angle: with the angle as printed the arm is another one."""
    robot = shared_model("puma560.urdf")
    assert base_parameters(robot).count == 36
    assert base_parameters(dataclasses.replace(robot, snap=False)).count == 38


def test_record_is_plain_json():
    base = base_parameters(classics.planar2r())
    document = json.loads(json.dumps(base.record.to_dict()))
    assert type(base.record).from_dict(document) == base.record


def test_arrays_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        base_parameters(classics.planar2r()).projection[0, 0] = 1.0


@pytest.mark.parametrize("model", ["allegro_right_hand.urdf", "baxter.urdf", "anymal_b.urdf", "talos_reduced.urdf"])
@pytest.mark.slow
def test_large_trees(model):
    robot = shared_model(model)
    check_base_parameters(robot, base_parameters(robot, friction=True))


LIN_ARMS = {
    "Stanford": ((0, 0, 1, 0, 0, 0), (0, -90, 90, 0, -90, 90), (0, 0, 0, 0, 0, 0), (0.412, 0.154, 0, 0, 0, 0.263)),
    "SCARA RRPR": ((0, 0, 1, 0), (0, 0, 0, 0), (0, 0.325, 0.275, 0), (0.387, 0, 0, 0)),
    "SCARA RRRP": ((0, 0, 0, 1), (0, 0, 0, 0), (0, 0.325, 0.275, 0), (0.387, 0, 0, 0)),
    "planar 2R": ((0, 0), (0, 0), (0, 1), (0, 0)),
    "PR": ((1, 0), (0, 90), (0, 0), (0, 0)),
}
"""Modified DH tables: sliding or not, alpha [deg], a and d [m]."""


@pytest.mark.parametrize(
    ("name", "gravity", "count"),
    [
        ("Stanford", (0.0, 0.0, -9.81), 33),
        ("Stanford", TILTED, 35),
        ("SCARA RRPR", (0.0, 0.0, -9.81), 8),
        ("SCARA RRPR", TILTED, 10),
        ("SCARA RRRP", (0.0, 0.0, -9.81), 8),
        ("planar 2R", (0.0, -9.81, 0.0), 6),
        ("planar 2R", (0.0, 0.0, -9.81), 4),
        ("PR", (0.0, -9.81, 0.0), 4),
    ],
)
def test_counts_of_lin(name, gravity, count):
    """Lin's minimal linear combinations; counts are ranks of the regressor over random states, found elsewhere."""
    sliding, alpha, a, d = LIN_ARMS[name]
    columns = zip(sliding, np.radians(alpha), a, d, strict=True)
    arm = dh_arm(name, [(bool(s), float(twist), float(x), 0.0, float(z)) for s, twist, x, z in columns], gravity)
    assert base_parameters(arm).count == count


# --- misuse ---------------------------------------------------------------------------------------------------------


def test_unknown_method_lists_the_known_ones():
    with pytest.raises(ArgumentError, match="no method 'guess'") as caught:
        base_parameters(classics.planar2r(), method="guess")
    assert "elimination" in caught.value.remedy


def test_unknown_friction_lists_the_known_ones():
    with pytest.raises(ArgumentError, match="no friction columns 'sticky'") as caught:
        base_parameters(classics.planar2r(), friction="sticky")
    assert "directional" in caught.value.remedy


def test_order_with_unknown_or_repeated_names_is_refused():
    with pytest.raises(ArgumentError, match="mass_of_link9"):
        base_parameters(classics.planar2r(), order=["mass_of_link9"])
    with pytest.raises(ArgumentError, match="twice"):
        base_parameters(classics.planar2r(), order=["m_link1", "m_link1"])


def test_order_needs_elimination():
    with pytest.raises(ArgumentError, match="no meaning"):
        base_parameters(classics.planar2r(), method="svd", order=["m_link1"])


def test_not_a_robot():
    with pytest.raises(ArgumentError, match="takes a Robot"):
        base_parameters("puma560")


def test_a_robot_that_is_special_up_to_rounding_is_an_error_that_explains_itself():
    """Axes that are parallel to 1e-8: what tells them apart is the square of that, which doubles do not hold."""
    arm = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0), (False, 1e-8, 0.3, 0.0, 0.0)])
    with pytest.raises(CheckError, match="ambiguous number") as caught:
        base_parameters(dataclasses.replace(arm, snap=False))
    assert "Lin's theorem 8" in caught.value.found
    assert "singular values" in caught.value.found
    assert "correct the file" in caught.value.remedy
    assert base_parameters(dataclasses.replace(arm, snap=False), method="qr", threshold=1e-6).count == 4
    assert base_parameters(arm).count == 4


def test_bodies_that_slide_along_the_axis_they_turn_about():
    # All first moments cancel, up to rounding, because the axes are parallel in no frame's own direction.
    robot = random_robot(0, bodies=3, mimic=False, types=(JointType.REVOLUTE, JointType.PRISMATIC))
    assert [joint.type.is_prismatic for joint in robot.joints] == [False, True, True]
    assert base_parameters(robot).names == ("Ixx_body0+", "m_body1", "m_body2")
