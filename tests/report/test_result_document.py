"""Results as documents that say what they are."""

from __future__ import annotations

import json
import math

from torquec.foundation.writing import is_ours
from torquec.report.result_document import result_document, result_text


def test_the_format_comes_first_and_nothing_is_infinite(tmp_path):
    document = result_document("simulate", {"rmse": {"a": math.nan}, "limits": (1.0, math.inf)})
    assert list(document)[:2] == ["format", "command"]
    assert document["rmse"] == {"a": None}
    assert document["limits"] == [1.0, None]
    path = tmp_path / "a.json"
    path.write_text(result_text("simulate", {"rmse": {}}))
    assert json.loads(path.read_text())["command"] == "simulate"
    assert is_ours(path)
