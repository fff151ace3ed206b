"""What `simplify` shows on the screen: what is left of operations and terms, what is proven, what is gone."""

from __future__ import annotations

import dataclasses

from torquec.closedform.layouts import Matrix
from torquec.expr import OperationCount
from torquec.report.simplification import SimplifiedFacts, simplify_text
from torquec.simplification.torque_coefficients import TermChange

DOCUMENT = {
    "terms": {"before": {"M": 9, "g": 3, "total": 12}, "after": {"M": 4, "g": 3, "total": 7}},
    "bounds": {"j1": {"torque": 0.5, "found": 0.45, "unit": "N m"}},
    "coefficients": {},
    "precision": "double",
    "certified": True,
    "certificate": "out/arm.certificate.json",
    "seconds": {"pruning": 1.25, "total": 2.0},
}
FACTS = SimplifiedFacts(("j1", "j2"), (OperationCount(20, 10, 0, 2, 0), OperationCount(8, 5, 0, 2, 0)))


def test_before_and_after_and_what_is_proven():
    lines = simplify_text(DOCUMENT, FACTS).splitlines()
    assert lines[0] == "operations: 20 mul, 10 add, 2 sincos  ->  8 mul, 5 add, 2 sincos"
    assert lines[1] == "terms:      12  ->  7  (M 9 -> 4, g 3 -> 3)"
    assert "no term was dropped" in lines
    assert ["j1", "0.5", "0.45", "N", "m"] in [line.split() for line in lines]
    assert lines[-3:] == [
        "time:       pruning 1.2 s, total 2.0 s",
        "written to  out",
        "the bounds are proven, and proven again with independent code: out/arm.certificate.json",
    ]
    unchecked = simplify_text({**DOCUMENT, "certified": False, "terms": None}, FACTS)
    assert "proven, not checked again" in unchecked
    assert "dropped" not in unchecked


def test_what_limited_the_search_is_stated():
    bounds = {
        "j1": {"torque": 0.5, "found": 0.45, "tolerance": 0.51, "unit": "N m"},
        "j2": {"torque": 0.1, "found": 0.05, "tolerance": 1.0, "unit": "N m"},
    }
    lines = simplify_text({**DOCUMENT, "bounds": bounds, "stopped_by_time": True}, FACTS).splitlines()
    assert "used of the allowed errors: 98 % at j1, and least at j2, 10 %" in lines
    stopped = "the time limit ended the search: with more time the model may become smaller"
    assert stopped in lines
    assert stopped not in simplify_text({**DOCUMENT, "bounds": bounds, "stopped_by_time": False}, FACTS)


def test_the_largest_terms_that_are_gone():
    dropped = [
        TermChange(Matrix.M, (k % 2, 0), (), 1.0, 0.0, 10.0 - k)
        for k in range(10)
    ]  # fmt: skip
    entries = [f"M[1,{k}]" for k in range(10)]
    text = simplify_text(DOCUMENT, dataclasses.replace(FACTS, entries=entries, dropped=dropped))
    assert "dropped entirely: M[1,0] M[1,1] M[1,2] M[1,3] M[1,4] M[1,5] M[1,6] M[1,7] and 2 more" in text
    assert "largest of 10 dropped terms" in text
    shown = [line.split()[-1] for line in text.splitlines() if line.split()[:1] in (["j1"], ["j2"])][:8]
    assert shown == [f"{10 - k}" for k in range(8)]


def test_coefficients_that_use_most_of_their_tolerance_stand_first():
    proofs = {
        "M[1,1]": {"bound": 0.1, "found": 0.09, "tolerance": 1.0, "kind": "absolute"},
        "g[2]": {"bound": 0.05, "found": 0.04, "tolerance": 0.06, "kind": "relative"},
    }
    text = simplify_text({**DOCUMENT, "coefficients": proofs}, dataclasses.replace(FACTS, served=["mass_matrix"]))
    assert text.index("g[2]") < text.index("M[1,1]")
    assert "errors of 2 coefficients are proven; closest to their tolerances:" in text
    assert "served by simplified coefficients: mass_matrix" in text
    unstated = {name: {**proof, "tolerance": None} for name, proof in proofs.items()}
    text = simplify_text({**DOCUMENT, "coefficients": unstated}, FACTS)
    assert text.index("M[1,1]") < text.index("g[2]")
    assert "the largest:" in text


def test_the_trade_off_is_a_table():
    points = [{"factor": 0.0, "mul": 20, "add": 10, "level": 0.0}, {"factor": 2.0, "mul": 6, "add": 4, "level": 1.75}]
    trade = {"points": points, "missed": {"0.25": "the error cannot be proven"}}
    rows = [line.split() for line in simplify_text({**DOCUMENT, "trade_off": trade}, FACTS).splitlines()]
    assert ["exact", "20", "10", "0"] in rows
    assert ["2", "x", "6", "4", "1.75"] in rows
    assert ["0.25", "x:", "the", "error", "cannot", "be", "proven"] in rows


def test_bounds_in_single_precision_are_told():
    assert "single precision" not in simplify_text(DOCUMENT, FACTS)
    assert "hold for code in single precision" in simplify_text({**DOCUMENT, "precision": "single"}, FACTS)
