"""C code of the two-rate tasks: coefficient records, triple buffers between them, and one call for each task.

A record with a number that is not finite is never published: the reader keeps the last valid one.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.codegen.c.names import Names
from torquec.codegen.c.source import comment, packed
from torquec.expr import Function
from torquec.expr.replay import CONSTANTS
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import FrictionTask, background_nanoseconds, period_words
from torquec.realtime.two_rate import NOMINAL, UPDATE, TwoRateFunctions

_RECORDS = {
    "inertia": ("background_inertia",),
    "velocity": ("background_velocity", "background_friction"),
    "first_order": ("background_first_order",),
}
"""What each background task computes."""

_HEADING = """\
{prefix}: the tasks of the two-rate structure. Written by torquec.
C11, for the atomic exchanges of triple_buffer.h; everything else is C99.

{prefix}_start                 before anything else
{prefix}_inertia_task          in the background: new inertias and gravity
{prefix}_velocity_task         in the background: new velocity torques{friction}
{prefix}_synchronous_task      in every cycle: torques from the newest coefficients and the demanded acceleration
{first}{parameters}
A task may run in a thread, in a loop or in an interrupt; call each from one place only. A task
returns 1 if it succeeded. A background task returns 0 and publishes nothing if a coefficient is
not finite; the synchronous task returns 0 until there are coefficients.

