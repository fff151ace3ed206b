"""Work: the same results in the same order whoever computes, named steps, times that add up, nothing done twice."""

from __future__ import annotations

import multiprocessing
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.patience import HANGS, until

from torquec.errors import ArgumentError, TimeLimitError
from torquec.foundation.budget import Budget, SaidLeft
from torquec.foundation.work import StepReport, Work, as_work, silent, text_report

CALLS = []


def double(x):
    CALLS.append(x)
    return 2 * x


def slow_first(x):
    time.sleep(0.2 if x == 0 else 0.0)
    return double(x)


def odd_fails(x):
    if x % 2:
        time.sleep(0.1 / x)  # the last failure is the first to happen
        raise ValueError(f"no {x}")
    return x


def metered(x, *, meter=silent):
    for k in range(4):
        meter(k, 4.0, f"{x} at {k}")
    return x


def waits_until_seen(seen, *, meter=silent):
    """Half done until somebody has seen that, who makes the file `seen`."""
    meter(1.0, 2.0)
    until(Path(seen).exists, "half of the task was seen")
    return 1


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


@pytest.fixture(params=["serial", "threads"])
def executor(request):
    if request.param == "serial":
        yield None
    else:
        with ThreadPoolExecutor(2) as pool:
            yield pool


def test_results_come_in_the_order_of_the_tasks(executor):
    assert list(Work(executor=executor).map("doubling", slow_first, range(6))) == [0, 2, 4, 6, 8, 10]


def test_without_an_executor_each_task_waits_for_its_turn():
    results = Work().map("doubling", double, [1, 2])
    assert CALLS == []
    assert next(results) == 2
    assert CALLS == [1]


def test_the_first_failure_in_order_is_raised(executor):
    results = Work(executor=executor).map("failing", odd_fails, [0, 1, 2, 3])
    assert next(results) == 0
    with pytest.raises(ValueError, match="no 1"):
        next(results)


class PlacesTasks(ThreadPoolExecutor):
    """As dask: it says how many threads it has, and puts tasks at them at once. Counts what it holds at a time."""

    def __init__(self, threads):
        super().__init__(threads)
        self._client = SimpleNamespace(nthreads=lambda: dict.fromkeys(range(threads), 1))
        self.held = self.most = 0

    def submit(self, function, *arguments, **options):
        self.held += 1
        self.most = max(self.most, self.held)
        future = super().submit(function, *arguments, **options)
        future.add_done_callback(lambda _: setattr(self, "held", self.held - 1))
        return future


def test_where_tasks_are_placed_at_once_each_waits_for_a_worker():
    with PlacesTasks(2) as pool:
        assert list(Work(executor=pool).map("doubling", slow_first, range(7))) == [0, 2, 4, 6, 8, 10, 12]
        assert pool.most == 2
        with pytest.raises(ValueError, match="no 1"):
            list(Work(executor=pool).map("failing", odd_fails, [0, 3, 1, 2][::-1]))
        list(Work(executor=pool).map("doubling", double, range(40)))
        assert pool.most > 2  # so many even out by themselves


def test_what_is_not_asked_for_is_cancelled():
    begin = threading.Event()

    def task(x):
        begin.wait(HANGS)
        return double(x)

    with ThreadPoolExecutor(1) as pool:
        results = Work(executor=pool).map("waiting", lambda x: x if x == 0 else task(x), range(20))
        try:
            assert next(results) == 0
            results.close()
        finally:
            begin.set()
    assert len(CALLS) <= 1


def test_what_is_begun_ahead_is_done_beside_and_once():
    with ThreadPoolExecutor(1) as pool, Work(executor=pool).ahead(double, 21) as asked:
        pool.submit(int).result()  # in a pool of one, what came before it is done by now
        assert CALLS == [21]
        assert asked() == asked() == 42
    assert CALLS == [21]


@pytest.mark.parametrize("limit", [Budget(), Budget.after(60.0)])
def test_nothing_is_begun_ahead_without_an_executor_or_in_a_search_that_is_limited(limit):
    with ThreadPoolExecutor(1) as pool:
        work = Work(executor=pool if limit.is_timed else None)
        with work.within(limit), work.ahead(double, 21) as asked:
            pool.submit(int).result()
            assert CALLS == []
            assert asked() == 42


def test_what_is_begun_ahead_and_not_asked_for_is_cancelled():
    free = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(free.wait, 5.0)
        with pytest.raises(ValueError, match="no"), Work(executor=pool).ahead(double, 21):
            raise ValueError("no")
        free.set()
    assert CALLS == []


