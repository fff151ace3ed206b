"""Haptic scene of a page: an arm that renders a virtual ball to a hand, simulated in the page.

The loop of `haptic_loop.py` as functions of a WebAssembly module: hand, force sensor, encoders,
the haptic cycle and the arm, all of which run in the page at 500 Hz. The reader pulls the ball and chooses its
mass and the control law of the arm:

    exact            pole placement with the robot's own model
    slow             the same with slower poles, the paper's choice for coarse encoders
    simplified       pole placement with the model of the page, where that is a simplified one
    none             no model at all: a PD law for every joint, with gains for its inertia at the start
"""

from __future__ import annotations

import base64
import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from torquec.control.controller import Controller
from torquec.control.independent_joint import independent_joint
from torquec.control.law_options import PidGains
from torquec.control.model_terms import FrictionAt, FrictionCompensation
from torquec.control.pole_placement import pole_placement
from torquec.dynamics.frame_pose import frame_pose
from torquec.errors import RobotError
from torquec.expr import Function
from torquec.foundation.arrays import Array
from torquec.haptics.admittance import admittance
from torquec.haptics.admittance_options import AdmittanceOptions
from torquec.haptics.contact import SpringDamper, TouchPoint, Wall, contact_field
from torquec.haptics.haptic_loop import HapticLoop, HapticSetting
from torquec.haptics.rendered_object import SETTINGS, RenderedObject
from torquec.haptics.simulated_hand import GOAL
from torquec.model.model import Model
from torquec.page.document_types import HapticData, ModuleData
from torquec.page.view_functions import DragHand
from torquec.robot.robot import Robot
from torquec.simulation.plant import DryFriction

RADIUS = 0.06
"""Radius of the ball [m]."""

USUAL_MASS = 5.0
"""Default mass of the ball [kg], as in the paper's first experiment."""

_INERTIA = 0.05  # [kg m^2] of the ball: a solid ball has so little that the hand's would dominate
_WALL_DISTANCE = 0.12  # [m] below the hand's start
_WALL_FREQUENCY = 25.0  # [Hz], the paper's wall
_FAST, _SLOW = -45 + 45j, -12 + 45j  # poles of the paper's laws [1/s]
_STEPS = 4  # fine steps of the arm in a cycle: the loop's default


@dataclass(frozen=True, eq=False)
class HapticScene:
    """The scene: sample functions by law, the function of a fine step, the hand's Jacobian, the layout of a row, and
    the first row.
    """

    laws: dict[str, Function]
    motion: Function
    jacobian: Function
    loop: HapticLoop
    first: Array
    wall_height: float

    @property
    def functions(self) -> tuple[Function, ...]:
        """Everything that goes into the scene's module."""
        return (*self.laws.values(), self.motion, self.jacobian)


def haptic_scene(model: Model, hand: DragHand | None, posture: list[float]) -> HapticScene:
    """The scene of a robot's hand, starting at a posture (n,) within its limits.

    Raises `RobotError` for an arm whose hand lacks one of six degrees of freedom, or without dynamics.
    """
    robot = model.robot
    if hand is None or not hand.turns or len(hand.joints) != robot.n:
        raise RobotError(
            f"robot '{robot.name}' has no haptic scene: its joints do not all move its hand, or not in all directions",
            remedy="take an arm of six or seven joints, or lock those of its gripper with --lock",
        )
    robot.check_forward_dynamics()
    height = float(frame_pose(robot, hand.frame.name, posture).origin[2]) - _WALL_DISTANCE - RADIUS
    laws = _laws(model, posture)
    loops = {name: _loop(robot, hand.frame.name, law, height) for name, law in laws.items()}
    samples = {name: dataclasses.replace(loop.sample_function(), name=f"haptic_{name}") for name, loop in loops.items()}
    loop = next(iter(loops.values()))
    assert len({one.size for one in loops.values()}) == 1, "all laws have a state of the same size"
    return HapticScene(samples, loop.motion_function(), hand.jacobian, loop, loop.first_row(posture), height)


def _laws(model: Model, posture: list[float]) -> dict[str, Controller]:
    period = AdmittanceOptions().period
    friction = FrictionCompensation(FrictionAt.REFERENCE, AdmittanceOptions().smoothing)
    found = {
        "exact": pole_placement(model.exact, _FAST, period=period, friction=friction),
        "slow": pole_placement(model.exact, _SLOW, period=period, friction=friction),
    }
    if model.kind.follows_program:
        found["simplified"] = pole_placement(model, _FAST, period=period, friction=friction)
    inertia = np.diag(model.exact.mass_matrix(np.array(posture)))
    stiffness, damping = abs(_FAST) ** 2 * inertia, -2.0 * _FAST.real * inertia
    gains = PidGains(tuple(stiffness.tolist()), tuple(damping.tolist()))
    found["none"] = independent_joint(model.exact, gains, period=period)
    return found


def _loop(robot: Robot, frame: str, law: Controller, height: float) -> HapticLoop:
    wall = contact_field(
        [TouchPoint((0.0, 0.0, 0.0), RADIUS)],
        [Wall((0.0, 0.0, 1.0), height)],
        SpringDamper.tuned(USUAL_MASS, _WALL_FREQUENCY),
    )
    ball = RenderedObject(USUAL_MASS, (_INERTIA,) * 3)
    cycle = admittance(robot, ball, frame, environment=wall, law=law)
    return HapticLoop(cycle, HapticSetting(steps=_STEPS, friction=DryFriction.STICK))


def haptic_document(scene: HapticScene, module: ModuleData, hand: DragHand) -> HapticData:
    """The scene as JSON values; `module` is that of its functions."""
    loop = scene.loop
    parts = {name: [part.start, part.stop] for name, part in loop.parts.items()}
    cycle = {}
    for name in ("position", "orientation", "velocity", "acceleration"):
        slot = loop.cycle.slot(name)
        start = loop.parts["cycle"].start
        cycle[name] = [start + slot.start, start + slot.stop]
    return {
        "module": module,
        "laws": {name: function.name for name, function in scene.laws.items()},
        "motion": scene.motion.name,
        "jacobian": scene.jacobian.name,
        "steps": loop.setting.steps,
        "period": loop.period,
        "parts": parts,
        "cycle": cycle,
        "settings": loop.cycle.rendered.settings.tolist(),
        "settingSizes": dict(SETTINGS),
        "goalSizes": dict(GOAL),
        "first": base64.b64encode(scene.first.astype("<f8").tobytes()).decode(),
        "radius": RADIUS,
        "wall": scene.wall_height,
        "reach": hand.reach,
        "largest": math.floor(0.9 * min(loop.cycle.options.sensor_range[:3])),
    }
