"""The bill of materials: true, the same bytes each time, and with what the wheel itself carries."""

from __future__ import annotations

import json
import re

from release.lock import read_lock
from release.sbom import SBOM, bill_of_materials, bill_text, version

from torquec.page.build_bundle import WEB


def test_it_is_up_to_date():
    assert SBOM.read_text(encoding="utf-8") == bill_text(), "run python -m release.sbom"


def test_it_says_nothing_of_time_or_place():
    text = bill_text()
    assert "://" not in text
    assert not re.search(r"timestamp|serialNumber", text)


def test_the_script_of_the_pages_is_in_it():
    (three,) = (one for one in bill_of_materials()["components"] if one["name"] == "three")
    wanted = json.loads((WEB / "package.json").read_text(encoding="utf-8"))["dependencies"]["three"]
    assert three["version"] == wanted
    assert three["scope"] == "required"
    assert three["licenses"] == [{"license": {"id": "MIT"}}]
    assert re.fullmatch(r"[0-9a-f]{128}", three["hashes"][0]["content"])


def test_scopes_tell_what_every_installation_has():
    scopes = {one["name"]: one["scope"] for one in bill_of_materials()["components"]}
    assert {row.name for row in read_lock()} <= scopes.keys()
    assert scopes["numpy"] == scopes["llvmlite"] == scopes["rich"] == "required"  # rich: only through typer
    assert scopes["scipy"] == scopes["mujoco"] == "optional"
    assert scopes["pytest"] == scopes["esbuild"] == "excluded"


def test_every_reference_leads_somewhere():
    bill = bill_of_materials()
    own = bill["metadata"]["component"]["bom-ref"]
    names = {one["bom-ref"] for one in bill["components"]} | {own}
    assert len(names) == len(bill["components"]) + 1
    rows = {row["ref"]: row["dependsOn"] for row in bill["dependencies"]}
    assert rows.keys() == names
    assert all(set(found) <= names for found in rows.values())
    assert own == f"pkg:pypi/torquec@{version()}"
