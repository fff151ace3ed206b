"""Total torque: the sum, and MuJoCo's inverse with damping and springs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.laws import holds
from tests.dynamics.oracles import PUMA560

from torquec.dynamics import total_torque
from torquec.robot import classics
from torquec.robot.mjcf import read_mjcf

SPRUNG = """<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body><joint name="a" type="hinge" axis="0 1 0" damping="0.7" stiffness="5" springref="0.3" armature="0.02"/>
      <inertial pos="0.2 0.1 0" mass="1.5" diaginertia="0.01 0.02 0.03"/>
      <body pos="0.4 0 0.1"><joint name="b" type="slide" axis="1 0 1" damping="2" stiffness="40" springref="-0.1"/>
        <inertial pos="0 0 0.1" mass="0.8" diaginertia="0.01 0.01 0.01"/></body></body>
  </worldbody>
</mujoco>"""


@pytest.mark.parametrize("sample", PUMA560)
def test_puma560_of_clover(sample):
    found = total_torque(classics.puma560(), sample.q, sample.qd, sample.qdd)
    assert found == pytest.approx(sample.tau_with_friction, abs=1e-9)


def test_mujoco_with_damping_springs_and_armature(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    file = tmp_path / "sprung.xml"
    file.write_text(SPRUNG, encoding="utf-8")
    robot, model = read_mjcf(file), mujoco.MjModel.from_xml_string(SPRUNG)
    data = mujoco.MjData(model)
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 2))
    data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    assert total_torque(robot, list(q), list(qd), list(qdd)) == pytest.approx(data.qfrc_inverse, abs=1e-12)


def test_sum():
    holds("total_torque_is_bodies_friction_and_springs")
