"""The carrier of control laws: ports in one order, state with names, native and C alike."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.arms import clock

import torquec as tq
from torquec.control.controller import JOINT_REFERENCE, SIGNALS, Controller, Reference, Schedule, make_controller
from torquec.control.controller_file import controller_from_dict, controller_to_dict
from torquec.dynamics import frame_pose, gravity_torque, jacobian
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError
from torquec.simulation.closed_loop import simulate
from torquec.simulation.mujoco_plant import simulate_on_mujoco
from torquec.simulation.plant import Plant

ARM = tq.classics.planar2r()
TOOL = ARM.frames[-1].name
MOTION = tq.minimum_jerk([0.3, 0.6], [0.6, 0.9], 0.5, joints=ARM.joint_names, period=0.002)


def impedance(stiffness=4000.0, damping=300.0):
    """tau = g + J' (k (x_ref - x) + d (xd_ref - xd)): a spring and a damper at the tool."""

    def law(**signals):
        q, qd = signals["q"], signals["qd"]
        J = jacobian(ARM, TOOL, q)[:3]
        x = frame_pose(ARM, TOOL, q).origin
        force = []
        for k in range(3):
            speed = sum(entry * v for entry, v in zip(J[k], qd, strict=True))
            away, slower = signals["x_ref"][k] - x[k], signals["xd_ref"][k] - speed
            force.append(stiffness * away + damping * slower)
        held = gravity_torque(ARM, q)
        return {"tau": [g + sum(J[k][i] * force[k] for k in range(3)) for i, g in enumerate(held)]}

    return make_controller("impedance", ARM.joint_names, law, period=0.002, reference=Reference("cartesian", TOOL))


def test_ports_are_declared():
    law = impedance()
    assert law.signals == {"x_ref": (3,), "R_ref": (3, 3), "xd_ref": (6,), "xdd_ref": (6,), "q": (2,), "qd": (2,)}
    assert [port.name for port in law.function.inputs] == list(law.ports)
    joint = tq.computed_torque(ARM, -5)
    assert joint.reference == JOINT_REFERENCE
    assert list(joint.ports) == ["q_ref", "qd_ref", "qdd_ref", "q", "qd"]


def test_references_of_a_frame_are_derivatives_of_its_pose():
    reference = Reference("cartesian", TOOL)
    rows = reference.rows(tq.compile(ARM), MOTION)
    assert rows.shape == (len(MOTION), reference.size(2)) == (len(MOTION), 24)
    x, xd, xdd = rows[:, :3], rows[:, 12:15], rows[:, 18:21]

    def slope(y):  # of fourth order
        return (8.0 * (y[3:-1] - y[1:-3]) - (y[4:] - y[:-4])) / (12.0 * MOTION.period)

    assert xd[2:-2] == pytest.approx(slope(x), abs=1e-7)
    assert xdd[2:-2] == pytest.approx(slope(xd), abs=1e-5)
    assert rows[:, 3:12].reshape(-1, 3, 3) @ np.swapaxes(rows[:, 3:12].reshape(-1, 3, 3), 1, 2) == pytest.approx(
        np.broadcast_to(np.eye(3), (len(MOTION), 3, 3))
    )


def test_a_cartesian_law_runs_in_the_same_loop_and_from_its_file():
    law = impedance()
    result = simulate(Plant(ARM, friction="none", saturates=False), law, MOTION)
    soft = simulate(Plant(ARM, friction="none", saturates=False), impedance(400.0, 30.0), MOTION)
    assert result.max_error_values.max() < 0.02
    assert result.max_error_values.max() < 0.3 * soft.max_error_values.max()
    found = controller_from_dict(controller_to_dict(law))
    assert found == law
    again = simulate(Plant(ARM, friction="none", saturates=False), found, MOTION)
    assert np.array_equal(again.tau, result.tau)


def test_it_is_limited_like_any_other():
    law = tq.with_actuator_limits(impedance(), ARM, efforts=[1.0, 1.0])
    assert law.reference == Reference("cartesian", TOOL)
    signals = [[9.0, 9.0, 0.0], np.eye(3), np.zeros(6), np.zeros(6), [0.3, 0.6], [0.0, 0.0]]
    assert np.abs(law.torque(*signals)).max() == 1.0


def test_misuse():
    with pytest.raises(ArgumentError, match="a cartesian reference without a frame"):
        Reference("cartesian")
    with pytest.raises(ArgumentError, match="a joint reference of frame 'tool'"):
        Reference("joint", "tool")
    with pytest.raises(ArgumentError, match="no space of references 'screw'"):
        Reference("screw", "tool")
    with pytest.raises(ArgumentError, match="5 signals") as refused:
        impedance().torque(*np.zeros((5, 2)))
    assert "x_ref" in refused.value.remedy
    nowhere = make_controller(
        "lost", ARM.joint_names, lambda **s: {"tau": [s["x_ref"][0], 0.0]}, reference=Reference("cartesian", "nowhere")
    )
    with pytest.raises(ArgumentError, match="nowhere"):
        simulate(ARM, nowhere, clock(ARM, 0.1, 0.01))
    pytest.importorskip("mujoco")
    with pytest.raises(ArgumentError, match="motions of the joints"):
        simulate_on_mujoco("arm.xml", ARM, impedance(), MOTION)


def counting():
    """A law that adds up how often it was called."""

    def law(**x):
        calls = x["state"][0] + 1.0
        return {"tau": [calls * e for e in x["q_ref"]], "next_state": [calls, x["q"][0]]}

    slots = (StateSlot("calls", (0.0,)), StateSlot("last", (7.0,)))
    return make_controller("counting", ("a",), law, slots=slots, period=0.1)


def test_ports_stand_in_one_order():
    controller = counting()
    assert [port.name for port in controller.function.inputs] == [*SIGNALS, "state"]
    assert [port.name for port in controller.function.outputs] == ["tau", "next_state"]
    assert controller.n == 1


def test_the_state_is_carried_by_the_caller():
    controller, state = counting(), counting().initial_state
    assert state.tolist() == [0.0, 7.0]
    for k in range(1, 4):
        tau, state = controller.native.call([2.0], [0.0], [0.0], [5.0], [0.0], state)
        assert tau[0] == 2.0 * k
    assert state[controller.slot("last")].tolist() == [5.0]


def test_torque_looks_at_a_law_once():
    assert counting().torque([3.0], [0.0], [0.0], [0.0], [0.0]).tolist() == [3.0]


def test_an_unknown_part_of_the_state():
    with pytest.raises(ArgumentError, match="'counting' has no state 'speed'") as caught:
        counting().slot("speed")
    assert caught.value.remedy == "its states are calls, last"


def test_a_schedule_holds_gains_until_the_next_sample():
    gains = np.arange(3.0).reshape(3, 1, 1) * np.ones((3, 1, 2))
    schedule = Schedule(np.array([0.0, 1.0, 2.0]), gains)
    assert [schedule.at(t)[0, 0] for t in (-1.0, 0.0, 0.9, 1.0, 5.0)] == [0.0, 0.0, 0.0, 1.0, 2.0]

    def law(**x):
        return {"tau": [x["gains"][0][0] * x["q_ref"][0]]}

    controller = make_controller("scheduled", ("a",), law, schedule=schedule)
    assert isinstance(controller, Controller)
    assert controller.torque([2.0], [0.0], [0.0], [0.0], [0.0], time=1.5).tolist() == [2.0]
