"""AVX2 assembly (x86) of the kernel for a block of four states, with its own register allocation.

With 16 registers, a block reads memory as often as it multiplies, and a processor does two of either per cycle. LLVM's
code for the Panda's inverse dynamics has 1100 instructions, 400 reads and 150 stores among them, for 400 products. Here
there are 950, 350 and 120, because

(1)  the instructions are in the order of :mod:`torquec.codegen.llvm_text.arrange`, which keeps few values live;
(2)  registers are allocated by Belady's rule (:mod:`torquec.codegen.x86.register_allocation`);
(3)  one operand of an instruction may be in memory. It is loaded first if it is used again soon: a constant within
     `_NEAR_USE` instructions, even if it evicts a value; another value within `_FAR_USE`, if a register is free.

Operations are those of the steps: results are bit-identical to those of every other kernel. Gains are listed in
`codegen/llvm/README.md`.
"""

from __future__ import annotations

import re

from torquec.codegen.llvm_text.arrange import MOST_SCHEDULED, AngleGroup, Write, arrange, place_writes, schedule
from torquec.codegen.llvm_text.batch import emit_row_loop
from torquec.codegen.llvm_text.kernel import MOST_OPERATIONS_IN_ONE, kernel_parameters
from torquec.codegen.llvm_text.program import StepProgram
from torquec.codegen.llvm_text.text import FunctionText, Type, literal
from torquec.codegen.x86.block_code import COLUMNS, FAR, WIDTH, BlockCode, Form, Instruction, is_writable
from torquec.codegen.x86.register_allocation import Placement, Registers, VectorKind, uses_of
from torquec.codegen.x86.scalar_assembly import FEWEST_STEPS
from torquec.expr import Op

_MOST_POINTERS = 8  # general registers left beside those for constants, spill slots and lanes
_SCHEDULE_SPAN = 64  # [cycles]; finer spans spill more of the Panda's values, otherwise 8 and more take the same time
_MOST_SCHEDULED = 500  # steps without a division; longer programs have fewer live values in the algorithm's own order
_NEAR_USE, _FAR_USE = 16, 100  # instructions; half to twice as many take the same time
_SHAPE = Type(WIDTH)
_BYTES = _SHAPE.bytes * WIDTH


def emit_assembled_block(module: FunctionText, program: StepProgram, *, name: str, registers: int = 16) -> str:
    """The text of the kernel for exactly four rows; empty where the kernel is left to LLVM.

    States with large angles are left to the scalar kernel, whose address is in the module's slot.
    """
    order = arrange(program, columns=COLUMNS)
    pointers = [*(f"in{i}" for i in range(len(program.inputs))), *(f"out{i}" for i in range(len(program.outputs)))]
    angles = any(isinstance(item, AngleGroup) for item in order)
    if (
        (not angles and len(order) < FEWEST_STEPS)
        or len(order) > MOST_OPERATIONS_IN_ONE
        or len(pointers) > _MOST_POINTERS
        or not is_writable(program, order)
    ):
        return ""
    # Divisions have a long latency: hiding it matters more than a few stores.
    divides = any(step.op is Op.DIV for step in program.steps)
    scheduled = schedule(program, order, most=MOST_SCHEDULED if divides else _MOST_SCHEDULED, span=_SCHEDULE_SPAN)
    steps = [item for item in scheduled if not isinstance(item, Write)]
    places = _Places(BlockCode(program, list(place_writes(program, steps, COLUMNS))), registers)
    text = FunctionText(module.fma, declarations=module.declarations)
    waiting = text.stack(f"[{max(1, places.slots)} x {_SHAPE}]")
    table = f"@{name}_constants"
    arrays = {**{pointer: f"%{pointer}" for pointer in pointers}, "waiting": waiting, "constants": table}
    _append_assembly(text, places.lines, arrays, registers=registers)
    if angles:
        _append_far_rows(text, program, rows=f"{name}_rows")
    text.append("ret void")
    vectors = ", ".join(f"{_SHAPE} {literal(number, _SHAPE)}" for number in places.constants)
    constants = f"{table} = internal constant [{len(places.constants)} x {_SHAPE}] [{vectors}], align 64\n"
    kernel = text.finish(f"define internal void @{name}({', '.join(kernel_parameters(program))}) noinline #0")
    return "\n".join([constants, kernel, emit_row_loop(program, name=f"{name}_rows")])


