"""Composite bodies: the mass moments of a link together with everything that it carries.

(1)  C_i = own_i + sum over children c of shift(turn(C_c)),   about the origin of link i, in its axes
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import PlacedLink
from torquec.robot.robot import BASE


def composite_moments(placed: Sequence[PlacedLink]) -> list[MassMoments]:
    """Equation (1) for every link."""
    composite = [link.moments for link in placed]
    for i in reversed(range(len(placed))):
        link = placed[i]
        if link.parent != BASE:
            turned = link.turn.moments_out(composite[i])
            composite[link.parent] = composite[link.parent] + turned.shifted(link.origin)
    return composite
