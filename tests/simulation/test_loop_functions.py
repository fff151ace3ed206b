"""The two programs of a loop and the layout of its state."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.arms import rotor

import torquec
from torquec.control.computed_torque import computed_torque
from torquec.control.independent_joint import PidGains, independent_joint
from torquec.expr import check_function, evaluate
from torquec.robot.friction import Friction
from torquec.simulation.integrators import DormandPrince, RungeKutta4
from torquec.simulation.loop_functions import LoopState, motion_function, sample_function
from torquec.simulation.plant import DryFriction, Plant, Variation
from torquec.simulation.plant_bodies import DcMotor
from torquec.simulation.sensors import Sensors, SpeedSource

ARM = torquec.classics.planar2r()
PID = independent_joint(ARM, PidGains((20.0, 10.0), (2.0, 1.0), (5.0, 5.0)), period=0.01)


def loop(**parts):
    given = {"plant": Plant(ARM), "controller": PID, "sensors": Sensors(), "integrator": RungeKutta4()}
    return LoopState(**{**given, **parts})


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"integrator": DormandPrince()},
        {"plant": Plant(ARM, varies=True)},
        {"plant": Plant(ARM, varies=Variation.PARAMETERS), "disturbed": True},
        {"plant": Plant(ARM, motors=(DcMotor(0.1, 50.0, 1.0, 1e-3, 24.0),) * 2)},
        {"sensors": Sensors(delay=2, speed=SpeedSource.DIFFERENCE)},
    ],
)
def test_parts_fill_the_row_without_gaps_and_the_programs_keep_its_size(parts):
    made = loop(**parts)
    row = list(range(made.size))
    assert made.join(made.split(row)) == row
    for function in (sample_function(made, period=0.01), motion_function(made, period=0.01)):
        check_function(function)
        assert function.input("state").size == made.size
        assert function.output("next").size == made.size


def test_a_sample_moves_nothing_and_a_motion_asks_nobody():
    made = loop()
    rng = np.random.default_rng(0)
    row = rng.uniform(0.1, 0.5, made.size)
    after = evaluate(sample_function(made, period=0.01), {"state": row, "reference": np.zeros(6)})["next"]
    assert np.array_equal(after[made.parts["motion"]], row[made.parts["motion"]])
    assert np.allclose(after[made.parts["squares"]], row[made.parts["squares"]] + row[made.position] ** 2)
    later = evaluate(motion_function(made, period=0.01), {"state": row})["next"]
    for name in ("torque", "memory", "sensors", "squares", "largest", "saturated"):
        assert np.array_equal(later[made.parts[name]], row[made.parts[name]])
    assert not np.array_equal(later[made.position], row[made.position])


def test_the_log_is_what_was_wanted_and_seen():
    robot = rotor(friction=Friction())
    law = computed_torque(robot, -2 + 2j, period=0.1)
    made = LoopState(Plant(robot), law, Sensors(resolution=0.5), RungeKutta4())
    row = np.zeros(made.size)
    row[made.position], row[made.speed] = 0.6, 0.25
    log = evaluate(sample_function(made, period=0.1), {"state": row, "reference": np.array([1.0, 0.0, 0.0])})["log"]
    # J (p e + s ed) with p = 8, s = 4, e = 1 - 0.5
    assert log == pytest.approx([2.0 * (8.0 * 0.5 - 4.0 * 0.25), 0.5, 0.25])


def test_sticking_friction_takes_its_own_step():
    plain, sticky = (
        motion_function(loop(plant=Plant(torquec.classics.puma560(), friction=f), controller=PUMA_LAW), period=0.01)
        for f in (DryFriction.SIGN, DryFriction.STICK)
    )
    assert len(sticky.operations) > len(plain.operations)


PUMA_LAW = computed_torque(torquec.classics.puma560(), -12 + 45j)
