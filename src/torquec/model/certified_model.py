"""From a certificate to a model: by its torque program, and by coefficients where it proves those of a second one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from torquec.errors import ArgumentError
from torquec.expr import Function
from torquec.model.kinds import ModelKind
from torquec.model.model import Model
from torquec.proof.torque.certificate import Certificate
from torquec.robot.robot import Robot


def certified_model(
    robot: Robot,
    record: Certificate,
    *,
    parts: Mapping[str, Function] = MappingProxyType({}),
    threads: int = 1,
) -> Model:
    """The model that a certificate is about.

    `parts` are the mass matrix, gravity, velocity torque and Coriolis matrix of the program whose coefficients are
    proven, where it was made of coefficients. The kind is certified coefficients where the coefficients of the torque
    program itself are proven, else certified torque; where the certificate proves the coefficients of a second program,
    `model.coefficients` is the model of that one. Raises `ArgumentError` where the certificate is about another robot.
    """
    if record.robot_hash != robot.content_hash:
        raise ArgumentError(
            f"the certificate of '{record.robot}' is not about this robot '{robot.name}'",
            remedy="give the robot that was simplified, with the same payload and locked joints",
        )
    inner = record.coefficients
    if inner is None:
        return _made(robot, record, {}, ModelKind.CERTIFIED_TORQUE, threads)
    if inner.program == record.program:
        return _made(robot, record, parts, ModelKind.CERTIFIED_COEFFICIENTS, threads)
    by_coefficients = _made(robot, second_record(record), parts, ModelKind.CERTIFIED_COEFFICIENTS, threads)
    return replace(_made(robot, record, {}, ModelKind.CERTIFIED_TORQUE, threads), coefficients=by_coefficients)


def second_record(record: Certificate) -> Certificate:
    """The part of a certificate that is about the second program, whose coefficients it proves."""
    assert record.coefficients is not None
    return replace(record, program=record.coefficients.program, joints={}, counts=None, rounding=None)


def _made(robot: Robot, record: Certificate, parts: Mapping[str, Function], kind: ModelKind, threads: int) -> Model:
    functions = {**parts, "inverse_dynamics": record.program}
    return Model(robot, MappingProxyType(functions), threads=threads, record=record, kind=kind)
