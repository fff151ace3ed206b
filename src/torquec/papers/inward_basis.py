"""The base of Izaguirre et al. (section 6.1): rotor inertias first, then the links from the hand inwards.

(1)  order of elimination: rotors 1..n; of link n, then n - 1, .., 1:  m, x, y, z (first moments), a, b, c (Ixx, Iyy,
     Izz), d, e, f (Ixy, Iyz, Ixz), about the link frame's origin; a parameter that depends on earlier ones is dropped
(2)  x_model = T x_inward for the parameters of a `TorqueModel`, so that A_inward = A_model T (Lin, Corollary 6)

Masses of outer links stay parameters here, where the usual base lumps them into first and second moments of several
inner links. An arm whose weight is that of its hand and forearm needs few parameters in this base, and many in others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.dynamics.regressor import parameter_names
from torquec.foundation.arrays import Array
from torquec.identification.torque.friction_law import ParameterKind
from torquec.identification.torque.torque_model import TorqueModel
from torquec.parameters.base_parameters import BasisMethod, base_parameters
from torquec.parameters.standard_parameters import ParameterFrames
from torquec.robot.robot import Robot

_LETTERS = {
    "m": "m", "mx": "x", "my": "y", "mz": "z", "Ixx": "a", "Iyy": "b", "Izz": "c", "Ixy": "d", "Iyz": "e", "Ixz": "f",
}  # fmt: skip
_FRICTION_ORDER = {
    ParameterKind.COULOMB: 0,
    ParameterKind.COULOMB_POSITIVE: 0,
    ParameterKind.COULOMB_NEGATIVE: 0,
    ParameterKind.VISCOUS: 1,
    ParameterKind.VISCOUS_POSITIVE: 1,
    ParameterKind.VISCOUS_NEGATIVE: 1,
    ParameterKind.OFFSET: 2,
}
"""Order of the friction columns in the tables of the paper; others follow."""
_LATER_ELEMENTS = 3  # order of all other friction columns: after the three above
_FRICTION = {"coulomb": "fs", "viscous": "ds", "offset": "fo"}


@dataclass(frozen=True, eq=False)
class InwardBasis:
    """Names, the letters of the paper (a link's letter and number), and T (k, k) of (2).

    `standard` is how many parameters there were before linear dependencies were removed.
    """

    names: tuple[str, ...]
    letters: tuple[str, ...]
    matrix: Array
    standard: int


def inward_basis(model: TorqueModel) -> InwardBasis:
    """The base (1) of a model's bodies and rotors, then friction: Coulomb of all joints, viscous of all, the rest.

    >>> from torquec.identification.torque.torque_model import torque_model
    >>> from torquec.robot import classics
    >>> basis = inward_basis(torque_model(classics.planar2r(), friction="viscous"))
    >>> basis.letters
    ('ia1', 'ia2', 'm2', 'x2', 'y2', 'c2', 'y1', 'ds1', 'ds2')
    """
    robot = model.robot
    base = base_parameters(
        robot, method=BasisMethod.ELIMINATION, frames=ParameterFrames.LINK, order=inward_order(robot)
    )
    # Values in this base give body parameters, and those the model's base.
    rigid = model.base.projection @ base.body_expansion
    count = len(model.base)
    rest, kinds = model.names[count:], model.kinds[count:]
    order = sorted(range(len(rest)), key=lambda k: (_FRICTION_ORDER.get(kinds[k], _LATER_ELEMENTS), k))
    matrix = np.zeros((model.size, model.size))
    matrix[:count, :count] = rigid
    for place, k in enumerate(order):
        matrix[count + k, count + place] = 1.0
    names = (*(name.removesuffix("+") for name in base.names), *(rest[k] for k in order))
    return InwardBasis(
        names, tuple(letters_of(robot, name) for name in names), matrix, len(model.standard_names) + len(rest)
    )


def inward_order(robot: Robot) -> list[str]:
    """(1)."""
    known = set(parameter_names(robot))
    rotors = [f"rotor_{motor.name}" for motor in robot.drives.motors if f"rotor_{motor.name}" in known]
    links = [f"{kind}_{body.name}" for body in reversed(robot.bodies) for kind in _LETTERS]
    return [*rotors, *(name for name in links if name in known)]


def letters_of(robot: Robot, name: str) -> str:
    """The paper's name of a parameter: `ia1`, `m6`, `x6`, `fs1`, `ds1`; the name itself where it has no letter.

    >>> from torquec.robot import classics
    >>> letters_of(classics.puma260(), "Ixx_link4"), letters_of(classics.puma260(), "coulomb_joint2")
    ('a4', 'fs2')
    """
    kind, _, owner = name.partition("_")
    if kind == "rotor":
        motors = [motor.name for motor in robot.drives.motors]
        return f"ia{motors.index(owner) + 1}" if owner in motors else name
    if kind in _FRICTION:
        return f"{_FRICTION[kind]}{robot.joint_names.index(owner) + 1}" if owner in robot.joint_names else name
    bodies = [body.name for body in robot.bodies]
    return f"{_LETTERS[kind]}{bodies.index(owner) + 1}" if kind in _LETTERS and owner in bodies else name
