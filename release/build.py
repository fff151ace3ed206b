"""A release, built twice: wheel, source distribution and bill of materials, the same bytes both times.

    python -m release.build [-o dist]

Needs hatchling (extra `test`) and, where the bundle of the pages is not there yet, Node and the npm registry.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from release.lock import ROOT
from release.sbom import SBOM, bill_text, version


def build(folder: Path) -> list[Path]:
    """Wheel and source distribution of this checkout; raises `CalledProcessError` where one cannot be built."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--target", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.iterdir())


def digests(files: list[Path]) -> dict[str, str]:
    """SHA-256 by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def main() -> int:
    """Build, compare, copy; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist")
    output = parser.parse_args().output
    if SBOM.read_text(encoding="utf-8") != bill_text():
        print("release.build: the bill of materials is old; run python -m release.sbom", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first, second = build(Path(one)), build(Path(two))
        if digests(first) != digests(second):
            print("release.build: two builds differ", file=sys.stderr)
            return 1
        output.mkdir(parents=True, exist_ok=True)
        for path in first:
            shutil.copy(path, output)
    shutil.copy(SBOM, output / f"torquec-{version()}.cdx.json")
    for name, digest in digests(sorted(output.glob(f"torquec-{version()}*"))).items():
        print(f"{digest}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
