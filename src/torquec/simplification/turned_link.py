"""A link whose frame is turned about its own joint's axis: its first moment can be brought onto one axis.

(1)  R(q + theta) = R(q + theta + a) R(-a) about z: the link turns by a more, its moments and what its children are
     fixed to by a less. Torques are the same functions of q
(2)  a = atan2(y, x) of the first moment leaves x alone, a quarter turn less leaves y alone

Frames of a recursion are chosen so that the axes and offsets of the next joint have many zeros. Where nothing beyond a
link has moments any more, nothing of its children is computed, and (2) saves the products with one component of the
moment for one addition.
"""

from __future__ import annotations

import math
from dataclasses import replace

from torquec.dynamics.mechanism import Mechanism
from torquec.spatial import Pose, matmul, matvec


def with_link_turned(m: Mechanism, link: int, angle: float) -> Mechanism:
    """The same mechanism, with the frame of a link that rotates turned by an angle [rad] about its axis (1)."""
    c, s = math.cos(angle), math.sin(angle)
    back = ((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))
    links = []
    for k, one in enumerate(m.links):
        if k == link:
            links.append(replace(one, theta=one.theta + angle))
        elif one.parent == link:
            pre = Pose(matmul(back, one.pre.rotation), matvec(back, one.pre.origin))
            links.append(replace(one, pre=pre))
        else:
            links.append(one)
    moments = tuple(e.turned_about_z(c, -s) if k == link else e for k, e in enumerate(m.moments))
    return replace(m, links=tuple(links), moments=moments)


def angles_of_one_component(m: Mechanism, link: int) -> tuple[float, ...]:
    """The angles (2) after which a link's first moment across its axis is along x, and along y; none where it is."""
    x, y = float(m.moments[link].x), float(m.moments[link].y)
    if x == 0.0 or y == 0.0:
        return ()
    along_x = math.atan2(y, x)
    return along_x, along_x - 0.5 * math.pi
