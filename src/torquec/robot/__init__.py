"""Robot files in, one frozen `Robot` out: readers, checks, drives, payloads, and the way back to URDF and MJCF."""

from torquec.robot.friction import Friction
from torquec.robot.joints import JointType
from torquec.robot.load import load
from torquec.robot.payload import attach_payload
from torquec.robot.robot import (
    BASE,
    STANDARD_GRAVITY,
    Body,
    Drives,
    FileWarning,
    Frame,
    Joint,
    Limits,
    Mimic,
    Motor,
    Robot,
    Spring,
)
from torquec.robot.urdf import parse_urdf, read_urdf
from torquec.robot.validate import InertiaCheck, check_robot
from torquec.robot.write_mjcf import mjcf_text, write_mjcf
from torquec.robot.write_urdf import urdf_text, write_urdf

__all__ = [
    "BASE",
    "STANDARD_GRAVITY",
    "Body",
    "Drives",
    "FileWarning",
    "Frame",
    "Friction",
    "InertiaCheck",
    "Joint",
    "JointType",
    "Limits",
    "Mimic",
    "Motor",
    "Robot",
    "Spring",
    "attach_payload",
    "check_robot",
    "load",
    "mjcf_text",
    "parse_urdf",
    "read_urdf",
    "urdf_text",
    "write_mjcf",
    "write_urdf",
]
