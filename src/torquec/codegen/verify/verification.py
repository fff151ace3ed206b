"""What verifying a package found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from torquec.codegen.verify.measures import BranchCoverage, InstructionCount


class PlatformStatus(StrEnum):
    """What came of a platform."""

    AGREES = "agrees"
    DIFFERS = "differs"
    FAILED = "failed"
    MISSING = "missing"


@dataclass(frozen=True)
class PlatformResult:
    """What one platform gave: the largest difference from Python, how many numbers differ at all, the self-test."""

    name: str
    status: PlatformStatus
    difference: float | None = None
    different_numbers: int = 0
    numbers: int = 0
    selftest: bool | None = None
    worst: str = ""
    why: str = ""
    instructions: Mapping[str, int] | None = None


@dataclass(frozen=True)
class PackageVerification:
    """What was found. Sizes and stacks are in bytes, by processor; instructions are of one call on this machine."""

    directory: Path
    prefix: str
    real: str
    functions: tuple[str, ...]
    platforms: tuple[PlatformResult, ...]
    coverage: BranchCoverage | None
    stack: Mapping[str, Mapping[str, int]]
    size: Mapping[str, int]
    instructions: Mapping[str, InstructionCount] | None
    missing: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all that could be tried agrees, and something could."""
        tried = [row for row in self.platforms if row.status is not PlatformStatus.MISSING]
        return bool(tried) and all(row.status is PlatformStatus.AGREES for row in tried)
