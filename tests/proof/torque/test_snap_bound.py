"""Snapped angles are part of the claim: bounds hold for the robot as its file is written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.proof.arms import programs
from tests.proof.coefficient_models import check_coefficients
from tests.proof.coefficient_tampering import is_exceeded

import torquec as tq
from torquec.errors import CheckError, SnapWarning, SpecificationError
from torquec.expr import evaluate
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certify import certify
from torquec.proof.torque.certify_coefficients import certify_coefficients
from torquec.proof.torque.snap_bound import snap_bound, snap_rows
from torquec.simplification.specification import parse_specification
from torquec.trajectory.motion_box import sampled_motions

LINK = """<link name="{name}"><inertial><mass value="2"/><origin xyz="0.1 0.02 0.3"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.12" iyz="0" izz="0.03"/></inertial></link>
"""
JOINT = """<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
  <origin xyz="0.1 0 0.3" rpy="{roll} 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-1.5" upper="2" velocity="1.5" effort="50"/></joint>
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Three joints whose axes stand at 1.5708 rad: 3.7e-6 from a right angle, as thousands of files have it."""
    names = ["base", "one", "two", "three"]
    links = '<link name="base"/>' + "".join(LINK.format(name=name) for name in names[1:])
    rolls = ("0", "1.5708", "-1.5708")
    joints = "".join(
        JOINT.format(k=k + 1, parent=names[k], child=names[k + 1], roll=roll) for k, roll in enumerate(rolls)
    )
    path = tmp_path_factory.mktemp("snap") / "arm.urdf"
    path.write_text(f'<robot name="arm">{links}{joints}</robot>')
    return path


@pytest.fixture(scope="module")
def robot(path):
    with pytest.warns(SnapWarning, match=r"2 angles were taken as right angles, by up to 3.7e-06 rad"):
        return tq.load(path)


def specification(robot, error):
    return parse_specification(f"[every_joint]\nvelocity = 1.5\nacceleration = 4\ntorque_error = {error}", robot)


def torques(robot, motions):
    return tq.compile(robot).inverse_dynamics(*np.ascontiguousarray(motions.transpose(1, 0, 2)))


def test_the_bound_covers_what_snapping_changes(robot):
    motions = specification(robot, 1.0).motions
    bound = np.array(snap_bound(robot, motions))
    states = sampled_motions(motions, 4000)
    change = np.abs(torques(robot, states) - torques(replace(robot, snap=False), states)).max(axis=0)
    assert np.all(change <= bound)
    assert np.all(bound < 5.0 * change)
    assert change.max() > 1e-5


def test_without_snapped_angles_nothing_is_added(robot):
    motions = specification(robot, 1.0).motions
    assert snap_bound(replace(robot, snap=False), motions) == (0.0, 0.0, 0.0)
    plain = tq.classics.planar2r()
    assert snap_bound(plain, specification(plain, 1.0).motions) == (0.0, 0.0)


def test_a_proven_bound_holds_for_the_file_as_written(robot):
    certificate = certify(robot, *programs(robot, 2, 0.9), specification(robot, 1.0).motions)
    check_certificate(robot, certificate)
    states = sampled_motions(certificate.motions, 4000)
    q, qd, qdd = np.ascontiguousarray(states.transpose(1, 0, 2))
    found = evaluate(certificate.program, {"q": q, "qd": qd, "qdd": qdd})["tau"]
    error = np.abs(found - torques(replace(robot, snap=False), states)).max(axis=0)
    assert np.all(error <= [proof.bound for proof in certificate.joints.values()])


def test_a_tolerance_below_the_change_is_refused_with_the_remedy(robot):
    with pytest.raises(SpecificationError, match="right angles changes its torque") as caught:
        tq.simplify(robot, specification(robot, 1e-6))
    assert "--no-snap" in caught.value.remedy


def test_a_bound_that_holds_for_the_snapped_robot_only_is_refused(robot):
    """The exact program of the snapped robot errs by 1e-5 against the file, whatever its certificate says."""
    motions = specification(robot, 1.0).motions
    exact = tq.compile(robot).function("inverse_dynamics")
    honest = certify(robot, exact, exact, motions)
    check_certificate(robot, honest)
    small = {name: replace(proof, bound=1e-8, found=0.0) for name, proof in honest.joints.items()}
    with pytest.raises(CheckError):
        check_certificate(robot, replace(honest, joints=small))
    # Of the robot as written, with the same small bounds, it would be right.
    plain = replace(robot, snap=False)
    own = tq.compile(plain).function("inverse_dynamics")
    check_certificate(plain, certify(plain, own, own, motions))


def test_bounds_of_coefficients_hold_for_the_file_as_written(robot):
    """Also those of coefficients that nothing but snapping has changed."""
    box = specification(robot, 1.0).motions.positions
    exact, simplified = programs(robot, 2, 0.9)
    for program in (exact, simplified):
        certificate = certify_coefficients(robot, exact, program, box)
        check_coefficients(robot, certificate)
        assert not is_exceeded(robot, certificate, np.random.default_rng(0))
        bounds = [proof.bound for proof in certificate.coefficients.values()]
        assert 1e-6 < max(bounds) < (1e-3 if program is exact else 10.0)
    exactly = replace(certify_coefficients(robot, exact, exact, box), coefficients={})
    with pytest.raises(CheckError, match="has no bound of its own"):
        check_coefficients(robot, exactly)


def test_coefficients_that_differ_by_the_rounding_of_a_bound_are_not_named(robot, monkeypatch):
    """Of six joints the rounding of a bound is 1e-10 of the torques, also where nothing is snapped."""
    box = specification(robot, 1.0).motions.positions
    exact, _ = programs(robot, 2, 0.9)
    rows = snap_rows(robot, box)
    for size, named in ((1e-10, False), (1e-8, True)):
        monkeypatch.setattr(
            "torquec.proof.torque.certify_coefficients.snap_rows", lambda *_, size=size: np.full_like(rows, size)
        )
        assert bool(certify_coefficients(robot, exact, exact, box).coefficients) is named