def _append_assembly(text: FunctionText, lines: list[str], arrays: dict[str, str], *, registers: int) -> None:
    """Append the instructions; `%far` becomes a bit mask of the lanes with large angles."""
    number = {FAR: "$0", **{f"({array})": f"(${k})" for k, array in enumerate(arrays, start=1)}}
    written = ["xorl $0, $0", *(_with_operands(line, number) for line in lines), "vzeroupper"]
    constraints = ["=&r", *(["r"] * len(arrays)), *(f"~{{xmm{k}}}" for k in range(registers))]
    constraints += ["~{memory}", "~{dirflag}", "~{fpsr}", "~{flags}"]
    operands = ", ".join(f"ptr {pointer}" for pointer in arrays.values())
    body = "\\0A".join(written)
    text.append(f'%far = call i32 asm sideeffect "{body}", "{",".join(constraints)}"({operands})')


def _with_operands(line: str, number: dict[str, str]) -> str:
    """An instruction with LLVM's names of arrays and of the one result; its own dollar signs are escaped."""
    name = re.search(rf"\(\w+\)|{FAR}", line)
    doubled = line.replace("$", "$$")
    return doubled.replace(name[0], number[name[0]]) if name else doubled


def _append_far_rows(text: FunctionText, program: StepProgram, *, rows: str) -> None:
    """Append the recomputation of all states, one by one, where an angle is large or NaN."""
    any_far = text.define("icmp ne i32 %far, 0")
    text.append(f"br i1 {any_far}, label %again, label %done, !prof !0")
    text.start_block("again")
    ports = [parameter.split()[-1] for parameter in kernel_parameters(program)]
    arrays = text.stack(f"[{len(ports)} x ptr]")
    for k, port in enumerate(ports):
        text.append(f"store ptr {port}, ptr {text.define(f'getelementptr ptr, ptr {arrays}, i64 {k}')}")
    outputs = text.define(f"getelementptr ptr, ptr {arrays}, i64 {len(program.inputs)}")
    text.append(f"call void @{rows}(i64 {WIDTH}, ptr {arrays}, ptr {outputs})")
    text.append("br label %done")
    text.start_block("done")


class _Places(Placement):
    """Location of each value while instructions are emitted one by one; a loaded value stays in its register."""

    kind = VectorKind("pd", "ymm", "vmovapd", _BYTES)

    def __init__(self, code: BlockCode, registers: int) -> None:
        super().__init__()
        self._numbers = code.constants
        uses = uses_of([instruction.values for instruction in code.instructions])
        self._registers = Registers(uses, registers, store=self._store, in_memory=self._numbers)
        for instruction in code.instructions:
            self._do(instruction)

    def _do(self, instruction: Instruction) -> None:
        registers, values = self._registers, instruction.values
        last = registers.read(values)
        self._load_reused(values)
        if instruction.form is Form.FUSED:
            result = self._fused(instruction.name, *values, last=last)
            registers.leave(last)
        else:
            operands = self._operands(instruction)
            registers.leave(last)
            result = -1 if instruction.form is Form.WRITE else registers.take(keep=values)
            self._append(instruction, operands, result)
        registers.leave_slots(last)
        if result >= 0:
            registers.hold(instruction.result, result)

    def _load_reused(self, values: tuple[int, ...]) -> None:
        """Load operands that are used again soon (3)."""
        registers = self._registers
        for value in values:
            if value not in registers.held:
                steps = registers.distance(value)
                if steps < _NEAR_USE if value in self._numbers else registers.free and steps < _FAR_USE:
                    self._in_register(value, keep=values)

    def _operands(self, instruction: Instruction) -> list[str]:
        """The sources of an instruction in the order in which they are written."""
        values = instruction.values
        if instruction.form is Form.READ:
            return [instruction.memory]
        if instruction.form in (Form.ONE, Form.WRITE):
            name = self._half if instruction.half else self._name
            return [name(self._in_register(values[0], keep=values))]
        if instruction.form is Form.JOIN:
            return [instruction.memory, self._name(self._in_register(values[0], keep=values))]
        a, b = values[:2]
        held = self._registers.held
        if instruction.form is Form.EITHER and a not in held and b in held:
            a, b = b, a
        signs = [self._name(self._in_register(value, keep=values)) for value in values[2:]]
        first = self._name(self._in_register(a, keep=values))
        return [*signs, self._place(b), first]

    def _append(self, instruction: Instruction, operands: list[str], result: int) -> None:
        if instruction.immediate is not None:
            operands = [f"${instruction.immediate}", *operands]
        half = instruction.half or (instruction.name == "vextractf128" and instruction.form is Form.ONE)
        made = self._half(result) if half else self._name(result)
        target = instruction.memory if instruction.form is Form.WRITE else made
        self.lines.append(f"{instruction.name} {', '.join([*operands, target])}")

    def _in_register(self, value: int, *, keep: tuple[int, ...]) -> int:
        held = self._registers.held
        if value not in held:
            self._registers.hold(value, self._load(value, keep=keep))
        return held[value]

    def _memory(self, value: int) -> str:
        return self._constant(self._numbers[value]) if value in self._numbers else ""

    def _half(self, register: int) -> str:
        return f"%xmm{register}"
