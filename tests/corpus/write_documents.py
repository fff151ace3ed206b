"""Makes the stored JSON documents again, where their format has changed: `python -m tests.corpus.write_documents`."""

from __future__ import annotations

from pathlib import Path

from torquec.control.computed_torque import computed_torque
from torquec.control.controller_file import controller_to_dict
from torquec.foundation.json_text import document_text
from torquec.model.model import compile
from torquec.model.save import model_document
from torquec.model.simplified import simplify
from torquec.robot.dh import parse_dh
from torquec.simplification.specification import parse_specification

FOLDER = Path(__file__).parent / "documents"

ARM = """name = "arm"
convention = "modified"
[[joint]]
name = "turn"
type = "continuous"
alpha_deg = 90
a = 0
d = 0
limits = { velocity = 1, effort = 5 }
link = { mass = 1, com = [0.5, 0, 0], inertia = [0, 0, 0.1] }
[[joint]]
name = "slide"
type = "prismatic"
alpha_deg = 90
a = 0.5
theta = 0
limits = { lower = 0, upper = 1, velocity = 1, effort = 5 }
link = { mass = 1, com = [0.1, 0, 0], inertia = [0.1, 0.1, 0.1] }
"""

ASKED = "[every_joint]\nvelocity = 1\nacceleration = 1\ntorque_error = 1\n"


def main() -> None:
    """Write the model, a certified model, its certificate and a controller of one small arm."""
    robot = parse_dh(ARM, source="arm.toml")
    certified = simplify(robot, parse_specification(ASKED, robot))
    assert certified.record is not None
    documents = {
        "model": model_document(compile(robot), quantities=["inverse_dynamics", "gravity_torque"]),
        "certified": model_document(certified, quantities=["inverse_dynamics"]),
        "certificate": certified.record.to_dict(),
        "controller": controller_to_dict(computed_torque(robot, -10.0, period=0.001)),
    }
    for name, values in documents.items():
        (FOLDER / f"{name}.json").write_text(document_text(values), encoding="ascii")


if __name__ == "__main__":
    main()
