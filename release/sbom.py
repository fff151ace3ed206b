"""The bill of materials: `requirements/torquec.cdx.json`, CycloneDX 1.5, which every wheel carries with it (PEP 770).

    python -m release.sbom

Written here and not by a tool: it says nothing but what `dev.lock`, `pyproject.toml` and the page's `package-lock.json`
say, so the same sources give the same bytes, whatever is installed and whenever it is made (no time, no random number).
It tells what the tools cannot see: three.js, inside the script of the pages. The scope of a component is `required`
(every installation), `optional` (an extra brings it) or `excluded` (a tool of the tests, or esbuild). Hashes of Python
packages are in the lock, a hash for every file.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from typing import Any

from release.lock import LOCK, ROOT, LockedPackage, plain_name, read_lock, requirements

SBOM = ROOT / "requirements" / "torquec.cdx.json"
_NODE_LOCK = ROOT / "src" / "torquec" / "page" / "web" / "package-lock.json"
_OWN_VERSION = re.compile(r'^__version__ = "([^"]+)"$', flags=re.MULTILINE)


def version() -> str:
    """Torquec's own version, from the one place that says it."""
    found = _OWN_VERSION.search((ROOT / "src" / "torquec" / "__init__.py").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def bill_of_materials() -> dict[str, Any]:
    """The document, its components sorted by name and version."""
    rows = read_lock(LOCK)
    required = _reached(rows, requirements())
    optional = _reached(rows, requirements("all"))
    components = [_python_component(row, required, optional) for row in rows]
    components += [_node_component("three", "required"), _node_component("esbuild", "excluded")]
    components.sort(key=lambda one: (one["name"], one["version"]))
    own = f"pkg:pypi/torquec@{version()}"
    direct = {_name_of(requirement) for requirement in requirements("all", "test")} | {"three", "esbuild"}
    needs = {one["bom-ref"]: set[str]() for one in components}
    for row in rows:
        for other in rows:
            if row.name in other.needed_by:
                needs[_reference(row)].add(_reference(other))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": "torquec",
                "version": version(),
                "purl": own,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": components,
        "dependencies": [
            {"ref": own, "dependsOn": sorted(one["bom-ref"] for one in components if one["name"] in direct)},
            *({"ref": name, "dependsOn": sorted(found)} for name, found in sorted(needs.items())),
        ],
    }


def bill_text() -> str:
    """The document as it is written."""
    return json.dumps(bill_of_materials(), indent=1, sort_keys=True) + "\n"


def _reached(rows: list[LockedPackage], wanted: list[str]) -> set[str]:
    """Names of what is installed for these requirements: theirs, and what those need."""
    names = {_name_of(requirement) for requirement in wanted}
    while True:
        more = {row.name for row in rows if names & set(row.needed_by)} - names
        if not more:
            return names
        names |= more


def _name_of(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return plain_name(found[0])


def _reference(row: LockedPackage) -> str:
    return f"pkg:pypi/{row.name}@{row.version}"


def _python_component(row: LockedPackage, required: set[str], optional: set[str]) -> dict[str, Any]:
    scope = "required" if row.name in required else "optional" if row.name in optional else "excluded"
    found = {
        "type": "library",
        "bom-ref": _reference(row),
        "name": row.name,
        "version": row.version,
        "purl": _reference(row),
        "scope": scope,
    }
    return found | ({"properties": [{"name": "torquec:where", "value": row.marker}]} if row.marker else {})


def _node_component(name: str, scope: str) -> dict[str, Any]:
    """A package of the page's script, with the hash that npm checks."""
    row = json.loads(_NODE_LOCK.read_text(encoding="utf-8"))["packages"][f"node_modules/{name}"]
    reference = f"pkg:npm/{name}@{row['version']}"
    digest = base64.b64decode(row["integrity"].removeprefix("sha512-")).hex()
    return {
        "type": "library",
        "bom-ref": reference,
        "name": name,
        "version": row["version"],
        "purl": reference,
        "scope": scope,
        "hashes": [{"alg": "SHA-512", "content": digest}],
        "licenses": [{"license": {"id": row["license"]}}],
    }


def main() -> int:
    """Write the file; gives the exit status."""
    SBOM.write_text(bill_text(), encoding="utf-8")
    print(f"release.sbom: {SBOM.relative_to(ROOT)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
