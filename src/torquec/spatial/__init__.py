"""Vectors, rotations, poses and inertias over any scalar: floats, NumPy batches, expression nodes, fractions."""

from torquec.spatial.inertia import PARAMETER_NAMES, Inertia
from torquec.spatial.pose import IDENTITY, Pose
from torquec.spatial.rotation import (
    IDENTITY_ROTATION,
    axis_angle_rotation,
    quaternion_rotation,
    rotation_x,
    rotation_y,
    rotation_z,
    rpy_from_rotation,
    rpy_rotation,
)
from torquec.spatial.vector import (
    Matrix3,
    Scalar,
    Vector3,
    add,
    cross,
    dot,
    matmul,
    matvec,
    norm,
    scale,
    subtract,
    transpose,
)

__all__ = [
    "IDENTITY",
    "IDENTITY_ROTATION",
    "PARAMETER_NAMES",
    "Inertia",
    "Matrix3",
    "Pose",
    "Scalar",
    "Vector3",
    "add",
    "axis_angle_rotation",
    "cross",
    "dot",
    "matmul",
    "matvec",
    "norm",
    "quaternion_rotation",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "rpy_from_rotation",
    "rpy_rotation",
    "scale",
    "subtract",
    "transpose",
]
