"""Where an experiment lies: the same answer as the region's own test gives for the same loop."""

import dataclasses

import numpy as np
import pytest

from torquec.control.poles import PolePair
from torquec.haptics.coupled_passivity import PassivityTest
from torquec.haptics.haptic_choices import HapticExperiment
from torquec.haptics.haptic_experiment import HANDLE, ExperimentOptions
from torquec.haptics.haptic_file import TURNING_GRIP, experiment_region
from torquec.haptics.haptic_port import haptic_port
from torquec.haptics.port_loop import PortLoop, RenderedImpedance
from torquec.robot import classics


@dataclasses.dataclass
class Cycle:
    frame: str
    carrying: object


@dataclasses.dataclass
class Result:
    """What the function reads of a result; running one takes seconds."""

    robot: object
    cycle: Cycle
    posture: np.ndarray
    options: ExperimentOptions
    plan: object


def result(name, **options):
    from torquec.haptics.haptic_experiment import EXPERIMENTS

    robot = classics.puma560()
    posture = np.array([0.3, -0.9, 3.0, 0.4, -0.9, 0.2])
    cycle = Cycle("link6", HANDLE.carried_by(robot, "link6"))
    return Result(robot, cycle, posture, ExperimentOptions(**options), EXPERIMENTS[HapticExperiment(name)])


def test_the_axes_are_those_that_move():
    words = [standing.axis for standing in experiment_region(result("mass-5"))]
    assert words == ["moving along x", "moving along y"]
    assert [one.axis for one in experiment_region(result("inertia-12.5"))] == ["turning about z"]


def test_it_is_the_answer_of_the_region():
    given = result("inertia-0.83")
    (standing,) = experiment_region(given)
    from torquec.dynamics import frame_pose

    z = [row[2] for row in frame_pose(given.robot, "link6", given.posture.tolist()).rotation]
    port = haptic_port(given.cycle.carrying, "link6", given.posture, z, about=True, encoder_step=1e-4)
    loop = PortLoop(port, period=0.002, poles=PolePair(-45 + 45j, -45 - 45j), force_cutoff=100.0, grip=TURNING_GRIP)
    rendered = RenderedImpedance(0.83, 0.0, 0.0)
    assert standing.inside == PassivityTest(loop).is_passive(rendered)
    assert standing.margin == pytest.approx(PassivityTest(loop).worst(rendered).margin)
