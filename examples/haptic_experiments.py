"""The experiments of Clover IV, section V, on the PUMA 560: felt masses, felt inertias, a stiff wall, halved drives.

    python examples/haptic_experiments.py [PICTURE]

prints what the hand feels beside the paper's Table II, and draws the first impact on the wall. `torquec haptic -o`
draws every run.
"""

from __future__ import annotations

import sys

import torquec as tq
from torquec.haptics.haptic_file import experiment_document
from torquec.report.haptics import curve_samples, experiment_curves, plot_experiment

FELT = ("mass-5", "mass-150", "inertia-0.83", "inertia-12.5")
POLES = (-12 + 45j, -45 + 45j)


def main(picture: str | None = None) -> None:
    """All of section V."""
    robot = tq.classics.puma560()
    print("experiment       felt              paper              samples")
    for name in FELT:
        result = tq.run_experiment(robot, name)
        felt, printed = result.felt, result.plan.printed
        if felt is not None and printed is not None:
            here, there = f"{felt.mean:8.4g} +- {felt.deviation:<6.2g}", f"{printed[0]:8.4g} +- {printed[1]:<6.3g}"
            print(f"{name:14} {here} {there} {felt.counted}")
    print("\nwall: speeds later than 60 ms after the impact, over the impact's")
    print("poles      effort  impact    object      tip")
    for poles in POLES:
        for effort in (1.0, 0.5):
            for impact in (0.1, 0.3):
                options = tq.ExperimentOptions(poles=poles, effort=effort, impact=impact)
                result = tq.run_experiment(robot, "wall", options)
                if result.wall is not None:
                    shares = f"{100 * result.wall.object_speed:6.2f} %  {100 * result.wall.tip_speed:6.2f} %"
                    print(f"{poles!s:12} {effort:4.1f} {impact:6.1f}   {shares}")
                if picture is not None and (effort, impact) == (1.0, 0.1) and poles == POLES[0]:
                    curves = curve_samples(experiment_curves(result))
                    print(plot_experiment(result, {**experiment_document(result), "curves": curves}, picture))


if __name__ == "__main__":
    main(*sys.argv[1:2])
