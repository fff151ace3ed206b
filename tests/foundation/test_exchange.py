"""Two folders trade names."""

from __future__ import annotations

import pytest

from torquec.foundation import exchange as module
from torquec.foundation.exchange import exchange


@pytest.mark.parametrize("has_call", [True, False])
def test_folders_trade_names(tmp_path, monkeypatch, has_call):
    if not has_call:
        monkeypatch.setattr(module, "_system_call", lambda one, other: None)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text(name)
    exchange(tmp_path / "one", tmp_path / "other")
    assert [(tmp_path / name / "a").read_text() for name in ("one", "other")] == ["other", "one"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]


@pytest.mark.parametrize("has_call", [True, False])
def test_what_cannot_be_exchanged_stays(tmp_path, monkeypatch, has_call):
    if not has_call:
        monkeypatch.setattr(module, "_system_call", lambda one, other: None)
    (tmp_path / "other").mkdir()
    with pytest.raises(OSError, match="No such file"):
        exchange(tmp_path / "one", tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]
