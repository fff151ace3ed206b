"""x86 assembly for the last part of a scalar kernel, after all sines and atan2, with its own register allocation.

Straight-line code needs few optimizations, yet LLVM compiles it slowly: register allocation takes two thirds of the
time for the derivatives of inverse dynamics. Here allocation is one pass over the steps, in linear time:

(1)  a value is in a register or in memory: inputs and constants where they are, others in a slot on the stack;
(2)  registers are allocated by Belady's rule (:mod:`torquec.codegen.x86.register_allocation`);
(3)  one operand of an instruction may be in memory; it is loaded first if a register is free and the operand is used
     again within `_FAR_USE` steps.

Operations are those of the steps, each rounded as in LLVM's own code: results are bit-identical. LLVM compiles the
groups before this part, passes their results in registers, and assembles the text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from torquec.codegen.llvm_text.arrange import AngleGroup, Item, PointGroup, Write, needs
from torquec.codegen.llvm_text.kernel import MOST_OPERATIONS_IN_ONE, KernelBody, emit_items, kernel_parameters
from torquec.codegen.llvm_text.program import EvaluationStep, Fused, StepOp, StepProgram
from torquec.codegen.llvm_text.text import FunctionText, literal
from torquec.codegen.x86.register_allocation import Placement, Registers, VectorKind, uses_of
from torquec.expr import Op

FEWEST_STEPS = 40
"""Below this number of steps, LLVM is as fast, and it can place the values freely."""

_MOST_POINTERS = 11  # general registers that a function can spare for its arrays
_FAR_USE = 100  # steps until the next use of a value that is worth a register
_SPARE_REGISTERS = 8  # registers that pass no result of a group

_PLAIN: Mapping[StepOp, str] = {Op.ADD: "vaddsd", Op.SUB: "vsubsd", Op.MUL: "vmulsd", Op.DIV: "vdivsd"}
_COMMUTATIVE = (Op.ADD, Op.MUL)
_STORES = {1: ("vmovsd", "xmm"), 2: ("vmovupd", "xmm"), 4: ("vmovupd", "ymm")}  # by the number of doubles
_FUSED = {Fused.ADD: "vfmadd", Fused.SUB: "vfmsub", Fused.NEGATED_ADD: "vfnmadd", Fused.NEGATED_SUB: "vfnmsub"}
_WRITTEN = {*_PLAIN, *_FUSED, Op.NEG}


def emit_assembled(
    module: FunctionText,
    program: StepProgram,
    items: Sequence[Item],
    make_body: Callable[[FunctionText], KernelBody],
    head: str,
    *,
    registers: int,
) -> str:
    """The text of a kernel for a processor with fused operations and `registers` vector registers.

    Empty where the kernel is left to LLVM: if it is small, or if steps other than arithmetic follow the last group.
    `head` is all of its signature before the parameters.
    """
    zeros, items = _zero_runs(program, items)
    last = max((k for k, item in enumerate(items) if isinstance(item, (AngleGroup, PointGroup))), default=-1)
    before, after = items[: last + 1], [item for item in items[last + 1 :] if not _writes_leaf(program, item)]
    steps = [item for item in after if isinstance(item, int)]
    pointers = _pointers(program, [*after, *zeros])
    if (
        len(steps) < FEWEST_STEPS
        or len(before) > MOST_OPERATIONS_IN_ONE
        or len(pointers) > _MOST_POINTERS
        or any(program.steps[step].op not in _WRITTEN for step in steps)
    ):
        return ""
    text = FunctionText(module.fma, declarations=module.declarations)
    body = make_body(text)
    made: dict[int, str] = {}
    emit_items(text, program, body, items=before, read=body.read, defined=made.__setitem__)
    for item in items[last + 1 :]:
        if isinstance(item, Write) and _writes_leaf(program, item):
            body.write(item.output, item.first, [body.read(step) for step in item.steps])
    uses = uses_of([needs(program, item) for item in after])
    given = sorted((step for step in made if step in uses), key=lambda step: uses[step][-1])
    most = max(0, registers - _SPARE_REGISTERS)
    handed, stored = given[:most], given[most:]
    places = _Places(program, uses, handed, stored, registers, pointers)
    for item in after:
        places.do(item)
    places.write_zeros(zeros)
    waiting = text.stack(f"[{max(1, places.slots)} x double]")
    for slot, step in enumerate(stored):
        text.append(f"store double {made[step]}, ptr {text.element_pointer(waiting, slot)}, align 8")
    constants = f"@{head.rpartition('@')[2]}_constants"
    where = {"waiting": waiting, "constants": constants}
    operands = [f"ptr {where.get(pointer, pointer)}" for pointer in pointers]
    operands += [f"double {made[step]}" for step in handed]
    _append_assembly(text, places.lines, operands, handed=len(handed), registers=registers)
    text.append("ret void")
    module.needs_far_sincos |= text.needs_far_sincos
    numbers = ", ".join(f"double {literal(number)}" for number in places.constants)
    table = f"{constants} = internal constant [{len(places.constants)} x double] [{numbers}], align 64\n"
    return table + text.finish(f"{head}({', '.join(kernel_parameters(program))}) noinline #0")


def _append_assembly(text: FunctionText, lines: list[str], operands: list[str], *, handed: int, registers: int) -> None:
    """Append the instructions; `handed` operands are passed in the first registers, which are clobbered."""
    constraints = [f"={{xmm{k}}}" for k in range(handed)]
    constraints += ["r"] * (len(operands) - handed) + [str(k) for k in range(handed)]
    constraints += [f"~{{xmm{k}}}" for k in range(handed, registers)]
    constraints += ["~{memory}", "~{dirflag}", "~{fpsr}", "~{flags}"]
    kinds = ", ".join(["double"] * handed)
    kind = f"{{ {kinds} }}" if handed > 1 else kinds or "void"
    instructions = "\\0A".join(lines)
    text.append(f'call {kind} asm sideeffect "{instructions}", "{",".join(constraints)}"({", ".join(operands)})')


def _zero_runs(program: StepProgram, items: Sequence[Item]) -> tuple[list[Write], list[Item]]:
    """Neighbouring zeros of outputs, each run as one write, and all other items: LLVM is slow at joining stores."""
    runs: list[Write] = []
    others: list[Item] = []
    for item in items:
        if not (isinstance(item, Write) and all(_is_plain_zero(program.steps[step]) for step in item.steps)):
            others.append(item)
        elif runs and (item.output, item.first) == (runs[-1].output, runs[-1].first + len(runs[-1].steps)):
            runs[-1] = Write(item.output, runs[-1].first, runs[-1].steps + item.steps)
        else:
            runs.append(item)
    return runs, others


def _is_plain_zero(step: EvaluationStep) -> bool:
    return step.op is Op.CONST and step.value == 0.0 and math.copysign(1.0, step.value) > 0.0


def _writes_leaf(program: StepProgram, item: Item) -> bool:
    """Whether an item copies a constant or an input: LLVM merges neighbouring copies."""
    return isinstance(item, Write) and all(program.steps[step].is_leaf for step in item.steps)


def _pointers(program: StepProgram, items: Sequence[Item]) -> list[str]:
    """The arrays that instructions read and write."""
    read = {a for item in items for a in needs(program, item) if program.steps[a].op is Op.INPUT}
    inputs = sorted({program.steps[a].port for a in read})
    outputs = sorted({item.output for item in items if isinstance(item, Write)})
    return [*(f"%in{i}" for i in inputs), *(f"%out{i}" for i in outputs), "waiting", "constants"]


class _Places(Placement):
    """Location of each value while items are emitted one by one; a loaded operand is dropped after its instruction."""

    kind = VectorKind("sd", "xmm", "vmovsd", 8)

    def __init__(
        self,
        program: StepProgram,
        uses: dict[int, list[int]],
        handed: list[int],
        stored: list[int],
        registers: int,
        pointers: list[str],
    ) -> None:
        super().__init__()
        self._steps = program.steps
        self._pointer = {name: f"(${len(handed) + k})" for k, name in enumerate(pointers)}
        self._leaf_at = {value: self._leaf(self._steps[value]) for value in uses if self._steps[value].is_leaf}
        self._registers = Registers(
            uses, registers, store=self._store, in_memory=self._leaf_at, held=handed, stored=stored
        )
        self._fresh: list[int] = []  # registers of values that are loaded for this instruction alone

    def do(self, item: Item) -> None:
        """A step, or the writing of one value."""
        if isinstance(item, Write):
            last = self._registers.read(item.steps)
            source = self._in_register(item.steps[0], keep=item.steps)
            self.lines.append(f"vmovsd {self._name(source)}, {8 * item.first}{self._pointer[f'%out{item.output}']}")
            self._leave(fresh_first=True, last=last)
        else:
            assert isinstance(item, int)
            step = self._steps[item]
            last = self._registers.read(step.args)
            self._registers.hold(item, self._compute(step, last=last))
        self._registers.leave_slots(last)

    def write_zeros(self, runs: Sequence[Write]) -> None:
        """Runs of zeros, four at once, after all steps."""
        if runs:
            self.lines.append("vxorpd %xmm0, %xmm0, %xmm0")
        for run in runs:
            at, end = run.first, run.first + len(run.steps)
            while at < end:
                count = min(4, 1 << (end - at).bit_length() - 1)
                store, kind = _STORES[count]
                self.lines.append(f"{store} %{kind}0, {8 * at}{self._pointer[f'%out{run.output}']}")
                at += count

    def _compute(self, step: EvaluationStep, *, last: list[int]) -> int:
        """Append the instructions of a step; gives the register of its result."""
        self._load_reused(step.args)
        if isinstance(step.op, Fused):
            result = self._fused(_FUSED[step.op], *step.args, last=last)
            self._leave(last=last)
            return result
        if step.op is Op.NEG:
            result = self._registers.take(keep=step.args)
            self.lines.append(f"vmovsd {self._constant(-0.0)}, {self._name(result)}")  # the sign alone
            operand = self._in_register(step.args[0], keep=step.args)
            self.lines.append(f"vxorpd {self._name(operand)}, {self._name(result)}, {self._name(result)}")
            self._leave(fresh_first=True, last=last)
            return result
        return self._plain(step.op, *step.args, last=last)

    def _load_reused(self, args: tuple[int, ...]) -> None:
        """Load operands that are used again soon (3)."""
        registers = self._registers
        for value in args:
            if not registers.free:
                return
            near = registers.distance(value) < _FAR_USE
            if near and value not in registers.held and self._steps[value].op is not Op.CONST:
                registers.hold(value, self._load(value))

    def _plain(self, op: StepOp, a: int, b: int, *, last: list[int]) -> int:
        held = self._registers.held
        if a not in held and b in held and op in _COMMUTATIVE:
            a, b = b, a
        first, second = self._in_register(a, keep=(a, b)), self._place(b)
        self._leave(last=last)
        result = self._registers.take()  # may be that of an operand, which is read before
        self.lines.append(f"{_PLAIN[op]} {second}, {self._name(first)}, {self._name(result)}")
        return result

    def _leave(self, *, last: list[int], fresh_first: bool = False) -> None:
        """Free the registers of an instruction; the one that is freed last is taken next."""
        if fresh_first:
            self._registers.free.extend(self._fresh)
        self._registers.leave(last)
        if not fresh_first:
            self._registers.free.extend(self._fresh)
        self._fresh.clear()

    def _in_register(self, value: int, *, keep: tuple[int, ...]) -> int:
        if value in self._registers.held:
            return self._registers.held[value]
        self._fresh.append(self._load(value, keep=keep))
        return self._fresh[-1]

    def _memory(self, value: int) -> str:
        return self._leaf_at.get(value, "")

    def _leaf(self, step: EvaluationStep) -> str:
        if step.op is Op.CONST:
            return self._constant(step.value)
        return f"{8 * step.element}{self._pointer[f'%in{step.port}']}"

    def _array(self, name: str) -> str:
        return self._pointer[name]