def test_a_failure_ahead_is_raised_where_the_result_is_asked_for(executor):
    with Work(executor=executor).ahead(odd_fails, 1) as asked, pytest.raises(ValueError, match="no 1"):
        asked()


# --- kept results ---------------------------------------------------------------------------------------------------


def test_a_result_is_computed_once(executor, tmp_path):
    assert list(Work(executor=executor, keep=tmp_path / "work").map("doubling", double, [1, 2, 3])) == [2, 4, 6]
    assert list(Work(executor=executor, keep=tmp_path / "work").map("doubling", double, [1, 2, 3, 4])) == [2, 4, 6, 8]
    assert sorted(CALLS) == [1, 2, 3, 4]


def test_a_step_is_kept_and_its_meter_is_no_part_of_it(tmp_path):
    told = []
    for _ in range(2):
        work = Work(keep=tmp_path / "work", report=told.append)
        assert work.run("counting", metered, 7, metered=True) == 7
    assert [news.note for news in told if news.note] == [f"7 at {k}" for k in range(4)]


def test_checks_are_done_each_time(tmp_path):
    for _ in range(2):
        assert list(Work(keep=tmp_path / "work").map("doubling", double, [1], kept=False)) == [2]
        assert Work(keep=tmp_path / "work").run("doubling", double, 2, kept=False) == 4
    assert CALLS == [1, 2, 1, 2]
    assert not (tmp_path / "work").exists()


def test_failures_and_what_is_no_value_are_not_kept(executor, tmp_path):
    work = Work(executor=executor, keep=tmp_path / "work")
    with pytest.raises(ValueError, match="no 1"):
        list(work.map("failing", odd_fails, [1]))
    assert list(work.map("asking", callable, [double])) == [True]
    assert not (tmp_path / "work").exists()


# --- reports --------------------------------------------------------------------------------------------------------


def test_a_step_reports_done_of_whole():
    told = []
    results = Work(report=told.append).map(
        "counting", metered, [5, 6], metered=True, note=lambda task, _: f"{task} done"
    )
    assert list(results) == [5, 6]
    assert [(news.note, news.done) for news in told if news.note] == [
        *((f"5 at {k}", k / 4) for k in range(4)),
        ("5 done", 1.0),
        *((f"6 at {k}", 1.0 + k / 4) for k in range(4)),
        ("6 done", 2.0),
    ]
    assert {news.step for news in told} == {"counting"}
    assert told[0].share == 0.0
    assert told[-1].share == 1.0


def test_the_share_comes_from_other_processes_too(tmp_path):
    told, seen = [], tmp_path / "seen"

    def report(news):
        told.append(news)
        if news.done == 0.5:
            seen.touch()

    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        work = Work(executor=pool, report=report)
        assert list(work.map("waiting", waits_until_seen, [str(seen)], metered=True)) == [1]
    assert 0.5 in [news.done for news in told]
    done = [news.done for news in told]
    assert done == sorted(done)


def test_times_add_up(monkeypatch):
    clock = FakeClock()
    monkeypatch.setattr("torquec.foundation.work.time", clock)
    work = Work()
    with work.step("outer"):
        clock.pass_by(2.0)
        with work.step("inner"):
            clock.pass_by(3.0)
        list(work.map("tasks", clock.pass_by, [1.0, 1.0]))
        with work.step("inner"):
            clock.pass_by(0.5)
    assert work.seconds == {"outer": 2.0, "inner": 3.5, "tasks": 2.0}


def test_a_report_says_share_time_left_and_note():
    assert str(StepReport("a", 1.0, 4.0, 10.0, left=SaidLeft(30.0))) == "a (25 %, about 30 s left)"
    assert str(StepReport("a", 3.0, None, 10.0, "b")) == "a: b"
    assert str(StepReport("a", 4.0, 4.0, 10.0)) == "a (100 %)"


class FakeClock:
    """A module `time` whose clocks stand where the test puts them."""

    def __init__(self):
        self.now = 1000.0
        self.perf_counter = self.time = self.monotonic = lambda: self.now

    def pass_by(self, seconds):
        self.now += seconds


def said(monkeypatch, paces, **options):
    """What a step of 100 tasks says after each of them; `paces` are seconds for each task."""
    clock, told = FakeClock(), []
    for module in ("work", "budget"):
        monkeypatch.setattr(f"torquec.foundation.{module}.time", clock)
    work = Work(report=told.append)
    with work.within(Budget.after(options.get("limit"))), work.step("counting", whole=len(paces)) as step:
        for k, pace in enumerate(paces):
            clock.now += pace
            step.show(k + 1.0)
    return [None if news.left is None else str(news.left) for news in told[1:]]


