"""The lowest versions of what Torquec needs: installed together in an environment of their own, and tested there.

    python -m release.lowest            # make the environment, run TESTS in it; needs a package index
    python -m release.lowest --all      # the tests of all rooms

`pyproject.toml` states these versions as its lower bounds. Where a lower one was tried, a comment says what failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

LOWEST = {
    "llvmlite": "0.45.0",
    "numpy": "1.26.0",
    "python-flint": "0.7.0",
    "typer": "0.15.4",  # 0.15.3 cannot print the help of a command, 0.12 does not start
    "mujoco": "3.16.0",  # tests of shapes fail with 3.15, of torques with 3.12; 3.6 reads no polynomial damping
    "casadi": "3.6.0",
    "matplotlib": "3.8.0",
    "scipy": "1.12.0",
    "clarabel": "0.9.0",
    "threadpoolctl": "3.1.0",
    "rosbags": "0.11.0",
    "pyarrow": "15.0.0",
    "h5py": "3.10.0",
}
"""The versions with which the tests pass, on Python 3.11: of the core, and of every extra that commands ask for."""

EXTRAS = ("mujoco", "casadi", "plot", "identify", "rosbags", "parquet", "hdf5", "optimize")
"""Those whose packages stand in the table; the others are tools of developers."""

TESTS = (
    "tests/cli/test_app.py",
    "tests/cli/test_info.py",
    "tests/cli/test_generate.py",
    "tests/cli/test_help_tables.py",
    "tests/closedform/test_parametric.py",
    "tests/codegen/test_casadi.py",
    "tests/codegen/llvm/test_callable.py",
    "tests/codegen/llvm/test_trampoline.py",
    "tests/codegen/object/test_module.py",
    "tests/codegen/wasm/test_package.py",
    "tests/identification/estimators",
    "tests/page/test_robot_shapes.py",
    "tests/report/test_comparison.py",
    "tests/report/test_figure.py",
    "tests/robot/test_mjcf.py",
    "tests/robot/test_mjcf_visuals.py",
    "tests/robot/test_write_mjcf.py",
    "tests/simplification/fitting",
    "tests/simulation/test_mujoco_plant.py",
    "tests/trajectory/tables",
)
"""What uses each of the packages."""

_TOOLS = ("pytest", "hypothesis")


def install_lowest(folder: Path) -> Path:
    """Make an environment in `folder` with the lowest versions, which sees this source; gives its Python.

    Raises `CalledProcessError` where they cannot be installed together.
    """
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pinned = [f"{name}=={version}" for name, version in LOWEST.items()]
    subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pinned, *_TOOLS], check=True
    )
    return python


def run_tests(python: Path, tests: tuple[str, ...] = TESTS) -> subprocess.CompletedProcess[str]:
    """The tests in that environment, with a compile cache of its own."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "TORQUEC_CACHE_DIR": cache}
        command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Test the lowest versions that pyproject.toml allows.")
    parser.add_argument("--all", action="store_true", help="the tests of all rooms")
    tests = ("tests",) if parser.parse_args().all else TESTS
    with tempfile.TemporaryDirectory() as folder:
        done = run_tests(install_lowest(Path(folder)), tests)
    print(done.stdout)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
