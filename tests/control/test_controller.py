"""The carrier of control laws: ports in one order, state with names, native and C alike."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.control.controller import SIGNALS, Controller, Schedule, make_controller
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError


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
    with pytest.raises(ArgumentError, match="'counting' remembers no 'speed'") as caught:
        counting().slot("speed")
    assert caught.value.remedy == "it remembers calls, last"


def test_a_schedule_holds_gains_until_the_next_sample():
    gains = np.arange(3.0).reshape(3, 1, 1) * np.ones((3, 1, 2))
    schedule = Schedule(np.array([0.0, 1.0, 2.0]), gains)
    assert [schedule.at(t)[0, 0] for t in (-1.0, 0.0, 0.9, 1.0, 5.0)] == [0.0, 0.0, 0.0, 1.0, 2.0]

    def law(**x):
        return {"tau": [x["gains"][0][0] * x["q_ref"][0]]}

    controller = make_controller("scheduled", ("a",), law, schedule=schedule)
    assert isinstance(controller, Controller)
    assert controller.torque([2.0], [0.0], [0.0], [0.0], [0.0], time=1.5).tolist() == [2.0]
