"""What `torquec info` shows of a robot or a model."""

from __future__ import annotations

from typing import Any

from torquec.report.tables import number, table, upper_bound

_EXACT = "exact"


def robot_text(document: dict[str, Any]) -> str:
    """The document of `torquec info` as a page."""
    gravity = ", ".join(number(value) for value in document["gravity"])
    kind = "" if document["kind"] == _EXACT else f" ({document['kind']} model)"
    moving = document["moving_mass"]
    moves = f", of which {number(moving)} kg move" if moving != document["mass"] else ""
    mass = f"{number(document['mass'])} kg{moves}"
    lines = [
        f"{document['name']}{kind}: {document['dof']} joints, {mass}, gravity ({gravity}) m/s^2",
        "",
        table(
            ["joint", "type", "lower", "upper", "velocity", "effort"],
            [
                [
                    joint["name"],
                    joint["type"],
                    *(number(joint[key]) for key in ("lower", "upper", "velocity", "effort")),
                ]
                for joint in document["joints"]
            ],
            left=2,
        ),
    ]
    if document["claim"]:
        lines += ["", "Proven: the torques of this model differ from those of the exact model by at most [Nm, N]"]
        lines.append(
            table(["joint", "torque"], [[j, upper_bound(c["torque"], 6)] for j, c in document["claim"].items()])
        )
    if document["mimic"]:
        lines += ["", "Joints that follow another:"]
        lines += [f"  {name} follows {leader}" for name, leader in document["mimic"].items()]
    lines += ["", "Masses [kg]", *(f"  {name}  {number(mass)}" for name, mass in document["masses"].items())]
    lines += _friction(document) + _motors(document)
    for held in document["payload"]:
        center = ", ".join(number(value) for value in held["center"])
        lines += ["", f"In the hand: {number(held['mass'])} kg at ({center}) m of frame '{held['frame']}'"]
    if document["locked"]:
        still = ", ".join(f"{name} at {number(value)}" for name, value in document["locked"].items())
        lines += ["", f"Joints held still: {still}"]
    lines += ["", f"Frames: {', '.join(document['frames']) or 'none'}"]
    lines += _snaps(document)
    lines += _refused(document)
    if document["warnings"]:
        lines += ["", "Warnings:", *(f"  {warning}" for warning in document["warnings"])]
    return "\n".join(lines)


def _refused(document: dict[str, Any]) -> list[str]:
    """Rooms that do not accept the robot, those with the same reason together."""
    rooms: dict[str, list[str]] = {}
    for room, reason in document["accepts"].items():
        if reason is not None:
            rooms.setdefault(reason, []).append(room)
    if not rooms:
        return []
    return ["", "Not available for this robot:", *(f"  {', '.join(names)}: {why}" for why, names in rooms.items())]


def _friction(document: dict[str, Any]) -> list[str]:
    if not document["friction"]:
        return ["", "Friction of the joints: none"]
    laws = {
        joint: {word: value for word, value in law.items() if word != "further"} | dict(law["further"])
        for joint, law in document["friction"].items()
    }
    words = list(dict.fromkeys(word for law in laws.values() for word in law))
    rows = [[joint, *(number(law.get(word, 0.0)) for word in words)] for joint, law in laws.items()]
    return ["", table(["friction", *(_title(word) for word in words)], rows)]


def _title(word: str) -> str:
    """A word for friction as the head of a column."""
    sided = word.replace("_positive", " +").replace("_negative", " -")
    return sided.replace("coulomb", "Coulomb").replace("_", " ")


def _motors(document: dict[str, Any]) -> list[str]:
    lines = []
    if document["drives_file"]:
        lines += ["", f"Drives read from {document['drives_file']}"]
    rows = [
        [
            motor["name"],
            number(motor["rotor_inertia"]),
            ", ".join(f"{j} {number(r)}" for j, r in motor["ratios"].items()),
        ]
        for motor in document["motors"]
    ]
    return [*lines, "", table(["motor", "rotor inertia", "turns with (ratio)"], rows)] if rows else lines


def _snaps(document: dict[str, Any]) -> list[str]:
    if not document["snaps"]:
        return []
    lines = ["", "Angles taken as right angles (--no-snap keeps them):"]
    lines += [f"  {s['joint']}: {s['angle']} {s['found']!r} as {s['used']!r}" for s in document["snaps"]]
    effect = document["snap_effect"]
    moved = f"  this moves bodies by up to {number(1e3 * effect['position'], 2)} mm"
    torque = effect["torque"]
    changed = "" if torque is None else f" and changes torques by {number(100 * torque, 2)} % of the largest"
    return [*lines, moved + changed]