def test_a_step_says_the_time_left_and_counts_down(monkeypatch):
    lines = said(monkeypatch, [1.0] * 100)
    assert lines[:9] == [None] * 9
    assert lines[9:12] == ["about 90 s left", "about 89 s left", "about 88 s left"]
    assert lines[-2:] == ["about 1 s left", None]


def test_a_step_under_a_time_limit_says_what_is_left_of_it(monkeypatch):
    lines = said(monkeypatch, [1.0] * 100, limit=50.0)
    assert lines[0] == "at most 49 s left, its time limit"
    assert lines[20] == "at most 29 s left, its time limit"
    faster = said(monkeypatch, [1.0] * 100, limit=150.0)
    assert [faster[0], faster[50]] == ["at most 149 s left, its time limit", "about 49 s left"]


def test_lines_of_text_are_few():
    lines = []
    report = text_report(lines.append)
    for k in range(100):
        report(StepReport("counting", k, 100.0, 0.0, "half" if k == 50 else ""))
    report(StepReport("more", 0.0, None, 0.0))
    assert lines == ["counting (0 %)", "counting (50 %): half", "more"]


def test_an_executor_and_progress_become_work():
    lines = []
    assert list(as_work(progress=lines.append).map("doubling", double, [1], note=lambda _, y: f"{y}")) == [2]
    assert lines == ["doubling (0 %)", "doubling (100 %): 2"]
    work = Work()
    assert as_work(work) is work
    with pytest.raises(ArgumentError, match="work and executor"):
        as_work(work, progress=lines.append)


def test_every_step_is_seen_when_it_begins_and_when_it_ends():
    seen = []
    work = Work(report=seen.append)
    with work.step("looking"):
        assert [news.step for news in seen] == ["looking"]
    assert seen[-1].share == 1.0
    with work.step("counting", whole=4.0) as step:
        step.show(4.0)
    assert [news.share for news in seen if news.step == "counting"] == [0.0, 1.0]
    with work.step("the rest", shown=False):
        pass
    assert "the rest" not in {news.step for news in seen}
    assert set(work.seconds) == {"looking", "counting", "the rest"}


# --- time limits ----------------------------------------------------------------------------------------------------

OVER = Budget(1.0, start=0.0)


def best_so_far(x, *, meter=silent):
    """A search that gives what it has when its meter stops it."""
    found = x
    try:
        for k in range(1, 4):
            meter(k, 4.0)
            found = x + k
    except TimeLimitError:
        pass
    return found


def test_a_late_search_gives_what_it_has(executor):
    work = Work(executor=executor)
    with work.within(OVER):
        assert list(work.map("late", best_so_far, [10, 20], metered=True)) == [10, 20]
    assert list(work.map("in time", best_so_far, [10, 20], metered=True)) == [13, 23]


def test_what_cannot_be_stopped_is_not_begun_late():
    work = Work()
    with work.within(OVER), pytest.raises(TimeLimitError):
        list(work.map("late", double, [1]))
    with work.within(OVER), pytest.raises(TimeLimitError):
        work.run("late", double, 1)
    assert CALLS == []


def test_a_budget_stands_in_place_of_the_surrounding_one_and_ends_with_its_context():
    work = Work()
    with work.within(OVER):
        with work.within(Budget.after(1000.0).within(work.budget)):
            assert work.budget == OVER
        with work.within(OVER.untimed):
            assert not work.budget.is_timed
        assert work.budget is OVER
    assert not work.budget.is_timed


def test_at_most_as_many_tasks_run_at_a_time_as_the_budget_has_workers():
    running, most = [], []

    def counted(x):
        running.append(x)
        most.append(len(running))
        time.sleep(0.01)
        running.remove(x)
        return x

    with ThreadPoolExecutor(4) as pool:
        work = Work(executor=pool)
        assert work.workers == 4
        with work.within(Budget(workers=1)):
            assert work.workers == 1
            assert list(work.map("one by one", counted, range(6))) == list(range(6))
    assert max(most) == 1


def test_what_was_cut_short_is_not_kept(tmp_path):
    work = Work(keep=tmp_path)
    with work.within(OVER):
        assert work.run("late", best_so_far, 10, metered=True) == 10
    assert Work(keep=tmp_path).run("again", best_so_far, 10, metered=True) == 13
