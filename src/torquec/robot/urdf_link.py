"""What URDF's `<link>` says about dynamics: its inertia."""

from __future__ import annotations

from dataclasses import dataclass

from torquec.errors import RobotFileError
from torquec.robot.degrees import degrees_text, is_placement_in_degrees
from torquec.robot.robot import FileWarning
from torquec.robot.xml import Element
from torquec.spatial import IDENTITY, Inertia, Pose, matmul, rpy_rotation, transpose


@dataclass(frozen=True)
class Link:
    """A link as the file gives it; `inertia` is about the link's frame, None where the file has none.

    A link without inertia and without a shape `is_frame`: files name frames so, and welded it lacks nothing.
    """

    name: str
    where: str
    inertia: Inertia | None
    is_frame: bool


def read_urdf_inertia(inertial: Element, link: str, warnings: list[FileWarning]) -> Inertia:
    """Mass, centre and tensor of `<inertial>`, the tensor in axes that the origin's rpy may have turned."""
    pose = read_origin(inertial, warnings)
    mass_element, tensor = inertial.find("mass"), inertial.find("inertia")
    if mass_element is None or tensor is None:
        missing = "mass" if mass_element is None else "inertia"
        raise RobotFileError(
            f"the <inertial> of link '{link}' has no <{missing}>",
            where=inertial.where,
            remedy="give both <mass> and <inertia>, or leave the <inertial> out",
        )
    mass = mass_element.number("value")
    if mass < 0.0:
        raise RobotFileError(
            f"the mass of link '{link}' is negative: {mass:g}", where=mass_element.where, remedy="give 0 kg or more"
        )
    xx, xy, xz, yy, yz, zz = (tensor.number(key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    central = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    if pose.rotation != IDENTITY.rotation:
        central = matmul(matmul(pose.rotation, central), transpose(pose.rotation))
    return Inertia.from_center_of_mass(mass, pose.origin, central)


def read_origin(element: Element, warnings: list[FileWarning]) -> Pose:
    """The `<origin>` of an element, identity where there is none; of several the first counts, with a warning."""
    origins = element.all("origin")
    if not origins:
        return IDENTITY
    if len(origins) > 1:
        text = f"{element} has {len(origins)} <origin> elements: the first counts"
        warnings.append(FileWarning(origins[1].where, text))
    origin = origins[0]
    angles = origin.vector("rpy", (0.0, 0.0, 0.0))
    wrong = [angle for angle in angles if is_placement_in_degrees(angle)]
    if wrong:
        text = degrees_text(f"an angle of <origin> in {element}", wrong[0], "xacro has radians()")
        warnings.append(FileWarning(origin.where, text, about_units=True))
    return Pose(rpy_rotation(*angles), origin.vector("xyz", (0.0, 0.0, 0.0)))
