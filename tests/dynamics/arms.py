"""Arms with one or two joints, whose dynamics a reader can work out on paper."""

from __future__ import annotations

from torquec.robot.robot import Body, Frame, Joint, JointType, Mimic, Robot
from torquec.spatial import IDENTITY_ROTATION, Inertia, Pose

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def point_mass(mass, x=0.0, y=0.0, z=0.0):
    """All mass in one point."""
    return Inertia.from_center_of_mass(mass, (x, y, z), ((0.0,) * 3,) * 3)


def at(x=0.0, y=0.0, z=0.0):
    """A placement without rotation."""
    return Pose(IDENTITY_ROTATION, (x, y, z))


def pendulum(mass=2.0, length=0.5, *, axis=Y, inertia=None):
    """A point mass on a rod along x, turning about a horizontal axis (y): at q = 0 it lies, at q = pi/2 it hangs."""
    body = Body("rod", -1, Joint("hinge", JointType.REVOLUTE, axis=axis), inertia or point_mass(mass, x=length))
    return Robot("pendulum", (body,), frames=(Frame("tip", 0, at(x=length)),))


def slider_on_turntable(mass=3.0):
    """A mass that slides outwards (x) on a turntable about z: polar coordinates."""
    table = Body("table", -1, Joint("turn", JointType.REVOLUTE, axis=Z), Inertia(zz=0.4))
    slide = Body("slide", 0, Joint("slide", JointType.PRISMATIC, axis=X), point_mass(mass))
    return Robot("polar", (table, slide), frames=(Frame("mass", 1),))


def gripper(multiplier=-1.0, offset=0.0):
    """Two jaws of 0.5 kg on one slide joint; the second follows the first."""
    left = Body("left", -1, Joint("left", JointType.PRISMATIC, axis=Y), point_mass(0.5))
    follow = Joint("right", JointType.PRISMATIC, axis=Y, mimic=Mimic("left", multiplier, offset))
    return Robot("gripper", (left, Body("right", -1, follow, point_mass(0.5))), frames=(Frame("jaw", 1),))
