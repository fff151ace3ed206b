"""Target processor of native code: name, features, vector width.

One state goes into one lane of a vector register, so the width is what the register holds: 8 doubles with AVX-512, 4
with AVX2, 2 with SSE2 or NEON.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from torquec.errors import CompileError


@dataclass(frozen=True)
class Cpu:
    """A processor as LLVM knows it. `width`: doubles per vector; `fma`: a*b + c is one instruction."""

    triple: str
    name: str
    features: str
    width: int
    fma: bool

    @property
    def identity(self) -> str:
        """Everything that machine code depends on, as one line."""
        return f"{self.triple} {self.name} {self.features} width={self.width} fma={self.fma}"

    @property
    def single_width(self) -> int:
        """Floats per vector."""
        return 2 * self.width

    @property
    def assembled_registers(self) -> int:
        """Vector registers of an x86 processor with fused operations: Torquec writes its instructions; else 0."""
        if not self.triple.startswith("x86_64") or not self.fma:
            return 0
        return 32 if self.width == 8 else 16

    @property
    def assembles_blocks(self) -> bool:
        """Whether Torquec writes the instructions of a batch's blocks: x86 with AVX2 and fused operations."""
        return self.width == 4 and self.assembled_registers == 16


def make_target_machine(cpu: Cpu, *, level: int) -> llvm.TargetMachine:
    """LLVM's code generator for this processor at optimization level 0 to 3.

    Position-independent code in the small model reaches its constants relative to the program counter; the memory
    manager of the loader keeps code and constants of one object together.
    """
    _initialize()
    triple = cpu.triple if "windows" not in cpu.triple else f"{cpu.triple}-elf"  # the loader reads ELF on Windows
    target = llvm.Target.from_triple(triple)
    machine = target.create_target_machine(
        cpu=cpu.name, features=cpu.features, opt=level, reloc="pic", codemodel="small", jit=True
    )
    machine.set_asm_verbosity(False)
    return machine


@cache
def host_cpu() -> Cpu:
    """The processor that this process runs on."""
    _initialize()
    try:
        features = llvm.get_host_cpu_features()
        names, text = {name for name, present in features.items() if present}, features.flatten()
    except RuntimeError:  # LLVM does not know the features on this system: the name alone is used
        names, text = set(), ""
    triple = llvm.get_process_triple()
    return Cpu(triple, llvm.get_host_cpu_name(), text, *_vector_unit(triple, names))


def plain_cpu(width: int) -> Cpu:
    """The plainest processor of the host's family with vectors of that many doubles (for comparisons and tests).

    Raises `CompileError` where the host cannot run its code.
    """
    host = host_cpu()
    if width > host.width or (not host.triple.startswith("x86_64") and width != host.width):
        raise CompileError(
            f"this processor ({host.name}) has no vectors of {width} doubles", remedy=f"use at most {host.width}"
        )
    if not host.triple.startswith("x86_64"):
        return host
    names = {2: "x86-64", 4: "x86-64-v3", 8: "x86-64-v4"}
    return Cpu(host.triple, names[width], "", width, fma=width > 2)


def _vector_unit(triple: str, features: set[str]) -> tuple[int, bool]:
    """(width, fma) of a processor with these features."""
    if not triple.startswith("x86_64"):
        return 2, triple.startswith(("aarch64", "arm64"))
    fma = "fma" in features
    if fma and {"avx512f", "avx512dq", "avx512vl"} <= features:
        return 8, True
    return (4, fma) if "avx2" in features and fma else (2, fma)


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
