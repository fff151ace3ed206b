import pytest


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """No test touches the user's cache."""
    monkeypatch.delenv("TORQUEC_CACHE", raising=False)
    monkeypatch.setenv("TORQUEC_CACHE_DIR", str(tmp_path / "cache"))
