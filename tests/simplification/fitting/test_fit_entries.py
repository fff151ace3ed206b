from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from tests.simplification.stanford_table import monomial, stanford, target

from torquec.errors import SpecificationError
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.simplification.fitting.fit_entries import EntryTask, fit_entries

TASKS = [
    EntryTask("H[1,1,3]", "joint1", target("H113"), 0.61),
    EntryTask("g[4]", "joint4", target("G4"), 0.038),
    EntryTask("M[2,3]", "joint2", target("J23"), 0.015),
]


def test_a_process_pool_gives_the_same_in_the_same_order():
    _, box = stanford()
    told = []
    alone = fit_entries(TASKS, box, work=Work(report=told.append))
    noted = [(news.note.split(":")[0], news.done, news.whole) for news in told if news.note]
    assert noted == [("H[1,1,3]", 1, 3), ("g[4]", 2, 3), ("M[2,3]", 3, 3)]
    told.clear()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        spread = fit_entries(TASKS, box, work=Work(executor=pool, report=told.append))
    assert [fit.polynomial for fit in spread] == [fit.polynomial for fit in alone]
    assert [news.note.split(":")[0] for news in told if news.note] == ["H[1,1,3]", "g[4]", "M[2,3]"]
    assert told[-1].share == 1.0


@pytest.mark.parametrize("workers", [0, 1])
def test_an_entry_that_cannot_be_kept_names_itself_its_joint_and_the_smallest_error(workers):
    _, box = stanford()
    bad = EntryTask("H[2,2,3]", "joint2", target("H223"), 0.01, candidates=(monomial("one"), monomial("q3")))
    pattern = r"H\[2,2,3\], held to the tolerance of joint 'joint2'.*0\.0771071"
    if not workers:
        with pytest.raises(SpecificationError, match=pattern):
            fit_entries([*TASKS[1:], bad], box)
        return
    with (
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
        pytest.raises(SpecificationError, match=pattern) as caught,
    ):
        fit_entries([bad, *TASKS], box, work=Work(executor=pool))
    assert "allow at least 0.0771071" in caught.value.remedy


def test_fits_that_have_not_begun_when_time_is_over_are_not_made():
    _, box = stanford()
    work = Work()
    with work.within(Budget(1.0, start=0.0)):
        assert fit_entries(TASKS, box, work=work) == (None, None, None)
