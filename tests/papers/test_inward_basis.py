"""The base of Izaguirre et al.: Table 1's list, and the same torques as any other base."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.torque.torque_model import torque_model
from torquec.papers.inward_basis import inward_basis, inward_order, letters_of
from torquec.parameters.base_parameters import base_parameters
from torquec.parameters.standard_parameters import ParameterFrames
from torquec.robot import classics

LINKS = {6: "mxyzabcdef", 5: "xyacdef", 4: "xyacdef", 3: "xyadef", 2: "xyde"}
TABLE_1 = [
    *(f"ia{k}" for k in range(1, 7)),
    *(f"{letter}{k}" for k, letters in LINKS.items() for letter in letters),
    *(f"{kind}{k}" for kind in ("fs", "ds") for k in range(1, 7)),
]


def test_puma260_keeps_the_list_of_table_1():
    basis = inward_basis(torque_model(classics.puma260(), friction="symmetric"))
    assert list(basis.letters) == TABLE_1
    assert basis.standard == 78


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "planar2r"])
@pytest.mark.parametrize("rotors", [True, False])
def test_the_map_gives_the_same_torques(name, rotors):
    """Random masses and moments in this base give the torques that their values in the model's base give."""
    model = torque_model(classics.load_classic(name), friction="offset", rotors=rotors)
    basis = inward_basis(model)
    count = len(model.base)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 20, model.robot.n))
    other = base_parameters(
        model.robot, method="elimination", frames=ParameterFrames.LINK, order=inward_order(model.robot)
    )
    values = rng.normal(size=count)
    whole = np.asarray(model.model.regressor(q, qd, qdd)) @ (other.body_expansion @ values)
    ours = model.rigid(q, qd, qdd) @ (basis.matrix[:count, :count] @ values)
    assert ours == pytest.approx(whole, abs=1e-9 * np.abs(whole).max())
    assert np.linalg.matrix_rank(basis.matrix) == model.size


def test_names_without_a_letter_stay():
    robot = classics.planar2r()
    assert letters_of(robot, "stribeck_joint1") == "stribeck_joint1"
    assert letters_of(robot, "counterbalance") == "counterbalance"
    assert letters_of(robot, "offset_joint2") == "fo2"
