"""Every fault of a document: in one round, each once, and none that another one caused."""

from __future__ import annotations

from torquec.errors import RobotError
from torquec.robot.every_fault import every_fault
from torquec.robot.toml import Table, parse_toml

TEXT = """\
count = "many"
[[hand]]
frme = "tool"
mass = -1
[[hand]]
frame = "elbow"
[arm.fore]
lenght = 1
"""


def read(table: Table) -> None:
    table.number("count")
    for hand in table.tables("hand"):
        frame, mass = hand.text("frame"), hand.number("mass")
        hand.finish()
        if frame != "tool":
            hand.refuse("frame", f"no frame {frame}", "")
        if mass < 0.0:
            hand.refuse("mass", "below zero", "")
    arm = table.table("arm")
    if arm is not None:
        fore = arm.table("fore")
        if fore is not None:
            fore.number("length")
            fore.finish()
        arm.finish()
    table.finish()


def said(text: str) -> list[str]:
    return [
        f"{fault.where.rpartition(':')[2]} {fault.found}" for fault in every_fault(parse_toml(text, "a.toml"), read)
    ]


def test_every_fault_is_found_once_in_the_order_of_the_lines():
    assert said(TEXT) == [
        "1 'count' is 'many'",
        "2 'hand[0].frame' is missing",
        "3 unknown key 'hand[0].frme'",
        "5 'hand[1].mass' is missing",
        "6 no frame elbow",
        "7 'arm.fore.length' is missing",
        "8 unknown key 'arm.fore.lenght'",
    ]


def test_a_document_without_faults_has_none():
    assert said('count = 1\n[[hand]]\nframe = "tool"\nmass = 1\n') == []


def test_what_stands_in_is_never_told():
    """A reader that refuses whatever is not `tool` refuses what stands in for the frame: its table is gone then."""
    assert said("count = 1\n[[hand]]\nmass = 1\n") == ["2 'hand[0].frame' is missing"]


def test_a_fault_without_a_key_ends_the_search():
    def fails(table: Table) -> None:
        table.number("count")
        raise RobotError("broken")

    found = every_fault(parse_toml('count = "x"\n', "a.toml"), fails)
    assert [fault.found for fault in found] == ["broken", "'count' is 'x'"]
