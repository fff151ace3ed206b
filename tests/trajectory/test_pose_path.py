"""Paths of poses in CSV files: read whole, or refused with the line."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory.pose_path import read_pose_path

POSE = "t,x,y,z,qw,qx,qy,qz"
RATES = "vx,vy,vz,wx,wy,wz"


def written(tmp_path, *lines):
    path = tmp_path / "path.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_columns_in_any_order(tmp_path):
    path = read_pose_path(
        written(
            tmp_path, f"qw,qx,qy,qz,t,z,y,x,{RATES}", "0,0,0,2,0,3,2,1,1,2,3,4,5,6", "1,0,0,0,0.5,3,2,1,0,0,0,0,0,0"
        )
    )
    np.testing.assert_array_equal(path.t, [0.0, 0.5])
    np.testing.assert_array_equal(path.position, [[1, 2, 3]] * 2)
    np.testing.assert_array_equal(path.rotation, [np.diag([-1, -1, 1]), np.eye(3)])
    np.testing.assert_array_equal(path.velocity[0], [1, 2, 3, 4, 5, 6])
    assert path.acceleration is None


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no column 't'"),
        (["t,x,y,z,qw,qx,qy", "0,0,0,0,1,0,0"], "no column 'qz'"),
        ([f"{POSE},speed", "0,0,0,0,1,0,0,0,1"], "the column 'speed'"),
        ([f"{POSE},x", "0,0,0,0,1,0,0,0,1"], "the column 'x'"),
        ([f"{POSE},vx", "0,0,0,0,1,0,0,0,1"], "no column 'vy'"),
        ([f"{POSE},ax,ay,az,alx,aly,alz", "0,0,0,0,1" + ",0" * 9], "no column 'vx'"),
        ([POSE, "0,0,0,0,1,0,0,0", "0,0,0,0,1,0,0,0"], r"path.csv:3.*time does not rise"),
        ([POSE, "0,0,0,0,1,0,0,0", "1,0,0,0,0,0,0,0"], r"path.csv:3.*a quaternion of zeros"),
        ([POSE, "0,0,0,0,1,0,0,0", "1,0,0,0,1,0,0"], "7 values where the header has 8"),
        ([POSE, "0,0,0,0,1,0,0,0"], "1 rows of values"),
    ],
)
def test_what_is_no_path_is_refused(tmp_path, lines, message):
    with pytest.raises(ArgumentError, match=message):
        read_pose_path(written(tmp_path, *lines))
