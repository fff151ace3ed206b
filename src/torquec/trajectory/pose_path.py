"""Paths of a frame as CSV files: a row per pose.

    t,x,y,z,qw,qx,qy,qz[,vx,vy,vz,wx,wy,wz[,ax,ay,az,alx,aly,alz]]

Position [m] and quaternion (scalar first, of any length) of the frame in the base at every time [s]; where they are
given, the velocity of its origin and its angular velocity, and their derivatives, in base axes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import to_path
from torquec.spatial import quaternion_rotation
from torquec.trajectory.csv_file import csv_lines, csv_values

_POSE = ("t", "x", "y", "z", "qw", "qx", "qy", "qz")
_VELOCITY = ("vx", "vy", "vz", "wx", "wy", "wz")
_ACCELERATION = ("ax", "ay", "az", "alx", "aly", "alz")


@dataclass(frozen=True, eq=False)
class PosePath:
    """Poses of a frame at times t (N,)."""

    t: Array
    rotation: Array
    """(N, 3, 3)"""
    position: Array
    """(N, 3)"""
    velocity: Array | None
    """(N, 6), linear before angular"""
    acceleration: Array | None


def read_pose_path(path: str | os.PathLike[str]) -> PosePath:
    """The path in a CSV file. Raises `ArgumentError` with file, line and remedy for anything that is not one."""
    source = to_path(path)
    lines = csv_lines(source)
    header = [word.strip() for word in lines[0]] if lines else []
    known = [*_POSE, *_VELOCITY, *_ACCELERATION]
    odd = [word for word in header if word not in known or header.count(word) > 1]
    groups = [group for group in (_POSE, _VELOCITY, _ACCELERATION) if set(group) & set(header)]
    missing = [word for group in (_POSE, *groups) for word in group if word not in header]
    if odd or missing or (_ACCELERATION in groups and _VELOCITY not in groups):
        wrong = f"the column '{odd[0]}'" if odd else f"no column '{(missing or [_VELOCITY[0]])[0]}'"
        raise ArgumentError(
            f"a path of poses has {wrong}",
            where=f"{source}:1",
            remedy=f"write the header {','.join(_POSE)} (see the docs)",
        )
    values = csv_values(lines, str(source))
    t, x = _taken(values, header, _POSE[:1])[:, 0], _taken(values, header, _POSE[1:4])
    quaternions = _taken(values, header, _POSE[4:])
    _check(t, quaternions, str(source))
    rotation = np.array([quaternion_rotation(*map(float, one)) for one in quaternions])
    velocity = _taken(values, header, _VELOCITY) if _VELOCITY in groups else None
    return PosePath(
        t, rotation, x, velocity, _taken(values, header, _ACCELERATION) if _ACCELERATION in groups else None
    )


def _taken(values: Array, header: list[str], words: tuple[str, ...]) -> Array:
    return values[:, [header.index(word) for word in words]]


def _check(t: Array, quaternions: Array, source: str) -> None:
    late = np.flatnonzero(np.diff(t) <= 0.0)
    if len(late):
        raise ArgumentError("time does not rise", where=f"{source}:{int(late[0]) + 3}", remedy="let times rise")
    zero = np.flatnonzero(np.linalg.norm(quaternions, axis=1) == 0.0)
    if len(zero):
        raise ArgumentError("a quaternion of zeros", where=f"{source}:{int(zero[0]) + 2}", remedy="write 1,0,0,0")
