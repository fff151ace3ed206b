"""`torquec simplify`: files, JSON keys, refusals with nothing written."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from torquec.cli.app import app

SPECIFICATION = Path(__file__).resolve().parents[2] / "examples" / "specifications" / "planar2r.toml"


def test_json_keys_and_files(tmp_path):
    arguments = ["simplify", "planar2r", "--spec", str(SPECIFICATION), "-o", str(tmp_path / "out"), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert {"operations", "bounds", "certified", "certificate"} <= set(document)
    assert document["certified"] is True
    assert set(document["bounds"]) == {"joint1", "joint2"}
    assert document["bounds"]["joint1"]["unit"] == "N m"
    assert all(Path(name).is_file() for name in document["files"])


def test_a_missing_specification_writes_nothing(tmp_path):
    arguments = ["simplify", "planar2r", "--spec", str(tmp_path / "none.toml"), "-o", str(tmp_path / "out")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert not (tmp_path / "out").exists()
