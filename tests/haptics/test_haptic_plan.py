"""Plans of experiments: what options change, and that a slower hand takes the same path."""

import pytest

from torquec.haptics.haptic_choices import HapticExperiment
from torquec.haptics.haptic_plan import EXPERIMENTS, ExperimentOptions, checked_options, experiment_plan


def test_options_change_the_object_and_the_papers_result_goes_with_the_papers_object():
    plan = experiment_plan(HapticExperiment.MASS_5, ExperimentOptions(mass=8.0))
    assert (plan.nominal, plan.inertia, plan.printed) == (8.0, EXPERIMENTS[HapticExperiment.MASS_5].inertia, None)
    turned = experiment_plan(HapticExperiment.INERTIA_083, ExperimentOptions(inertia=2.0))
    assert (turned.nominal, turned.mass) == (2.0, 5.0)
    assert experiment_plan(HapticExperiment.MASS_5, ExperimentOptions()).printed == (5.099, 0.615)


def test_a_slower_hand_takes_the_same_path_in_a_longer_time():
    usual, slow = (experiment_plan(HapticExperiment.MASS_5, ExperimentOptions(pace=pace)).motion for pace in (1.0, 0.5))
    assert slow.speed == 0.5 * usual.speed
    assert slow.duration == 2.0 * usual.duration
    assert slow.radius == usual.radius


def test_open_options_are_filled_in():
    found = checked_options(HapticExperiment.WALL, ExperimentOptions())
    assert (found.impact, found.two_sided, found.wall_frequency, found.wall_damping) == (0.3, True, 25.0, 1.0)


@pytest.mark.parametrize("name", HapticExperiment)
def test_every_plan_is_of_one_kind(name):
    plan = EXPERIMENTS[name]
    assert plan.needs
    assert plan.is_combined == (name is HapticExperiment.COMBINED)
    assert plan.turns == name.value.startswith("inertia")
    assert (plan.motion is None) == (name in (HapticExperiment.WALL, HapticExperiment.TWO_CUBES))
