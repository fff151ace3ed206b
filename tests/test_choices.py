"""House rule: a public option that is a choice takes the names of its choices and refuses every other word.

What has such an option is found by inspection; the table below says how it is called otherwise.
"""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
import sys
import typing
from collections import ChainMap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import torquec as tq
from torquec.closedform.polynomial import TrigPolynomial
from torquec.control.law_options import PidGains
from torquec.control.model_terms import Evaluation, FrictionAt, FrictionCompensation
from torquec.control.poles import joint_poles
from torquec.control.robustness import closed_loop_eigenvalues
from torquec.control.stability_interval import root_locus, worst_case
from torquec.haptics.haptic_port import HapticPort
from torquec.haptics.passive_hand import PassiveHands
from torquec.haptics.port_loop import PortLoop, RenderedImpedance
from torquec.linearization.cartesian_linear_model import cartesian_linear_model
from torquec.simplification.specification import parse_specification
from torquec.simulation.sensors import SpeedSource
from torquec.trajectory.motion_box import MotionBox

ARM = tq.classics.planar2r()
POLES = joint_poles(ARM.joint_names, -3 + 4j)
LINEAR = tq.linearize(ARM, [0.1, 0.2], [0.0, 0.0], [0.0, 0.0])
MOTION = tq.minimum_jerk([0.0, 0.0], [1.0, 1.0], 1.0, joints=ARM.joint_names, period=0.1)
GAINS = PidGains((1.0, 1.0), (1.0, 1.0))

SPECIFICATION = parse_specification("[every_joint]\nvelocity = 1\nacceleration = 2\ntorque_error = 1", ARM)

CONTROLLER = tq.computed_torque(ARM, -3 + 4j)

CALLS: dict[str, dict[str, Any]] = {
    "ControllerOptions": {},
    "ExcitationOptions": {},
    "IdentifyOptions": {},
    "Plant": {"source": ARM},
    "Sensors": {},
    "Specification": {"joints": (), "box": MotionBox((-1.0, -1.0), (1.0, 1.0))},
    "base_parameters": {"robot": ARM},
    "Guide": {"point": (0.0,) * 3, "direction": (1.0, 0.0, 0.0), "stiffness": 1.0},
    "HapticSetting": {},
    "PortLoop": {"port": HapticPort(1.0, 2.0)},
    "RunOptions": {},
    "SimulatedRobot": {},
    "cutoff_stability": {
        "loop": PortLoop(HapticPort(1.0, 2.0)),
        "rendered": RenderedImpedance(1.0),
        "hand": PassiveHands(np.zeros(1), np.ones(1), np.zeros((1, 0, 0)), np.zeros((1, 0))),
        "cutoffs": [10.0],
    },
    "TrackedLoop": {"poles": -20.0, "trajectory": MOTION},
    "design_for_guarantee": {"source": ARM, "loop": tq.TrackedLoop(-20.0, MOTION)},
    "identify_motion": {"robot": ARM, "logs": ()},
    "run_experiment": {"robot": ARM},
    "FrameWrench": {"frame": "link2", "force": (1.0, 0.0, 0.0)},
    "closed_form": {"robot": ARM},
    "compile": {"robot": ARM},
    "inverse_kinematics": {"robot": ARM},
    "load": {"path": Path(tq.classics.__file__).with_name("planar2r.toml")},
    "computed_torque": {"source": ARM, "poles": -3 + 4j},
    "diagonal_computed_torque": {"source": ARM, "poles": -3 + 4j},
    "generate": {"model": ARM, "directory": "never_written"},
    "independent_joint": {"source": ARM, "gains": GAINS},
    "gravity_compensation": {"source": ARM, "gains": GAINS},
    "lqr": {"source": ARM, "trajectory": MOTION, "weights": tq.LqrWeights((1.0,) * 2, (1.0,) * 2, (1.0,) * 2)},
    "make_law": {"source": ARM},
    "min_basis_gen": {"target": TrigPolynomial(), "box": MotionBox((-1.0,), (1.0,)), "tolerance": 0.1},
    "pole_placement": {"source": ARM, "poles": -3 + 4j},
    "plan_background": {"source": ARM, "specification": SPECIFICATION},
    "two_rate": {"source": ARM},
    "tracking_guarantee": {"source": ARM, "poles": -20.0},
    "JointUncertainty": {},
    "payload_limits": {"source": ARM},
    "best_pose": {"ik": tq.inverse_kinematics(tq.classics.puma560()), "rotation": np.eye(3), "position": np.zeros(3)},
    "robust_computed_torque": {"source": ARM, "poles": -20.0, "period": 0.001},
    "slotine_li": {"source": ARM, "poles": -20.0},
    "write_two_rate_package": {"source": ARM, "directory": "never_written"},
    "write_controller": {"controller": CONTROLLER, "directory": "never_written", "prefix": "arm"},
    "stability_interval": {"model": LINEAR, "poles": POLES, "factor": "alpha", "period": 0.01},
}
"""Arguments beside the option. A new public name with a choice gets a row here."""

