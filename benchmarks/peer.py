"""Compiled functions of the fastest peer: C that CasADi generated from Pinocchio's algorithms, in ../shared/bench.

Everything is built into a temporary folder with gcc; nothing is written to the project.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared" / "bench"
ROBOTS = ("panda", "ur5", "puma560")
FLAGS = ("-O3", "-march=native")


def require() -> None:
    """Leave with a message where the peer or a compiler is missing."""
    if not SHARED.is_dir():
        sys.exit(f"the peer's sources are not here: {SHARED}")
    if shutil.which("gcc") is None:
        sys.exit("gcc is needed to compile the peer")


def build(source: Path, target: Path, *flags: str) -> ctypes.CDLL:
    """A C file as a loaded shared object."""
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", str(target), str(source), "-lm"], check=True)
    return ctypes.CDLL(str(target))


@dataclass(frozen=True)
class Kernel:
    """A function to time: its address, whether it follows CasADi's convention, its ports."""

    name: str
    address: int
    casadi: bool
    inputs: int
    outputs: int


def address(library: ctypes.CDLL, symbol: str) -> int:
    """The address of an exported symbol."""
    value = ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value
    assert value is not None
    return value


PEER_FUNCTIONS = {
    "inverse_dynamics": (("cs", "cs_rnea"),),
    "mass_matrix": (("cs", "cs_crba"), ("cs2", "cs_crba")),
    "gravity_torque": (("cs", "cs_grav"),),
    "forward_dynamics": (("cs", "cs_aba"), ("cs2", "cs_aba")),
    "inverse_dynamics_derivatives": (("cs", "cs_drnea"), ("cs", "cs_drnea_ad")),
    "regressor": (("cs", "cs_reg"),),
}
"""Quantity -> (file, symbol) of each variant that the peer has."""


GENERATED = {
    "inverse_dynamics": ("cs_rnea",),
    "forward_dynamics": ("cs_aba",),
    "inverse_dynamics_derivatives": ("cs_drnea", "cs_drnea_ad"),
    "forward_dynamics_derivatives": ("cs_daba", "cs_daba_ad"),
}
"""Quantity -> symbols of its variants in what :func:`peer_generator` writes."""


# Limits of Boost's lists and calls: Pinocchio has 25 kinds of joints, and passes up to 8 arguments.
_BOOST = (
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
)


def peer_generator(folder: Path) -> Path:
    """The program that writes the peer's C of any URDF (peer.cpp); its templates take minutes to compile.

    Needs the wheels of pin and casadi, which bring their headers, and those of Eigen and urdfdom.
    """
    import casadi

    wheel = Path(casadi.__file__).parent
    program = folder / "peer"
    words = ["-O0", f"-I{wheel / 'include'}", "-DPINOCCHIO_WITH_URDFDOM", str(Path(__file__).with_name("peer.cpp"))]
    words += ["-o", str(program), "-lpinocchio_default", "-lpinocchio_parsers", "-l:liburdfdom_model.so"]
    _compile_with_pinocchio([*words, f"-L{wheel}", "-lcasadi", f"-Wl,-rpath,{wheel}"])
    return program


def pinocchio_library(folder: Path) -> Path:
    """Pinocchio's own algorithms, compiled for this processor (pinocchio_calls.cpp)."""
    library = folder / "pinocchio_calls.so"
    source = Path(__file__).with_name("pinocchio_calls.cpp")
    _compile_with_pinocchio([*FLAGS, "-DNDEBUG", "-shared", "-fPIC", str(source), "-o", str(library)])
    return library


def _compile_with_pinocchio(words: list[str]) -> None:
    import pinocchio

    prefix = next(path for path in Path(pinocchio.__file__).parents if path.name == "cmeel.prefix")
    given = ["g++", "-std=c++17", "-w", *_BOOST, f"-I{prefix / 'include'}", "-I/usr/include/eigen3"]
    given += [f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", *words]
    if shutil.which("g++") is None or subprocess.run(given, check=False).returncode:
        sys.exit("Pinocchio's headers do not compile: g++, libeigen3-dev and liburdfdom-headers-dev are needed")
