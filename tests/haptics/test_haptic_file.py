"""Where an experiment lies: the same answer as the region's own test gives for the same loop."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from torquec.control.poles import PolePair
from torquec.haptics.coupled_passivity import PassivityTest
from torquec.haptics.haptic_choices import HapticExperiment
from torquec.haptics.haptic_experiment import HANDLE
from torquec.haptics.haptic_file import COLUMNS, TURNING_GRIP, experiment_filters, experiment_region
from torquec.haptics.haptic_plan import EXPERIMENTS, ExperimentOptions
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


def test_the_damping_that_is_named_brings_the_object_inside():
    outside = experiment_region(result("mass-5"))
    assert not any(standing.inside for standing in outside)
    needed = max(standing.least_damping for standing in outside)
    assert all(standing.inside for standing in experiment_region(result("mass-5", damping=(1.001 * needed, 0.0))))
    assert not all(standing.inside for standing in experiment_region(result("mass-5", damping=(0.98 * needed, 0.0))))


def test_filters_lose_stability_below_a_cutoff():
    force, velocity = experiment_filters(result("mass-5"))
    for study in (force, velocity):
        assert 0.0 < study.stable_from < 50.0
        below, above = study.growth[study.cutoff < study.stable_from], study.growth[study.cutoff > study.stable_from]
        assert below[-1] >= 0.0 > above.max()
    assert velocity.stable_from > force.stable_from


def test_the_page_documents_every_column():
    page = (Path(__file__).parents[2] / "docs" / "haptics.md").read_text(encoding="utf-8")
    for names, unit, meaning in COLUMNS:
        shown = ", ".join(f"`{name}`" for name in names.split(", "))
        assert f"| {shown} | {unit} | {meaning} |" in page


def test_the_edge_for_a_picture_is_the_edge_of_the_region():
    given = result("inertia-0.83")
    (standing,) = experiment_region(given, with_edge=True)
    assert [mass / 0.83 for mass, _, _ in standing.edge] == pytest.approx([0.25, 0.5, 1.0, 2.0, 4.0])
    assert standing.edge[2][1] == pytest.approx(standing.least_damping)
    (outside,) = experiment_region(result("inertia-0.83", damping=(0.0, 0.98 * standing.edge[2][1])))
    assert not outside.inside
