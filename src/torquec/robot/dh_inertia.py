"""The inertia of a link in a DH file, in one of three forms, to `Inertia` about the link frame's origin.

(1)  mass, com, inertia                       the tensor about the centre of mass
(2)  mass, com | first_moment, inertia, about = "origin"     the tensor about the origin of the link frame
(3)  Ixx Ixy Ixz Iyy Iyz Izz mx my mz m        the ten parameters themselves, those not given are zero
"""

from __future__ import annotations

from torquec.robot.toml import Table
from torquec.spatial import PARAMETER_NAMES, Inertia, Matrix3, scale

_BODY_KEYS = ("mass", "com", "first_moment", "inertia", "about")
_SYMMETRY = 1e-9  # written with nine digits or more, the two entries are one number


def read_dh_inertia(link: Table) -> Inertia | None:
    """The inertia that a link's table gives, None where it gives none; raises `RobotFileError` with the line."""
    ten = [key for key in PARAMETER_NAMES if key in link]
    body = [key for key in _BODY_KEYS if key in link]
    if ten and body:
        link.refuse(body[0], f"'{body[0]}' and '{ten[0]}'", "give mass, com and inertia, or the ten parameters")
    if ten:
        return Inertia(*(link.number(key, 0.0) for key in PARAMETER_NAMES))
    if not body:
        return None
    mass = link.number("mass")
    tensor = _read_tensor(link)
    about = link.choice("about", ("com", "origin"), "com")
    if "first_moment" in link:
        if "com" in link:
            link.refuse("com", "'com' and 'first_moment'", "give one of them: first_moment = mass * com")
        moment = link.vector("first_moment")
        if mass == 0.0 and about == "com" and any(moment):
            link.refuse("first_moment", "a first moment without mass has no centre of mass", 'add about = "origin"')
        center = scale(moment, 1.0 / mass) if mass else moment
    else:
        center = link.vector("com")
        moment = scale(center, mass)
    if about == "com":
        return Inertia.from_center_of_mass(mass, center, tensor)
    return Inertia(
        tensor[0][0], tensor[0][1], tensor[0][2], tensor[1][1], tensor[1][2], tensor[2][2], *moment, mass
    )  # fmt: skip


def _read_tensor(link: Table) -> Matrix3:
    """`inertia`: three principal moments, or three symmetric rows."""
    rows = link.rows("inertia")
    if len(rows) == 1 and len(rows[0]) == 3:
        x, y, z = rows[0]
        return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))
    if len(rows) != 3 or any(len(row) != 3 for row in rows):
        link.refuse("inertia", f"'inertia' is {rows}", "give [Ixx, Iyy, Izz] or three rows of three numbers")
    largest = max(abs(element) for row in rows for element in row)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if abs(rows[i][j] - rows[j][i]) > _SYMMETRY * largest:
            link.refuse("inertia", f"'inertia' is not symmetric: {rows[i][j]} and {rows[j][i]}", "make both equal")
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = rows
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
