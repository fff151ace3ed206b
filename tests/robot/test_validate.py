"""The checks that all readers share."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from torquec.errors import RobotError, RobotFileError
from torquec.robot.friction import Friction
from torquec.robot.robot import (
    BASE,
    Body,
    Drives,
    FileWarning,
    Frame,
    Joint,
    JointType,
    Limits,
    Mimic,
    Motor,
    Robot,
    Spring,
)
from torquec.robot.validate import InertiaCheck, check_inertia, check_robot, is_solid, principal_moments
from torquec.spatial import Inertia, Pose, rpy_rotation

FULL = Limits(-1.0, 1.0, 1.0, 1.0)
BALL = Inertia(0.1, 0.0, 0.0, 0.1, 0.0, 0.1, m=1.0)


def body(name, parent=BASE, *, inertia=BALL, lacking=(), **joint):
    return Body(
        name, parent, Joint(f"{name}_joint", JointType.REVOLUTE, **({"limits": FULL} | joint)), inertia, lacking
    )


def robot(*bodies, **fields):
    return Robot("arm", bodies, **({"source": "arm.urdf"} | fields))


def test_principal_moments_do_not_depend_on_the_frame():
    inertia = Inertia.from_center_of_mass(2.0, (0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5)))
    moved = inertia.transformed(Pose(rpy_rotation(0.3, -0.7, 1.9), (1.0, 2.0, -3.0)))
    assert principal_moments(moved) == pytest.approx((1.0, 2.0, 2.5), rel=1e-12)


@pytest.mark.parametrize("izz", [0.3, 0.3 * (1 + 1e-9)])
def test_a_flat_plate_is_solid(izz):
    assert check_inertia("plate", Inertia(xx=0.1, yy=0.2, zz=izz, m=1.0), where="f:1") == ()


def test_a_thin_rod_turned_by_rounded_angles_is_solid():
    rod = Inertia(xx=0.0, yy=1.0, zz=1.0, m=1.0).transformed(Pose(rpy_rotation(0.1, 0.2, 0.3)))
    assert check_inertia("rod", rod, where="f:1") == ()


def test_a_point_mass_away_from_the_frame_is_solid():
    assert check_inertia("dot", Inertia.from_center_of_mass(3.0, (1.0, 2.0, 3.0), ((0.0,) * 3,) * 3), where="f:1") == ()


def test_the_tensor_is_judged_about_the_centre_of_mass():
    # About the frame all moments are positive; about the centre, 1 m away, two of them are not.
    with pytest.raises(RobotFileError, match=r"f:1: the inertia of 'link' has a negative principal moment"):
        check_inertia("link", Inertia(xx=0.1, yy=0.5, zz=0.5, mx=1.0, m=1.0), where="f:1")


def test_certainly_solid_is_what_the_principal_moments_say():
    rng = np.random.default_rng(4)
    certain = 0
    for _ in range(400):
        moments = rng.uniform(-0.2, 1.0, 3)
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        tensor = turn @ np.diag(moments) @ turn.T
        center = tuple(rng.normal(size=3))
        inertia = Inertia.from_center_of_mass(rng.uniform(0.1, 5.0), center, tuple(map(tuple, tensor.tolist())))
        a, b, c = sorted(moments)
        assert is_solid(inertia) == (a > 0.0 and c < a + b)
        certain += is_solid(inertia)
    assert certain > 50
    thin = Inertia.from_center_of_mass(1.0, (0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1e-10)))
    assert not is_solid(thin)  # positive, but not by more than could be rounding
    assert not is_solid(Inertia(xx=1.0, yy=1.0, zz=1.0))
    assert not is_solid(Inertia(xx=1e31, yy=1e31, zz=1e31, m=1.0))


def test_warnings_are_added_with_their_place_and_strict_refuses_them():
    flat = robot(
        body("a", inertia=Inertia(xx=1.0, yy=1.0, zz=3.0, m=1.0)), body("b", 0, limits=Limits(), lacking=("b",))
    )
    checked = check_robot(flat, where={"a": "arm.urdf:3", "b_joint": "arm.urdf:9"})
    assert [warning.where for warning in checked.warnings] == ["arm.urdf:3", "arm.urdf", "arm.urdf:9"]
    with pytest.raises(RobotFileError, match=r"arm.urdf:3: .*triangle inequality.*\(and 2 more warnings\)"):
        check_robot(flat, strict=True, where={"a": "arm.urdf:3"})


def test_equal_inertias_at_the_origins_of_all_links_are_placeholders():
    names = "abc"
    chain = [body(name, k - 1 if k else BASE) for k, name in enumerate(names)]
    (warning,) = check_robot(robot(*chain)).warnings
    assert warning.text.startswith("all 3 links have 1 kg at the origin of their frames and the same inertia")
    moved = dataclasses.replace(BALL, mx=1e-6)
    for other in (chain[:2], [*chain[:2], body("c", 1, inertia=moved)], [body("a", inertia=moved), *chain[1:]]):
        assert check_robot(robot(*other)).warnings == ()


def test_earlier_warnings_are_kept():
    assert check_robot(robot(body("a"), warnings=(FileWarning("f:1", "odd"),))).warnings == (FileWarning("f:1", "odd"),)


def test_classics_keep_the_numbers_of_their_papers():
    odd = robot(body("a", inertia=Inertia(xx=-1.0, m=-1.0)))
    assert check_robot(odd, inertias=InertiaCheck.NONE, strict=True).warnings == ()
    with pytest.raises(RobotFileError, match="mass of 'a' is negative"):
        check_robot(odd)


def test_a_continuous_joint_needs_no_limits_and_neither_does_a_mimic():
    free = dataclasses.replace(body("a"), joint=Joint("a", JointType.CONTINUOUS))
    led = dataclasses.replace(body("b"), joint=Joint("b", JointType.REVOLUTE, mimic=Mimic("a")))
    assert check_robot(robot(free, led), strict=True).warnings == ()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (robot(body("a"), body("a")), "two parts of the robot are called 'a' \\(body\\)"),
        (robot(body("a"), frames=(Frame("t", 0), Frame("t", 0))), "called 't' \\(frame\\)"),
        (robot(body("a", 1), body("b")), "body 'a' does not follow its parent"),
        (robot(body("a", 0)), "body 'a' does not follow its parent"),
        (robot(body("a", -2)), "body 'a' does not follow its parent"),
        (robot(body("a"), frames=(Frame("t", 4),)), "frame 't' is on no body"),
        (robot(body("a", axis=(0.0, 0.0, 2.0))), "axis of joint 'a_joint'"),
        (robot(body("a", axis=(0.0, 0.0, float("nan")))), "axis of joint 'a_joint'"),
        (robot(body("a", limits=Limits(1.0, -1.0))), "lower > upper: 1 > -1"),
        (robot(body("a", limits=Limits(float("nan"), 1.0))), "lower > upper"),
        (robot(body("a", limits=Limits(velocity=-1.0))), "velocity limit of joint 'a_joint' is negative"),
        (robot(body("a", mimic=Mimic("b"))), "mimics 'b', which is not an independent moving joint"),
        (robot(body("a", placement=Pose(origin=(1e200, 0.0, 0.0)))), "is too large"),
        (robot(body("a", inertia=Inertia(m=float("inf")))), "is too large"),
    ],
)
def test_what_is_not_a_tree_of_named_parts_is_refused(bad, message):
    with pytest.raises(RobotFileError, match=message) as caught:
        check_robot(bad)
    assert caught.value.where == "arm.urdf"


def test_friction_that_drives_is_reported():
    odd = robot(body("a", friction=Friction(coulomb_negative=-0.5, offset=-3.0)))
    assert [warning.text for warning in check_robot(odd).warnings] == [
        "the friction of joint 'a_joint' is negative: -0.5"
    ]


def test_point_masses_anywhere_are_solid():
    """A zero tensor about a centre that lies off the frame: what is left of it about the centre is rounding."""
    rng = np.random.default_rng(4)
    for _ in range(500):
        center = tuple(rng.normal(size=3) * 10.0 ** rng.uniform(-3, 2))
        point = Inertia.from_center_of_mass(10.0 ** rng.uniform(-4, 3), center, ((0.0,) * 3,) * 3)
        assert check_inertia("point", point, where="here") == ()


def test_a_negative_moment_is_not_taken_for_rounding():
    for size in (1e-6, 1.0, 1e3):
        tensor = ((-1e-6 * size, 0.0, 0.0), (0.0, size, 0.0), (0.0, 0.0, size))
        with pytest.raises(RobotFileError, match="negative principal moment"):
            check_inertia("a", Inertia.from_center_of_mass(1.0, (0.01, 0.0, 0.0), tensor), where="here")


def test_a_spring_without_stiffness_is_one():
    assert check_robot(with_joint(spring=Spring(0.0, 0.3))).bodies[1].joint.spring == Spring(0.0, 0.3)


def with_joint(**changes):
    joint = Joint("j", JointType.CONTINUOUS)
    follower = dataclasses.replace(Joint("k", JointType.CONTINUOUS), **changes)
    body = Inertia.from_center_of_mass(1.0, (0.1, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    return Robot("a", (Body("b", BASE, joint, body), Body("c", 0, follower, body)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mimic": Mimic("j", 1e300)}, "mimics with multiplier 1e.300"),
        ({"mimic": Mimic("j", 1.0, 1e9)}, "offset 1e.09"),
        ({"spring": Spring(-1.0)}, "stiffness -1"),
        ({"spring": Spring(1e200)}, "stiffness 1e.200"),
    ],
)
def test_numbers_that_would_make_torques_overflow_are_refused(changes, message):
    with pytest.raises(RobotFileError, match=message):
        check_robot(with_joint(**changes))


@pytest.mark.parametrize(
    ("motor", "ratio", "message"),
    [
        (Motor("m", -1.0), 1.0, "rotor inertia"),
        (Motor("m", 1.0), 1e200, "turns 1e.200"),
        (Motor("m", 1e40), 1.0, "rotor"),
    ],
)
def test_gears_and_rotors_that_cannot_be_are_refused(motor, ratio, message):
    robot = dataclasses.replace(with_joint(), drives=Drives((motor,), ((ratio, 0.0),)))
    with pytest.raises(RobotFileError, match=message):
        check_robot(robot)


def test_a_link_without_inertia_has_one_story():
    """What is assumed of a link is what dynamics then does with it."""
    half = robot(body("a", inertia=Inertia(xx=1.0, yy=1.0, zz=1.0, m=1.0), lacking=("cover",)))
    (warning,) = check_robot(half, where={"cover": "arm.urdf:7"}, limits=()).warnings
    assert (warning.where, warning.text) == ("arm.urdf:7", "link 'cover' has no inertia: it counts as massless")
    half.check_inertias()
    bare = check_robot(robot(body("a", lacking=("a",), inertia=Inertia())), where={"a": "arm.urdf:7"}, limits=())
    assert [warning.text for warning in bare.warnings] == [
        "link 'a' has no inertia: there is kinematics, but no dynamics"
    ]
    with pytest.raises(RobotError, match=r"has no dynamics: these links have no inertia: a \(line 7\)"):
        bare.check_inertias()


def test_a_limit_that_is_none_is_told_once():
    told = FileWarning("arm.urdf:9", "joint 'a_joint': velocity of <limit> is 0: taken as no limit", about="a_joint")
    open_joint = robot(body("a", limits=Limits()), warnings=(told,))
    assert [warning.text for warning in check_robot(open_joint).warnings[1:]] == [
        "joint 'a_joint' has no position limit"
    ]
