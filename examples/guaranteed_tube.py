"""Guaranteed tube of the tracking error: a page with sliders for friction, masses and payload of a PUMA 560.

    python examples/guaranteed_tube.py [PICTURE]

A PUMA 560, its wrist locked, whose friction is known to 30 %, masses and inertias to 3 %, payload between 0 and 0.5 kg.
The guarantee bounds the tracking error of every such robot. The script simulates 45 of them, draws the band of all
errors inside the tube, and writes a page beside the picture (PICTURE with the suffix .html) in which sliders choose the
robot. The page is one file and makes no network request.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import torquec as tq
from torquec.page.self_contained import content_policy, inline_script, json_in_html
from torquec.report.blocks import Axis, Plot, Series, Style
from torquec.report.figure import write_picture
from torquec.report.provenance import computed
from torquec.robot.friction import Friction
from torquec.simulation.attacked_loop import late_law
from torquec.simulation.closed_loop import LoopOptions
from torquec.simulation.sensors import Sensors
from torquec.spatial import Inertia

SETS = """
[every_joint]
friction_part = 0.3
position = 1e-5
speed = "difference"
speed_filter = 0.7
[bodies]
mass_part = 0.03
first_moment_part = 0.03
inertia_part = 0.03
[payload]
frame = "link6"
mass = [0.0, 0.5]
centre_within = 0.03
[timing]
delay = 1
"""
POLES, PERIOD, SHOWN = -60.0, 0.001, 8
FRICTION, BODIES, PAYLOAD = (-1.0, -0.5, 0.0, 0.5, 1.0), (-1.0, 0.0, 1.0), (0.0, 0.25, 0.5)
TEMPLATE = Path(__file__).parent / "scenes" / "guaranteed_tube.html"


def main(picture: str | None = None) -> None:
    """Bound, simulate, draw, write the page."""
    robot = tq.lock_joints(tq.classics.puma560(), {"joint4": 0.0, "joint5": 0.5, "joint6": 0.0})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sets.toml"
        path.write_text(SETS, encoding="utf-8")
        sets = tq.load_uncertainty(path, robot)
    motion = tq.minimum_jerk([-0.4, -0.6, 2.6], [0.5, -0.1, 2.1], 1.6, joints=robot.joint_names, period=PERIOD)
    given = tq.tracking_guarantee(robot, POLES, motion, period=PERIOD, uncertainty=sets)
    if not given.valid:
        print(given.reason)
        return
    errors = simulated(robot, sets, motion)
    bounds = [1e3 * bound.position for bound in given.joints]
    for bound, error in zip(given.joints, np.abs(errors).max(axis=(0, 1)), strict=True):
        print(
            f"{bound.joint}: guaranteed {1e3 * bound.position:.2f} mrad, worst of {len(errors)} robots {error:.3f} mrad"
        )
    if picture is not None:
        print(draw(motion, errors, bounds, robot.joint_names, picture))
        print(write_page(motion, errors, bounds, robot.joint_names, Path(picture).with_suffix(".html")))


def simulated(robot: tq.Robot, sets: tq.Uncertainty, motion: tq.Trajectory) -> np.ndarray:
    """Errors [mrad] of every robot of the grid, (robots, samples, joints)."""
    law = tq.computed_torque(robot, POLES, period=PERIOD, evaluation="measured", friction="reference")
    late = late_law(law, motion, sets)
    options = LoopOptions(sensors=Sensors(resolution=(1e-5,) * robot.n, speed="difference", filter_share=0.7))
    found = []
    for friction, bodies, payload in itertools.product(FRICTION, BODIES, PAYLOAD):
        held = tq.HeldPayload(sets.payload.frame, payload, (sets.payload.centre_within, 0.0, 0.0))
        plant = tq.Plant(scaled(robot, 1.0 + 0.03 * bodies, 1.0 + 0.3 * friction), forces=(held,) if payload else ())
        found.append(1e3 * tq.simulate(plant, late, motion, options=options).error[::SHOWN])
    return np.array(found)


def scaled(robot: tq.Robot, inertia: float, friction: float) -> tq.Robot:
    """The robot with all inertias and all frictions of joints and motors multiplied by a factor each."""

    def rubbing(law: Friction) -> Friction:
        return Friction.of(
            {k: v if k.endswith(("_speed", "_distance")) else friction * v for k, v in law.values.items()}
        )

    bodies = tuple(
        replace(
            body,
            inertia=Inertia(*(inertia * value for value in body.inertia.parameters)),
            joint=replace(body.joint, friction=rubbing(body.joint.friction)),
        )
        for body in robot.bodies
    )
    motors = tuple(replace(motor, friction=rubbing(motor.friction)) for motor in robot.drives.motors)
    return replace(robot, bodies=bodies, drives=replace(robot.drives, motors=motors))


def draw(motion: tq.Trajectory, errors: np.ndarray, bounds: list[float], joints: tuple[str, ...], path: str) -> Path:
    """The band of all errors inside the tube, a plot per joint."""
    t = tuple(motion.t[::SHOWN][: errors.shape[1]].tolist())
    by = computed("simulation of 45 robots in the sets")
    plots = []
    for k, (joint, bound) in enumerate(zip(joints, bounds, strict=True)):
        low, high = (tuple(edge.tolist()) for edge in (errors[:, :, k].min(axis=0), errors[:, :, k].max(axis=0)))
        ends = (t[0], t[-1])
        series = (
            Series("guaranteed for every robot in the sets", ends, (bound,) * 2, by, Style.TUBE, low=(-bound,) * 2),
            Series("45 simulated ones", t, high, by, Style.BAND, low=low),
        )
        most = 1.15 * max(bounds)
        plots.append(Plot(joint, Axis("time", "s"), Axis("tracking error", "mrad", low=-most, high=most), series))
    return write_picture(plots, path, title="PUMA 560: friction 30 %, bodies 3 %, payload 0 to 0.5 kg", columns=3)


def write_page(
    motion: tq.Trajectory, errors: np.ndarray, bounds: list[float], joints: tuple[str, ...], path: Path
) -> Path:
    """The page with its data: errors to a thousandth of the tube."""
    steps = [
        [[round(1e3 * value / bound) for value in errors[i, :, k]] for k, bound in enumerate(bounds)]
        for i in range(len(errors))
    ]
    data = {
        "joints": list(joints),
        "bounds": [round(bound, 4) for bound in bounds],
        "duration": float(motion.t[-1]),
        "friction": [round(30 * level) for level in FRICTION],
        "bodies": [round(3 * level) for level in BODIES],
        "payload": list(PAYLOAD),
        "q": [[round(float(value), 4) for value in row] for row in motion.q[::SHOWN]],
        "errors": steps,
    }
    shell = TEMPLATE.read_text(encoding="utf-8")
    style, script = (shell.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0] for tag in ("style", "script"))
    policy = content_policy(inline_script(script), style)
    path.write_text(shell.replace("@policy@", policy).replace("@data@", json_in_html(data)), encoding="utf-8")
    return path


if __name__ == "__main__":
    main(*sys.argv[1:2])