{period} ({p}_BACKGROUND_PERIOD), {origin}.
The background tasks run once per period."""


def tasks_text(two: TwoRateFunctions, names: Names, *, period: float, planned: bool) -> str:
    """The whole `<prefix>_tasks.h`, for a background period [s]: that of a plan, or the default."""
    return _Writer(two, names, period, planned=planned).text()


class _Writer:
    def __init__(self, two: TwoRateFunctions, names: Names, period: float, *, planned: bool) -> None:
        self.period, self.planned = period, planned
        self.two, self.prefix, self.real = two, names.prefix, names.scalar.type
        self.records = [key for key in _RECORDS if key != "first_order" or two.order is HoldOrder.FIRST]
        self.own = {
            key: tuple(two.functions[name] for name in _RECORDS[key] if name in two.functions) for key in self.records
        }
        self.changed = [key for key in self.records if any(map(_changeable, self.own[key]))]
        self.changed += [
            name
            for name in ("synchronous", "synchronous_first_order")
            if name in two.functions and _changeable(two.functions[name])
        ]

    def text(self) -> str:
        p = self.prefix
        guard = f"{p.upper()}_TASKS_H_INCLUDED"
        first = self.two.order is HoldOrder.FIRST
        heading = _HEADING.format(
            prefix=p,
            friction=" and friction" if self.two.friction is FrictionTask.BACKGROUND else "",
            first=(
                f"{p}_first_order_task, {p}_first_order_synchronous_task\n"
                "                    the same at first order: slopes at the background's state are held, too\n"
                if first
                else ""
            ),
            parameters=f"{p}_set_parameters  when parameters change; from one place\n" if self.two.groups else "",
            p=p,
            period=period_words(self.period).capitalize(),
            origin="that of the plan" if self.planned else "the default: no plan states which is short enough",
        )
        parts = [
            comment(heading),
            f"#ifndef {guard}\n#define {guard}\n",
            f'#include "{p}.h"\n#include "triple_buffer.h"\n',
            f"#define {p}_JOINTS {self.two.robot.n}",
            f"#define {p}_FIRST_ORDER {int(first)} /* 1: slopes are held, too */",
            f"#define {p}_BACKGROUND_PERIOD {background_nanoseconds(self.period)}LL /* [ns] */",
            f'#define {p}_MODEL "{self.two.model.content_hash}"\n\ntypedef {self.real} {p}_real;\n',
            *(self._record(key) for key in self.records),
            self._parameters_record(),
            self._tasks(),
            self._finite(),
            self._set_parameters(),
            self._start(),
            *(self._background(key) for key in self.records),
            self._synchronous(),
            self._first_order_synchronous() if first else "",
            f"#endif /* {guard} */\n",
        ]
        return "\n".join(part for part in parts if part)

    # --- types ------------------------------------------------------------------------------------------------------

    def _outputs(self, key: str) -> list[tuple[str, int]]:
        found = [(port.name, port.size) for function in self.own[key] for port in function.outputs]
        return found + ([("q0", self.two.robot.n), ("qd0", self.two.robot.n)] if key == "first_order" else [])

    def _record(self, key: str) -> str:
        fields = "".join(f"    {self.prefix}_real {name}[{size}];\n" for name, size in self._outputs(key))
        return f"typedef struct {{\n{fields}}} {self.prefix}_{key}_record;\n"

    def _parameters_record(self) -> str:
        if not self.changed:
            return ""
        size = self.two.functions[UPDATE].output(CONSTANTS).size
        return f"typedef struct {{\n    {self.prefix}_real constants[{size}];\n}} {self.prefix}_parameters_record;\n"

    def _tasks(self) -> str:
        lines = []
        for key in self.records:
            lines += [f"torquec_triple_buffer {key}_buffer;", f"{self.prefix}_{key}_record {key}[3];"]
        for key in self.changed:
            lines.append(f"torquec_triple_buffer {key}_parameters_buffer;")
            lines.append(f"{self.prefix}_parameters_record {key}_parameters[3];")
        lines.append(f"{self.prefix}_real held[{self.prefix}_JOINTS]; /* of the synchronous task */")
        lines.append("int has_inertia, has_velocity, has_first_order; /* of the synchronous task */")
        lines.append("unsigned inertias, velocities, first_orders; /* how many the background tasks have published */")
        body = "".join(f"    {line}\n" for line in lines)
        return f"typedef struct {{\n{body}}} {self.prefix}_tasks;\n"

    # --- functions --------------------------------------------------------------------------------------------------

    def _finite(self) -> str:
        return self._function(
            f"int {self.prefix}_is_finite(const {self.prefix}_real *values, int count)",
            [
                "int k;",
                "for (k = 0; k < count; ++k) {",
                "    /* Infinity or NaN minus itself is NaN, which does not equal itself. */",
                "    const int finite = values[k] - values[k] == values[k] - values[k];",
                "    if (!finite) {",
                "        return 0;",
                "    }",
                "}",
                "return 1;",
            ],
        )

    def _set_parameters(self) -> str:
        if not self.two.groups:
            return ""
        update = self.two.functions[UPDATE]
        arguments = [f"{self.prefix}_tasks *tasks"]
        arguments += [f"const {self.prefix}_real {g.port}[{len(g.parameters)}]" for g in self.two.groups]
        size = update.output(CONSTANTS).size
        used = [port.name for port in update.inputs]
        body = [f"(void){group.port};" for group in self.two.groups if group.port not in used]
        body += [
            f"{self.prefix}_parameters_record made;",
            "(void)tasks;",
            f"{self.prefix}_{UPDATE}({', '.join([*used, 'made.constants'])});",
            f"if (!{self.prefix}_is_finite(made.constants, {size})) {{",
            "    return 0;",
            "}",
        ]
        for key in self.changed:
            buffer = f"tasks->{key}_parameters_buffer"
            body += [f"tasks->{key}_parameters[{buffer}.writer] = made;", f"torquec_triple_publish(&{buffer});"]
        head = packed(arguments, head=f"int {self.prefix}_set_parameters(", tail=")", indent="    ")
        return self._function("\n".join(head), [*body, "return 1;"])

    def _start(self) -> str:
        body = [f"torquec_triple_start(&tasks->{key}_buffer);" for key in self.records]
        body += [f"torquec_triple_start(&tasks->{key}_parameters_buffer);" for key in self.changed]
        body += ["tasks->has_inertia = tasks->has_velocity = tasks->has_first_order = 0;"]
        body += ["tasks->inertias = tasks->velocities = tasks->first_orders = 0u;"]
        if self.two.groups:
            body = [f"{self.prefix}_real {g.port}[{len(g.parameters)}];" for g in self.two.groups] + body
            ports = [group.port for group in self.two.groups]
            body.append(f"{self.prefix}_{NOMINAL}({', '.join(ports)});")
            body.append(f"(void){self.prefix}_set_parameters({', '.join(['tasks', *ports])});")
        return self._function(f"void {self.prefix}_start({self.prefix}_tasks *tasks)", body)

    def _background(self, key: str) -> str:
        p = self.prefix
        taken = {"inertia": ("q",), "velocity": ("q", "qd", "qdd"), "first_order": ("q", "qd", "qdd")}[key]
        counter = {"inertia": "inertias", "velocity": "velocities", "first_order": "first_orders"}[key]
        body = [f"{p}_{key}_record *made = &tasks->{key}[tasks->{key}_buffer.writer];"]
        values = {name: name for name in taken} | {name: f"made->{name}" for name, _ in self._outputs(key)}
        values |= self._constants(key)
        loaded = any(port.name == "rigid" for function in self.own[key] for port in function.inputs)
        if loaded:
            body += [f"{p}_inertia_record carried;", f"{p}_real rigid[{p}_JOINTS];", "int i, j;"]
            values["rigid"] = "rigid"
        body += self._take_parameters(key)
        for function in self.own[key]:
            if function.name == "background_friction" and loaded:
                body += self._rigid_lines(values)
            body.append(self._call(function, values))
        if key == "velocity" and not loaded:
            body.append("(void)qdd;")
        if key == "first_order":
            body += [
                "{",
                "    int k;",
                f"    for (k = 0; k < {p}_JOINTS; ++k) {{",
                "        made->q0[k] = q[k];",
                "        made->qd0[k] = qd[k];",
                "    }",
                "}",
            ]
        checks = [f"!{p}_is_finite(made->{name}, {size})" for name, size in self._outputs(key)]
        body += [
            *packed_condition(checks),
            f"torquec_triple_publish(&tasks->{key}_buffer);",
            f"++tasks->{counter};",
            "return 1;",
        ]
        arguments = [f"{p}_tasks *tasks", *(f"const {p}_real {name}[{p}_JOINTS]" for name in taken)]
        head = packed(arguments, head=f"int {p}_{key}_task(", tail=")", indent="    ")
        return self._function("\n".join(head), body)

    def _rigid_lines(self, values: dict[str, str]) -> list[str]:
        """Friction that depends on the load: rigid = M qdd + gravity + velocity, at this motion."""
        inertia = self.two.functions["background_inertia"]
        known = {**values, **{port.name: f"carried.{port.name}" for port in inertia.outputs}}
        return [
            self._call(inertia, known),
            f"for (i = 0; i < {self.prefix}_JOINTS; ++i) {{",
            "    rigid[i] = carried.gravity[i] + made->velocity[i];",
            f"    for (j = 0; j < {self.prefix}_JOINTS; ++j) {{",
            f"        rigid[i] += carried.M[i*{self.prefix}_JOINTS + j]*qdd[j];",
            "    }",
            "}",
        ]

    def _synchronous(self) -> str:
        p = self.prefix
        parts = {name: f"tasks->{key}[tasks->{key}_buffer.reader].{name}"
                 for key in ("inertia", "velocity") for name, _ in self._outputs(key)}  # fmt: skip
        values = {**parts, "held": "tasks->held", "qd": "qd", "qdd": "qdd", "tau": "tau"}
        values |= self._constants("synchronous")
        body = [
            "const int inertia = torquec_triple_take(&tasks->inertia_buffer);",
            "const int velocity = torquec_triple_take(&tasks->velocity_buffer);",
            "tasks->has_inertia |= inertia;",
            "tasks->has_velocity |= velocity;",
            "if (!tasks->has_inertia || !tasks->has_velocity) {",
            "    return 0;",
            "}",
            "if (inertia || velocity) {",
            f"    {self._call(self.two.functions['hold'], values)}",
            "}",
            *self._take_parameters("synchronous"),
            self._call(self.two.functions["synchronous"], values),
            *([] if self.two.friction is FrictionTask.SYNCHRONOUS else ["(void)qd;"]),
            "return 1;",
        ]
        arguments = [f"{p}_tasks *tasks", f"const {p}_real qd[{p}_JOINTS]", f"const {p}_real qdd[{p}_JOINTS]"]
        arguments.append(f"{p}_real tau[{p}_JOINTS]")
        head = packed(arguments, head=f"int {p}_synchronous_task(", tail=")", indent="    ")
        return self._function("\n".join(head), body)

    def _first_order_synchronous(self) -> str:
        p = self.prefix
        values = {name: f"now->{name}" for name, _ in self._outputs("first_order")}
        values |= {name: name for name in ("q", "qd", "qdd", "tau")} | self._constants("synchronous_first_order")
        body = [
            f"const {p}_first_order_record *now;",
            "tasks->has_first_order |= torquec_triple_take(&tasks->first_order_buffer);",
            "if (!tasks->has_first_order) {",
            "    return 0;",
            "}",
            "now = &tasks->first_order[tasks->first_order_buffer.reader];",
            *self._take_parameters("synchronous_first_order"),
            self._call(self.two.functions["synchronous_first_order"], values),
            "return 1;",
        ]
        arguments = [f"{p}_tasks *tasks", *(f"const {p}_real {name}[{p}_JOINTS]" for name in ("q", "qd", "qdd"))]
        arguments.append(f"{p}_real tau[{p}_JOINTS]")
        head = packed(arguments, head=f"int {p}_first_order_synchronous_task(", tail=")", indent="    ")
        return self._function("\n".join(head), body)

    def _constants(self, key: str) -> dict[str, str]:
        place = f"tasks->{key}_parameters[tasks->{key}_parameters_buffer.reader].constants"
        return {CONSTANTS: place} if key in self.changed else {}

    def _take_parameters(self, key: str) -> list[str]:
        return [f"(void)torquec_triple_take(&tasks->{key}_parameters_buffer);"] if key in self.changed else []

    def _call(self, function: Function, values: dict[str, str]) -> str:
        arguments = [values[port.name] for port in (*function.inputs, *function.outputs)]
        lines = packed(arguments, head=f"{self.prefix}_{function.name}(", tail=");", indent="        ")
        return "\n".join(lines)

    def _function(self, head: str, body: Sequence[str]) -> str:
        lines = "".join(f"    {line}\n" for text in body for line in text.split("\n"))
        return f"static inline {head}\n{{\n{lines}}}\n"


def packed_condition(checks: Sequence[str]) -> list[str]:
    """`if (any of the checks) return 0;`, one check per line."""
    lines = [f"    || {check}" for check in checks]
    lines[0] = f"if ({checks[0]}"
    lines[-1] += ") {"
    return [*lines, "    return 0;", "}"]


def _changeable(function: Function) -> bool:
    return any(port.name == CONSTANTS for port in function.inputs)
