"""The lock: it fits pyproject.toml, every file has its hash, and no index is named."""

from __future__ import annotations

import re

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from release.lock import EXTRAS, LOCK, plain_name, read_lock, requirements

PLACES = [
    {"python_version": version, "python_full_version": f"{version}.1", "sys_platform": system, "platform_system": name}
    for version in ("3.11", "3.12", "3.13")
    for system, name in (("linux", "Linux"), ("darwin", "Darwin"), ("win32", "Windows"))
]


def test_every_requirement_is_locked_to_a_version_that_it_allows():
    rows = read_lock()
    for text in requirements(*EXTRAS):
        wanted = Requirement(text)
        for place in PLACES:
            if wanted.marker is not None and not wanted.marker.evaluate(place):
                continue
            found = [
                row
                for row in rows
                if row.name == plain_name(wanted.name) and (not row.marker or Marker(row.marker).evaluate(place))
            ]
            assert len(found) == 1, f"{text} on {place}: {found}; run python -m release.lock"
            assert wanted.specifier.contains(found[0].version), (
                f"{text}: {found[0].version}; run python -m release.lock"
            )


def test_every_package_has_hashes_and_somebody_who_needs_it():
    rows = read_lock()
    names = {row.name for row in rows} | {"torquec"}
    assert len(rows) > 60
    for row in rows:
        assert row.hashes
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in row.hashes), row
        assert row.needed_by, row
        assert set(row.needed_by) <= names, row


def test_no_index_is_named():
    text = LOCK.read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"--(extra-)?index-url|--find-links|--trusted-host", text)


def test_extras_that_refer_to_others_are_followed():
    assert any(row.startswith("clarabel") for row in requirements("all"))
    assert not any(row.startswith("torquec") for row in requirements("all", "test"))


def test_what_is_no_row_is_left_out(tmp_path):
    path = tmp_path / "a.lock"
    path.write_text(
        "# a comment\n"
        "A_b==1.0 ; python_version < '3.12' \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        "    # via torquec (pyproject.toml)\n"
        "c==2\n    # via\n    #   a-b\n    #   torquec (pyproject.toml)\n"
    )
    first, second = read_lock(path)
    assert (first.name, first.version, first.marker) == ("a-b", "1.0", "python_version < '3.12'")
    assert first.hashes == ("sha256:aa", "sha256:bb")
    assert second.needed_by == ("a-b", "torquec")


@pytest.mark.parametrize(("name", "plain"), [("Ruamel.YAML", "ruamel-yaml"), ("mypy_extensions", "mypy-extensions")])
def test_names_are_compared_as_indexes_do(name, plain):
    assert plain_name(name) == plain
