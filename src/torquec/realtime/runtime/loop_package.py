"""Files of the runtime in a package: its C sources, law and background as C, and the code that connects them.

(1)  torquec_*.c, torquec_*.h, driver_shared.*, driver_cia402.*    the loop, as Python compiles it too
(2)  <prefix>.c, <prefix>.h                 have the law of every cycle and, for computed torque, its background
(3)  <prefix>_runtime.h                     limits of the robot, memory, and (2) as the loop calls it
(4)  example_runtime.c                      a program: the law on a robot in another process, by shared memory
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torquec.codegen.c.names import Names
from torquec.codegen.c.source import comment, packed
from torquec.control.controller import Controller, ReferenceSpace
from torquec.errors import ArgumentError
from torquec.expr import Function
from torquec.foundation.template import filled_template, package_text
from torquec.model.model import Model
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import oldest_coefficients
from torquec.realtime.runtime.guards import Guards, guard_limits, nanoseconds
from torquec.realtime.runtime.library import LimitsStruct, runtime_sources
from torquec.realtime.runtime.loop_law import BACKGROUND, TWO_RATE_LAW, robot_number, two_rate_law
from torquec.realtime.tuning import TUNING

_OF_PYTHON = ("torquec_layout.c", "driver_simulated.c", "driver_simulated.h")
"""Sources that only callers from Python need."""


RUNTIME_CMAKE = """
if(CMAKE_USE_PTHREADS_INIT AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_executable({prefix}_example_runtime example_runtime.c torquec_guard.c torquec_cycle.c torquec_record.c
    torquec_loop.c driver_shared.c driver_cia402.c)
  set_target_properties({prefix}_example_runtime PROPERTIES C_STANDARD 11)
  target_link_libraries({prefix}_example_runtime {prefix} Threads::Threads m rt)
endif()
"""


def loop_functions(model: Model, law: Controller, order: HoldOrder) -> list[Function]:
    """Functions that a loop calls besides the controller's step: law and background of two-rate computed torque."""
    try:
        background, step = two_rate_law(model, law, order)
    except ArgumentError:  # another law, or one of another model: the whole step in every cycle
        return []
    return [step, background]


def loop_files(
    model: Model, law: Controller, functions: Sequence[Function], names: Names, *, background_period: float
) -> dict[str, str]:
    """(1), (3) and (4) by name; `functions` are all of the package, with the controller's step and (2)."""
    files = {name: text for name, text in runtime_sources().items() if name not in _OF_PYTHON}
    files[f"{names.prefix}_runtime.h"] = _runtime_text(model, law, functions, names, background_period)
    files["example_runtime.c"] = package_text("realtime/runtime/c", "example_runtime.c").replace("PREFIX", names.prefix)
    return files


def _runtime_text(
    model: Model, law: Controller, functions: Sequence[Function], names: Names, background_period: float
) -> str:
    """(3)."""
    period, prefix = law.period or TUNING.usual_law_period, names.prefix
    ports = law.reference.ports(law.n)
    sizes = [math.prod(shape) for shape in ports.values()]
    limits = _limits(model, period)
    arrays = {name: list(getattr(limits, name)[: law.n]) for name in _LIMIT_ARRAYS}
    arrays["torque"] = [
        joint.limits.effort if math.isfinite(joint.limits.effort) else 0.0 for joint in model.robot.joints
    ]
    known = {function.name: (function, name) for function, name in zip(functions, names.functions, strict=True)}
    step = known.get(TWO_RATE_LAW) or known[law.function.name]
    background = known.get(BACKGROUND)
    heading = f"{prefix}: the law on a robot, with the loop of torquec_loop.h. Written by torquec.\nC11, Linux."
    text = filled_template(
        "realtime/runtime/c",
        "PREFIX_runtime.h",
        GUARD=f"{prefix.upper()}_RUNTIME_H_INCLUDED",
        P=prefix,
        JOINTS=law.n,
        REFERENCE=sum(sizes),
        ROW=", ".join(ports),
        GAINS=0 if law.schedule is None else law.n * 2 * law.n,
        MEMORY=len(law.initial_state),
        COEFFICIENTS=0 if background is None else background[0].outputs[0].size,
        PERIOD=limits.period,
        OLDEST=nanoseconds(oldest_coefficients(background_period)),
        LAW=_call(*step),
        BACKGROUND="(void)in;\n    (void)out;" if background is None else _call(*background),
        ARRAYS="\n".join(_array(name, values) for name, values in arrays.items()),
        HOLD=limits.hold_cycles,
        RAMP=limits.ramp_cycles,
        GAP=limits.longest_gap,
        COPIES="\n".join(f"    (void)memcpy(limits->{name}, {name}, sizeof {name});" for name in arrays),
        INITIAL=", ".join(repr(float(value)) for value in (*law.initial_state, 0.0)),
        PARTS=", ".join(map(str, sizes)),
        ROBOT=hex(robot_number(model)),
        JOINT_POSITIONS=int(law.reference.space is ReferenceSpace.JOINT),
    )
    return f"{comment(heading)}\n{text}"


_LIMIT_ARRAYS = ("torque", "rate", "lower", "upper", "speed", "slack", "resolution", "unmoved")


def _limits(model: Model, period: float) -> LimitsStruct:
    """The default limits; missing torque limits are one here, and written as zero."""
    torque = [joint.limits.effort if math.isfinite(joint.limits.effort) else 1.0 for joint in model.robot.joints]
    return guard_limits(model.robot, Guards(torque=torque), period=period).to_struct()


def _array(name: str, values: Sequence[float]) -> str:
    words = [
        repr(value) if math.isfinite(value) else f"{'-' if value < 0.0 else ''}(double)INFINITY" for value in values
    ]
    lines = packed(words, head=f"    const double {name}[] = {{", tail="};", indent="        ")
    return "\n".join(lines)


def _call(function: Function, name: str) -> str:
    """A call with the arguments in their order: inputs, then outputs."""
    arguments = [f"in[{k}]" for k in range(len(function.inputs))] + [f"out[{k}]" for k in range(len(function.outputs))]
    return "\n".join(packed(arguments, head=f"{name}(", tail=");", indent="        "))
