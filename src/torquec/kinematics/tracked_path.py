"""One branch along a path of poses: each pose is solved next to the position before it.

(1)  q_k is the branch nearest to q_k-1 among those of the best status; a joint that is free stays where it was
(2)  where a joint moves by more than a given step between two poses, the branch could not be kept: that is said

Names of branches may change along a smooth path (a shoulder passes over the base's axis), and a path may end a branch
(an arm is stretched): what counts is that the joints go on, which (2) looks at.
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.foundation.arrays import Array, Indices


@dataclass(frozen=True, eq=False)
class TrackedPath:
    """Positions of all joints along a path of N poses."""

    q: Array
    """(N, n)"""
    branch: Indices
    """(N,), which of the names"""
    status: Indices
    """(N,), sums of `BranchStatus`"""
    error: Array
    """(N, 2): what is missed of the position [m] and of the rotation [rad]"""
    jumps: Indices
    """The poses before which some joint moved by more than the largest step."""
