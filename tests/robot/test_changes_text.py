"""Payloads, locked joints and gravity in words, and the same as JSON values."""

from __future__ import annotations

from dataclasses import replace

import torquec as tq
from torquec.report.result_document import as_used
from torquec.robot.changes_text import changes_text
from torquec.robot.lock_joints import lock_joints


def test_the_robot_of_a_file_has_no_changes():
    arm = tq.classics.puma560()
    assert as_used(arm) == {"name": "puma560", "payload": [], "locked": {}, "gravity": [0.0, 0.0, -9.81]}
    assert changes_text(arm, gravity=True) == ""


def test_every_change_is_stated():
    arm = replace(tq.classics.puma560(), gravity=(0.0, 0.0, -1.62))
    arm = tq.attach_payload(arm, "link6", mass=2.5, center=(0.0, 0.1, 0.2), inertia=((1, 0, 0), (0, 2, 0), (0, 0, 3)))
    arm = lock_joints(arm, {"joint4": 0.25})
    used = as_used(arm)
    assert used["payload"] == [
        {
            "name": "payload",
            "frame": "link6",
            "mass": 2.5,
            "center": [0.0, 0.1, 0.2],
            "inertia": [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]],
        }
    ]
    assert (used["locked"], used["gravity"]) == ({"joint4": 0.25}, [0.0, 0.0, -1.62])
    payload, locked, gravity = changes_text(arm, gravity=True).splitlines()
    assert "2.5 kg at (0.0, 0.1, 0.2) m of frame 'link6'" in payload
    assert "inertia ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0)) kg m^2" in payload
    assert "'joint4' at 0.25" in locked
    assert "(0.0, 0.0, -1.62) m/s^2" in gravity
    assert changes_text(arm).splitlines() == [payload, locked]
