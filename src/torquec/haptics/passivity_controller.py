"""Time-domain passivity observer and passivity controller of a haptic arm (Hannaford and Ryu, 2002), per port.

The observer integrates the energy that the hand puts into the arm. Where it becomes negative, the arm has generated
energy, and the controller damps the object just enough to dissipate it:

(1)  W_n = E_(n-1) + f_n d_n                            f_n the measured force, d_n the arm's displacement at that time
(2)  a_n = -W_n/(T v_n^2),  between 0 and `largest`     v_n the speed of the object; a damper
(3)  E_n = min(W_n + a_n T v_n^2, `ceiling`)            the damper's force a_n v_n is subtracted from that on the object

With the present displacement, an arm with a lagging sensor would look passive. d_n is therefore delayed by the lag of
the force, interpolated between samples (`force_lag`). `ceiling` limits the stored energy, so that old input does not
hide later activity of the arm. Energy that cannot be dissipated at once, because the object stands still or `largest`
is reached, stays in E and is dissipated later.

For an arm that renders by impedance, f_n is minus the force held over the last period, the lag is 0 and v_n the
measured speed; the damper's force is subtracted from the drive's.

A value that is not finite, or larger than 1e12, counts as zero: no observation, no damping.
"""

from __future__ import annotations

import math

from torquec.errors import ArgumentError
from torquec.expr import Function, trace
from torquec.expr.math import maximum, minimum
from torquec.haptics.haptic_choices import RenderingKind
from torquec.haptics.port_loop import PortLoop
from torquec.haptics.rendered_object import sane
from torquec.spatial import Scalar

_SPEED_FLOOR = 1e-200  # avoids a division by zero: the product with a speed of zero is zero


def force_lag(loop: PortLoop) -> float:
    """Lag of a measured force in periods: the delay plus the low-frequency lag of the filter.

    >>> from torquec.haptics.haptic_port import HapticPort
    >>> round(force_lag(PortLoop(HapticPort(8.0, 20.0), force_cutoff=100.0)), 3)
    1.125
    """
    if loop.rendering is RenderingKind.IMPEDANCE:
        return 0.0
    return (loop.force_delay + math.sqrt(2.0) / (2.0 * math.pi * loop.force_cutoff)) / loop.period


def passivity_controller_function(ports: int = 6, *, lag: float = 0.0) -> Function:
    """One cycle of observer and controller for `ports` ports as a `Function` (native code, C, WebAssembly).

    Inputs: `energy` (p,) and `history` (p, s) of the previous cycle, initially zero; `force`, `displacement` and
    `velocity` (p,), `largest` and `ceiling` (p,), `period`. Outputs: `next_energy`, `next_history`, the damper
    `damping` [N s/m] and its force `braking` [N], each (p,). `lag` is in periods. Raises `ArgumentError` for an invalid
    one.

    >>> passivity_controller_function(1, lag=1.125).inputs[1].shape
    (1, 3)
    """
    if ports < 1 or not 0.0 <= lag < 1e4:
        raise ArgumentError(
            f"a passivity controller for {ports} ports with forces {lag} periods late",
            remedy="give one port or more, and a lag that is not negative",
        )
    whole = math.floor(lag)
    part = lag - whole
    length = max(whole + (1 if part == 0.0 else 2), 2)

    def algorithm(**given: Scalar) -> dict[str, object]:
        found = [
            _cycle({name: value[p] for name, value in given.items() if name != "period"}, given["period"], whole, part)
            for p in range(ports)
        ]
        return {name: [cycle[name] for cycle in found] for name in found[0]}

    shape = (ports,)
    inputs: dict[str, tuple[int, ...]] = {"energy": shape, "history": (ports, length)}
    inputs |= dict.fromkeys(("force", "displacement", "velocity", "largest", "ceiling"), shape)
    return trace("passivity_controller", algorithm, inputs | {"period": ()})


def _cycle(given: dict[str, Scalar], period: Scalar, whole: int, part: float) -> dict[str, object]:
    """(1)-(3) for one port; the newest displacement comes first in the history."""
    history = [sane(given["displacement"], 0.0), *given["history"][:-1]]
    late = history[whole] if part == 0.0 else (1.0 - part) * history[whole] + part * history[whole + 1]
    observed = given["energy"] + sane(given["force"], 0.0) * late
    v = sane(given["velocity"], 0.0)
    taken = period * v * v
    damping = minimum(maximum(-observed / maximum(taken, _SPEED_FLOOR), 0.0), given["largest"])
    return {
        "next_energy": minimum(observed + damping * taken, given["ceiling"]),
        "next_history": history,
        "damping": damping,
        "braking": damping * v,
    }
