"""URDF's `<transmission>` elements to motors with gear ratios; URDF has no rotor inertias.

(1)  simple:        v_motor = n v_joint
(2)  differential:  v_motor1 = n_1 (k_1 v_joint1 + k_2 v_joint2),   v_motor2 = n_2 (k_1 v_joint1 - k_2 v_joint2)

with the reductions n of the actuators and k of the joints, as ros_control defines them. Other kinds are reported and
left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from torquec.errors import RobotFileError
from torquec.robot.dh_joint import GearedMotor, build_drives
from torquec.robot.number import parse_number
from torquec.robot.robot import Drives, FileWarning, Mimic, Motor
from torquec.robot.xml import Element

_REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")  # the generations of ROS write it differently


def read_transmissions(
    root: Element, known: Collection[str], joints: Sequence[str], mimics: Mapping[str, Mimic]
) -> tuple[Drives, list[FileWarning]]:
    """The motors of a `<robot>`, rotor inertia 0, and a warning for each transmission that is not read.

    `known` are the names of all joints of the file, `joints` the independent ones in state order, `mimics` the mimic
    joints. Raises `RobotFileError` for a reduction of 0, or two motors of one name.
    """
    motors: dict[str, GearedMotor] = {}
    warnings: list[FileWarning] = []
    for element in root.all("transmission"):
        ends = element.all("joint")
        missing = [end.attribute("name") for end in ends if end.attribute("name") not in known]
        if missing:
            text = f"{element} drives a joint that is not there, '{missing[0]}': it is not read"
            warnings.append(FileWarning(element.where, text))
            continue
        if not all(end.attribute("name") in joints or end.attribute("name") in mimics for end in ends):
            warnings.append(FileWarning(element.where, f"{element} drives a fixed joint: it is not read"))
            continue
        word = next((text for text in map(_written_reduction, element.walk()) if not any(map(str.isdigit, text))), None)
        if word is not None:
            text = f"{element} has the word '{word[:20]}' where its reduction should stand: it is not read"
            warnings.append(FileWarning(element.where, text))
            continue
        found = _read_transmission(element, ends)
        if found is None:
            text = f"{element} is of a type that is not read: {_type(element) or 'none given'}"
            warnings.append(FileWarning(element.where, f"{text}; a drives file can give its matrix"))
            continue
        for geared in found:
            name = geared.motor.name
            if name in motors:
                raise RobotFileError(
                    f"two actuators are called '{name}'", where=element.where, remedy="give every actuator its own name"
                )
            motors[name] = geared
    return build_drives(tuple(motors.values()), joints, dict(mimics)), warnings


def _type(element: Element) -> str:
    written = element.find("type")
    return (element.attributes.get("type", "") if written is None else written.text).strip()


def _read_transmission(element: Element, joints: tuple[Element, ...]) -> tuple[GearedMotor, ...] | None:
    actuators = element.all("actuator")
    kind = _type(element).rpartition("/")[2]
    names = [joint.attribute("name") for joint in joints]
    if kind in ("", "SimpleTransmission") and len(joints) == len(actuators) == 1:
        # The element that holds the reduction differs between the generations of ROS.
        given = (_reduction(holder) for holder in (actuators[0], joints[0], element))
        ratio = next((value for value in given if value is not None), 1.0)
        return (GearedMotor(_motor(actuators[0]), {names[0]: ratio}),)  # (1)
    if kind == "DifferentialTransmission" and len(joints) == len(actuators) == 2 and names[0] != names[1]:
        (first, second), (one, two) = _by_role(joints, "joint"), _by_role(actuators, "actuator")
        k1, k2 = _reduction(first) or 1.0, _reduction(second) or 1.0
        n1, n2 = _reduction(one) or 1.0, _reduction(two) or 1.0
        a, b = first.attribute("name"), second.attribute("name")
        return (  # (2)
            GearedMotor(_motor(one), {a: n1 * k1, b: n1 * k2}),
            GearedMotor(_motor(two), {a: n2 * k1, b: -n2 * k2}),
        )
    return None


def _motor(actuator: Element) -> Motor:
    return Motor(actuator.attribute("name"))


def _by_role(elements: tuple[Element, ...], role: str) -> list[Element]:
    """Two elements in the order of their `<role>`: joint1 before joint2; in file order without roles."""

    def rank(element: Element) -> bool:
        written = element.find("role")
        return written is not None and written.text.strip() == f"{role}2"

    return sorted(elements, key=rank)


def _written_reduction(element: Element) -> str:
    """The text of an element that is a reduction, "1" for any other."""
    return element.text.strip() if element.tag in _REDUCTIONS else "1"


def _reduction(holder: Element) -> float | None:
    written = next((found for found in map(holder.find, _REDUCTIONS) if found is not None), None)
    if written is None:
        return None
    ratio = parse_number(written.text, what=f"the mechanical reduction of {holder}", where=written.where)
    if ratio == 0.0:
        raise RobotFileError(
            f"the mechanical reduction of {holder} is 0", where=written.where, remedy="give motor turns per joint turn"
        )
    return ratio