NOT_OPTIONS = {
    "Admittance",
    "BaseParameters",
    "CheckedFile",
    "Claim",
    "Estimate",
    "ExperimentResult",
    "HapticRegion",
    "IterativeKinematics",
    "LimitingSpan",
    "RealtimeResult",
    "RunStatus",
    "Model",
    "PayloadLimits",
    "PrintedRow",
    "Proven",
}
"""Results: made by the package, not by users."""


def choices_in(hint: Any) -> Iterator[type[enum.Enum]]:
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        yield hint
    for part in typing.get_args(hint):
        yield from choices_in(part)


def names_for_checkers(module: Any) -> dict[str, Any]:
    """What the file of a module imports for type checkers only."""
    names: dict[str, Any] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), str(module.__file__), "exec"), names)
    return names


def options_of(name: str) -> Iterator[str]:
    """The parameters of a public function or dataclass whose annotation names an enum."""
    thing = getattr(tq, name)
    called = thing.__init__ if inspect.isclass(thing) else thing
    if not inspect.isfunction(called) or (inspect.isclass(thing) and issubclass(thing, enum.Enum)):
        return
    module = inspect.getmodule(thing)
    try:
        hints = typing.get_type_hints(called)
    except NameError:  # an annotation that only type checkers import
        files = [sys.modules[base.__module__] for base in getattr(thing, "__mro__", (thing,))[::-1]]
        known = [names for file in files if file is not builtins for names in (names_for_checkers(file), vars(file))]
        hints = typing.get_type_hints(called, dict(ChainMap(vars(module), *known)))
    for parameter in inspect.signature(called).parameters:
        if list(choices_in(hints.get(parameter))):
            yield parameter


OPTIONS = [
    (name, option)
    for name in tq.__all__
    if name not in NOT_OPTIONS and callable(getattr(tq, name))
    for option in options_of(name)
]


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_a_word_that_is_no_choice_is_refused(name, option):
    assert name in CALLS, f"say in CALLS how {name} is called: its option '{option}' is a choice"
    with pytest.raises(tq.ArgumentError, match="no such choice") as refused:
        getattr(tq, name)(**{**CALLS[name], option: "no such choice"})
    assert "," in refused.value.remedy, "the remedy lists the choices"


def test_the_options_are_found():
    assert {("computed_torque", "evaluation"), ("Sensors", "speed"), ("Plant", "friction")} <= set(OPTIONS)
    assert len(OPTIONS) > 15


@pytest.mark.parametrize(
    "call",
    [
        lambda: root_locus(LINEAR, POLES, "no such choice", [1.0]),
        lambda: root_locus(LINEAR, POLES, "alpha", [1.0], period=0.01, hold="no such choice"),
        lambda: closed_loop_eigenvalues(LINEAR, POLES, period=0.01, hold="no such choice"),
        lambda: worst_case(ARM, MOTION, POLES, factors=("no such choice",)),
        lambda: FrictionCompensation("no such choice"),
        lambda: cartesian_linear_model(ARM, LINEAR, ARM.frames[0].name, directions=("x", "no such choice")),
    ],
)
def test_so_is_it_in_the_rooms(call: Callable[[], object]):
    with pytest.raises(tq.ArgumentError, match="no such choice"):
        call()


def test_names_are_taken_for_what_they_name():
    """Before, every string that was no member counted as "measured"."""
    by_name = tq.computed_torque(ARM, -3 + 4j, evaluation="reference")
    measured = tq.computed_torque(ARM, -3 + 4j, evaluation="measured")
    assert measured.function == tq.computed_torque(ARM, -3 + 4j).function
    assert measured.function == tq.computed_torque(ARM, -3 + 4j, evaluation=Evaluation.MEASURED).function
    assert measured.function != by_name.function
    assert tq.Sensors(speed="difference").speed is SpeedSource.DIFFERENCE
    without = tq.computed_torque(ARM, -3 + 4j, friction="nothing")
    assert (
        without.function == tq.computed_torque(ARM, -3 + 4j, friction=FrictionCompensation(FrictionAt.NOTHING)).function
    )
