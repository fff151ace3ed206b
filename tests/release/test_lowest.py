"""Lower bounds are versions that were tested, and the tests can be repeated."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from release.lock import plain_name
from release.lowest import EXTRAS, LOWEST, ROOT, TESTS, install_lowest, run_tests

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def stated():
    """The requirements of the core and of the extras that users ask for, but for our own."""
    extras = PROJECT["optional-dependencies"]
    texts = [*PROJECT["dependencies"], *(text for extra in EXTRAS for text in extras[extra])]
    return [Requirement(text) for text in texts]


def test_every_lower_bound_is_the_version_that_was_tested():
    assert {plain_name(wanted.name) for wanted in stated()} == set(LOWEST)
    for wanted in stated():
        bounds = [each.version for each in wanted.specifier if each.operator == ">="]
        assert len(bounds) == 1, wanted
        tested = LOWEST[plain_name(wanted.name)]
        assert Version(bounds[0]) == Version(tested), f"{wanted}: {tested} was tested; run python -m release.lowest"


def test_no_extra_of_users_is_forgotten():
    developers = {"docs", "bench", "test", "all"}  # tools, and collections of the others
    # In environments of their own: tests/codegen/test_jax.py, test_torch.py, tests/realtime/runtime/test_ros2_robot.py.
    live = {"jax", "torch", "ros2"}
    assert set(PROJECT["optional-dependencies"]) == set(EXTRAS) | developers | live | {
        "robots"
    }  # which clones: tested with a stub


def test_what_is_run_exists():
    assert all((ROOT / name).exists() for name in TESTS)


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the versions are of Python 3.11")
def test_the_lowest_versions_work(tmp_path):
    try:
        python = install_lowest(tmp_path / "environment")
    except subprocess.CalledProcessError:
        pytest.skip("no package index can be reached")
    done = run_tests(python)
    assert done.returncode == 0, done.stdout[-5000:]
