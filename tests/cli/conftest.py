"""A runner for commands, and small robots to run them on."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from typer.testing import CliRunner

from torquec.cli.app import app
from torquec.simplification import pipeline
from torquec.simplification.time_plan import time_plan

LINK = """  <link name="{name}"><inertial><mass value="1"/><origin xyz="0 0 0.5"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial></link>
"""

ARM = (
    '<robot name="arm">\n  <link name="base"/>\n'
    + LINK.format(name="upper")
    + LINK.format(name="lower")
    + """  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="1" effort="50"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="1" effort="20"/>
    <dynamics damping="2" friction="0.5"/></joint>
</robot>
"""
)


# click before 8.2 mixes stdout and stderr unless told otherwise; later ones keep them apart, and take no such word.
SEPARATE = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner.__init__).parameters else {}
RUNNER = CliRunner(**SEPARATE)


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def torquec():
    """Run `torquec ARGUMENTS...`; gives status, stdout and stderr."""

    def run(*arguments: object) -> Outcome:
        result = RUNNER.invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture(scope="module")
def short_search():
    """A simplification with a time limit takes what its first strategies find: for tests of what is done with it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pipeline, "time_plan", lambda problem: replace(time_plan(problem), searching=0.0))
        yield


@pytest.fixture
def arm(tmp_path):
    """A two-link arm in the x-z plane, as a URDF file."""
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path
