"""Equations that the tests of printers print."""

from __future__ import annotations

import dataclasses

from torquec.closedform import Coefficients, closed_form
from torquec.closedform.equations import equations
from torquec.closedform.fourier import CLOVER, EXACT
from torquec.closedform.layouts import WHOLE, Matrix
from torquec.robot.classics import load_classic
from torquec.robot.friction import Friction
from torquec.robot.robot import Body, Drives, Joint, JointType, Mimic, Motor, Robot, Spring
from torquec.spatial import Inertia, Pose

NASTY = 'j_1 & <b>"50%"</b> $x$ \\end{document} ~^#{é中*/'
"""A name with characters that mean something to every language that is written."""

ACROSS = Pose(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)), (0.3, 0.0, 0.1))
ALONG = Pose(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.3, 0.0, 0.1))
AGAINST = Pose(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)), (0.2, 0.1, 0.0))
THING = Inertia(xx=0.1, xy=0.01, yy=0.2, zz=0.25, mx=0.3, mz=0.1, m=2.0)


def odd_robot():
    """Opposite axes, a slide, a follower, coupled motors with friction, a spring, and names that need escaping."""
    joints = [
        Joint("waist", JointType.REVOLUTE, friction=Friction(1.0, 2.0, 0.5, 0.4)),
        Joint("shoulder", JointType.REVOLUTE, ACROSS),
        Joint("elbow", JointType.REVOLUTE, AGAINST, spring=Spring(3.0)),
        Joint(NASTY, JointType.PRISMATIC, ACROSS),
        Joint("follower", JointType.PRISMATIC, ALONG, mimic=Mimic(NASTY, -0.5, 0.1)),
    ]
    motors = (
        Motor("a", 1e-4, Friction.symmetric(1e-3, 0.02)),
        Motor("b_2", 1e-4, Friction(1e-3, 2e-3, 0.01, 0.02, 0.001)),
    )
    return Robot(
        f"odd {NASTY}",
        tuple(Body(f"link{i}", (-1, 0, 1, 2, 2)[i], joint, THING) for i, joint in enumerate(joints)),
        drives=Drives(motors, ((0.0, 50.0, 0.0, 0.0), (0.0, 30.0, -40.0, 0.0))),
    )


def samples():
    """Equations of many kinds, by name."""
    puma, odd = closed_form(load_classic("puma560")), closed_form(odd_robot())
    planar = closed_form(load_classic("planar3r"), coefficients=Coefficients.PARAMETERS)
    every = tuple(matrix for matrix in Matrix if matrix is not Matrix.PHI)
    return {
        "puma560 after Clover": equations(puma, WHOLE, CLOVER),
        "puma560 exact": equations(puma, WHOLE),
        "stanford after Chang and Lee": equations(
            closed_form(load_classic("stanford")), (Matrix.J, Matrix.H, Matrix.G)
        ),
        "odd, everything": equations(odd, every),
        "odd, multiple angles": equations(odd, every, dataclasses.replace(EXACT, multiple_angles=True)),
        "parameters": equations(planar, tuple(m for m in every if m is not Matrix.V)),
        "nothing": equations(
            closed_form(dataclasses.replace(odd_robot(), gravity=(0.0, 0.0, 0.0))), (Matrix.G_TORQUE,)
        ),
    }
