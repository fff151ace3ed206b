"""Tracking witnesses of a planar arm: exact, and with friction, payload, encoders and delay; made once."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import Any

import torquec as tq
from torquec.control.model_terms import FrictionCompensation
from torquec.control.tracking_witness import tracking_witness
from torquec.robot import classics
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives, Motor
from torquec_check.document import canonical_hash
from torquec_check.tracking import problem_of, tracking_claim

PERIOD = 0.002
FRAME = "link2"
TIME, ANGLE = 0.1, 0.00625
"""Of the motion [s, rad]."""


def arm():
    """The planar arm with rotors, friction and a nominal payload of 0.05 kg."""
    robot = classics.planar2r()
    rubbing = Friction(viscous_positive=0.2, viscous_negative=0.1, coulomb_positive=0.2, coulomb_negative=0.3)
    bodies = tuple(replace(body, joint=replace(body.joint, friction=rubbing)) for body in robot.bodies)
    drives = Drives((Motor("one", 0.1), Motor("two", 0.0005)), ((1.0, 0.0), (0.0, 10.0)))
    return tq.attach_payload(replace(robot, bodies=bodies, drives=drives), FRAME, mass=0.05)


def sets():
    """Friction, drives, encoders, speeds by difference, bodies, payload and delay."""
    joint = tq.JointUncertainty(
        friction_part=0.3,
        friction_residual=0.02,
        torque_part=0.001,
        position=1e-5,
        position_bias=1e-5,
        speed="difference",
        speed_filter=0.7,
    )
    return tq.Uncertainty(
        every_joint=joint,
        bodies=tq.BodyUncertainty(mass_part=0.01, first_moment_part=0.01, inertia_part=0.01),
        payload=tq.PayloadUncertainty(FRAME, (0.0, 0.1), 0.02, 1.0, 0.05),
        timing=tq.TimingUncertainty(1),
    )


def motion(robot):
    """A short motion of all joints."""
    return tq.minimum_jerk([0.0] * robot.n, [ANGLE] * robot.n, TIME, joints=robot.joint_names)


def loop(*, uncertain):
    """The robot and its loop."""
    robot = arm() if uncertain else classics.planar2r()
    smooth = FrictionCompensation("reference", 0.05)
    path = motion(robot)
    if not uncertain:
        return robot, tq.TrackedLoop(-30.0, path, period=PERIOD)
    return robot, tq.TrackedLoop(-40.0, path, period=PERIOD, uncertainty=sets(), friction=smooth, efforts=(90.0, 30.0))


MARGINS = {True: 2e-7, False: 1e-4}
"""The radii of the uncertain arm are larger by less than a millionth than those that are proven of them."""


BOUNDS = {
    False: [(4.0854e-4, 9.3322e-3, 0.47883), (4.0871e-4, 9.3360e-3, 0.47903)],
    True: [(3.30913e-3, 0.122569, 8.54985), (7.12329e-3, 0.279094, 19.0203)],
}
"""Positions, speeds and feedback of the guarantees [rad, rad/s, rad/s^2]: the model's errors hold in twice these."""


@functools.cache
def _witness(uncertain, margin):
    robot, tracked = loop(uncertain=uncertain)
    rows = (dict(zip(("value", "speed", "feedback"), row, strict=True)) for row in BOUNDS[uncertain])
    known = {"valid": True, "bounds": dict(zip(robot.joint_names, rows, strict=True))}
    found = tracking_witness(robot, tracked, guarantee=known, margin=margin)
    assert found.document is not None, found.reason
    return json.dumps(found.document)


def witness(*, uncertain=True) -> dict[str, Any]:
    """A witness's document."""
    return json.loads(_witness(uncertain, MARGINS[uncertain]))


def signed(document: dict[str, Any], *, claim: bool = True) -> dict[str, Any]:
    """A changed document with its own claim and checksum again, as a forger would make it."""
    if claim:
        import numpy as np

        rows = [document["radii"][name] for name in ("position", "speed", "acceleration", "feedback")]
        document["claim"] = tracking_claim(document, problem_of(document), np.array(rows)).sentence
    document["sha256"] = canonical_hash({key: value for key, value in document.items() if key != "sha256"})
    return document
