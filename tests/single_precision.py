"""A torque program in single precision, by NumPy, against the same in doubles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from torquec.codegen.sincos import single_sincos_reference
from torquec.expr import Function, Op
from torquec.trajectory.motion_box import MotionBox


def float_torques(
    program: Function, inputs: Mapping[str, np.ndarray], *, fused: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Torques (N, n) in doubles and in floats; with `fused`, every product that a sum reads is rounded with the sum."""
    wide: list[np.ndarray] = []
    narrow: list[np.ndarray] = []
    products: list[np.ndarray | None] = []
    for step in program.operations:
        unrounded = None
        x = [wide[k] for k in step.args]
        y = [narrow[k] for k in step.args]
        match step.op:
            case Op.CONST:
                exact, single = np.float64(step.value), np.float32(step.value)
            case Op.INPUT:
                exact = inputs[step.port][:, step.element]
                single = exact.astype(np.float32)
            case Op.NEG:
                exact, single = -x[0], -y[0]
            case Op.ADD | Op.SUB:
                sign = 1.0 if step.op is Op.ADD else -1.0
                exact, single = x[0] + sign * x[1], y[0] + np.float32(sign) * y[1]
                inner = products[step.args[1]] if fused else None
                if inner is not None:  # a product of floats is exact in doubles, and the sum nearly so
                    single = np.float32(y[0].astype(np.float64) + sign * inner)
            case Op.MUL:
                exact, single = x[0] * x[1], y[0] * y[1]
                unrounded = y[0].astype(np.float64) * y[1].astype(np.float64)
            case Op.SIN:
                exact, single = np.sin(x[0]), single_sincos_reference(y[0])[0]
            case Op.COS:
                exact, single = np.cos(x[0]), single_sincos_reference(y[0])[1]
        assert np.asarray(single).dtype == np.float32
        wide.append(exact)
        narrow.append(single)
        products.append(unrounded)
    count = len(inputs["q"])

    def chosen(values: list[np.ndarray]) -> np.ndarray:
        return np.stack([np.broadcast_to(values[k], count) for k in program.results[0]], axis=1).astype(float)

    return chosen(wide), chosen(narrow)


def random_motions(box: MotionBox, count: int, seed: int = 5) -> dict[str, np.ndarray]:
    """Motions of a box, every other one with rates at their limits; no position is a float."""
    rng = np.random.default_rng(seed)
    n = len(box.lower)
    rates = rng.uniform(-1.0, 1.0, (2, count, n))
    rates[:, ::2] = np.sign(rates[:, ::2])
    return {
        "q": rng.uniform(box.lower, box.upper, (count, n)),
        "qd": rates[0] * box.velocity,
        "qdd": rates[1] * box.acceleration,
    }


def rounding_found(program: Function, box: MotionBox, count: int) -> np.ndarray:
    """The largest differences (n,) that single precision makes at random motions, with fused operations or without."""
    motions = random_motions(box, count)
    both = [float_torques(program, motions, fused=fused) for fused in (False, True)]
    return np.max([np.abs(single - exact).max(axis=0) for exact, single in both], axis=0)
