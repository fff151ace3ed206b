"""Target triples and processors of object files.

Any triple that LLVM knows is accepted. The table has the tested ones, each with its default processor; the others
default to LLVM's generic processor.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import llvmlite.binding as llvm

from torquec.errors import ArgumentError, CompileError


@dataclass(frozen=True)
class TripleRow:
    """A tested triple: its description, default processor, and features that the processor's name does not imply."""

    title: str
    cpu: str = ""
    features: str = ""


_RISCV = "+m,+a,+c,+f,+d"

KNOWN_TRIPLES: Mapping[str, TripleRow] = MappingProxyType(
    {
        "thumbv7em-none-eabihf": TripleRow("Cortex-M7, and M4 with --cpu cortex-m4", "cortex-m7"),
        "thumbv8m.main-none-eabihf": TripleRow("Cortex-M33", "cortex-m33"),
        "thumbv6m-none-eabi": TripleRow("Cortex-M0, without floating point", "cortex-m0"),
        "armv7r-none-eabihf": TripleRow("Cortex-R5", "cortex-r5"),
        "armv7-linux-gnueabihf": TripleRow("32-bit ARM, Linux", "cortex-a7"),
        "aarch64-linux-gnu": TripleRow("64-bit ARM, Linux", "cortex-a53"),
        "aarch64-none-elf": TripleRow("64-bit ARM without an operating system", "cortex-a53"),
        "arm64-apple-darwin": TripleRow("Mac with Apple's processor", "apple-m1"),
        "riscv32-unknown-elf": TripleRow("32-bit RISC-V with F and D", "generic-rv32", _RISCV),
        "riscv64-unknown-elf": TripleRow("64-bit RISC-V", "generic-rv64", _RISCV),
        "riscv64-linux-gnu": TripleRow("64-bit RISC-V, Linux", "generic-rv64", _RISCV),
        "x86_64-linux-gnu": TripleRow("PC, Linux", "x86-64"),
        "x86_64-pc-windows-msvc": TripleRow("PC, Windows", "x86-64"),
        "x86_64-apple-darwin": TripleRow("Mac with Intel's processor", "x86-64"),
    }
)
"""Tested triples; docs/generated-c.md describes the tests."""

_RISCV_ABI = {"riscv32": "ilp32d", "riscv64": "lp64d"}
_FAMILIES = {"aarch64": ("aarch64", "arm64"), "arm": ("arm", "thumb"), "riscv": ("riscv",), "x86": ("x86", "i")}
_UNKNOWN = "is not a recognized processor"


@dataclass(frozen=True)
class MachineTarget:
    """Target of an object file: triple, processor and features."""

    triple: str
    cpu: str
    features: str = ""

    @property
    def family(self) -> str:
        """Instruction set family: aarch64, arm, riscv, x86, or the first word of the triple."""
        word = self.triple.split("-", 1)[0]
        return next((name for name, beginnings in _FAMILIES.items() if word.startswith(beginnings)), word)

    @property
    def full_triple(self) -> str:
        """The triple with its vendor: without one, LLVM would read the operating system as the vendor.

        >>> MachineTarget("thumbv7em-none-eabihf", "").full_triple
        'thumbv7em-unknown-none-eabihf'
        """
        words = self.triple.split("-")
        left_out = len(words) == 3 and words[1] in ("none", "linux", "windows")
        return "-".join([words[0], "unknown", *words[1:]]) if left_out else self.triple

    @property
    def inner_convention(self) -> str:
        """How LLVM passes numbers between functions of one object: in registers of the floating-point unit."""
        return "arm_aapcs_vfpcc" if self.family == "arm" and self.triple.endswith("hf") else "fastcc"

    @property
    def suffix(self) -> str:
        """How the object's file name ends."""
        return ".obj" if "windows" in self.triple else ".o"


def machine_target(triple: str, cpu: str | None = None) -> MachineTarget:
    """The target of a triple; `cpu` is a processor as LLVM (and gcc's -mcpu or -march) names it.

    Raises `ArgumentError` for a triple or a processor that LLVM does not know; the message lists known ones.

    >>> machine_target("thumbv7em-none-eabihf").cpu
    'cortex-m7'
    """
    initialize_targets()
    try:
        llvm.Target.from_triple(triple)
    except RuntimeError:
        known = "; ".join(f"{name} ({row.title})" for name, row in KNOWN_TRIPLES.items())
        raise ArgumentError(f"LLVM does not know the triple '{triple}'", remedy=f"these were tried: {known}") from None
    row = known_row(triple) or TripleRow(triple)
    if cpu is not None:
        _check_cpu(triple, cpu)
    return MachineTarget(triple, row.cpu if cpu is None else cpu, row.features)


def known_row(triple: str) -> TripleRow | None:
    """The row of a triple, with or without a vendor, or None."""
    return KNOWN_TRIPLES.get(triple) or KNOWN_TRIPLES.get(triple.replace("-unknown-", "-"))


def llvm_version() -> str:
    """The LLVM that makes objects: another one may choose other instructions for the same operations."""
    return ".".join(map(str, llvm.llvm_version_info))


def host_triple() -> str:
    """The triple of the host."""
    return str(llvm.get_default_triple())


def code_generator(target: MachineTarget) -> llvm.TargetMachine:
    """LLVM's code generator for a target. Raises `CompileError` where it has none."""
    initialize_targets()
    abi = _RISCV_ABI.get(target.triple.split("-", 1)[0], "") if "+d" in target.features else ""
    # Bare metal: static code. With an operating system: position-independent, for shared libraries.
    hosted = any(word in target.triple for word in ("linux", "windows", "darwin", "bsd", "android"))
    try:
        machine = llvm.Target.from_triple(target.full_triple).create_target_machine(
            cpu=target.cpu,
            features=target.features,
            opt=2,
            reloc="pic" if hosted else "static",
            codemodel="default",
            abiname=abi,
        )
    except RuntimeError as error:
        raise CompileError(
            f"LLVM writes no code for '{target.triple}': {error}", remedy="choose another triple"
        ) from error
    machine.set_asm_verbosity(False)
    return machine


@cache
def initialize_targets() -> None:
    """Initialize all LLVM targets."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _check_cpu(triple: str, cpu: str) -> None:
    """Refuse a processor that LLVM does not know: LLVM would use another one and only print a line to stderr."""
    if _UNKNOWN in _llvm_messages(triple, cpu):
        known = re.findall(r"^  (\S+) +- Select", _llvm_messages(triple, "help"), re.MULTILINE)
        near = [name for name in known if name.split("-")[0] == cpu.split("-", maxsplit=1)[0]] or known
        raise ArgumentError(
            f"LLVM does not know the processor '{cpu}' for '{triple}'", remedy=f"it knows: {', '.join(near)}"
        )


def _llvm_messages(triple: str, cpu: str) -> str:
    """LLVM's message about a processor, from a child process: LLVM prints it to the process's stderr."""
    program = (
        "import sys, llvmlite.binding as b; b.initialize_all_targets(); b.initialize_all_asmprinters(); "
        "b.Target.from_triple(sys.argv[1]).create_target_machine(cpu=sys.argv[2])"
    )
    asked = subprocess.run(  # noqa: S603 - our own program, arguments as a list
        [sys.executable, "-c", program, triple, cpu], capture_output=True, text=True, check=False, timeout=60
    )
    return asked.stdout + asked.stderr
