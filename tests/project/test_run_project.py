"""Runs: only what changed is done again, a stopped run goes on, and a killed one leaves the old result or the new."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from torquec.errors import ArgumentError, CheckError
from torquec.foundation.work import Work
from torquec.project import run_project as engine
from torquec.project.manifest import MANIFEST, file_hash, read_manifest
from torquec.project.read_project import parse_project
from torquec.project.run_project import run_project
from torquec.project.step import RunStep, StepResult

DONE: list[str] = []


def writes(name, text="", *, needs=()):
    """A step that writes what it reads: the seed, and what the steps before it wrote."""

    def run(context):
        DONE.append(name)
        before = "".join((context.results[need] / "out.txt").read_text() for need in needs)
        (context.folder / "inner").mkdir()
        (context.folder / "out.txt").write_text(f"{text}{before}{context.project.seed if name == 'last' else ''}\n")
        (context.folder / "inner" / "more.txt").write_text(name)
        return f"{name} is done"

    return run


def top(context):
    DONE.append("report")
    names = sorted(path.relative_to(context.results[""]).as_posix() for path in context.results[""].rglob("*.txt"))
    (context.folder / "report.html").write_text("\n".join(names))
    return "a page"


def chain(first="a", *, never=""):
    return (
        RunStep("first", "beginning", writes("first", first), reads=lambda _: first),
        RunStep("middle", "going on", writes("middle", "m", needs=("first",)), needs=("first",)),
        RunStep("other", "aside", writes("other", "o"), skipped=lambda _: never),
        RunStep("last", "ending", writes("last", needs=("middle",)), reads=lambda p: p.seed, needs=("middle",)),
        RunStep("report", "reporting", top, at_top=True),
    )


ALL = ["first", "middle", "other", "last", "report"]


def project(folder: Path, seed: int = 0):
    file = folder / "arm.toml"
    file.write_text(f'robot = "planar2r"\nseed = {seed}\n')
    return parse_project(file.read_text(), file)


def done_by(*arguments, **options):
    DONE.clear()
    result = run_project(*arguments, **options)
    assert list(result.done) == DONE
    return DONE.copy()


def state(output: Path) -> dict[str, str]:
    return {p.relative_to(output).as_posix(): file_hash(p) for p in output.rglob("*") if p.is_file()}


def test_a_run_leaves_its_files_and_a_manifest_of_them(tmp_path):
    output = tmp_path / "out"
    assert done_by(project(tmp_path), output, steps=chain()) == ALL
    manifest = read_manifest(output)
    assert set(manifest.files) | {MANIFEST} == set(state(output))
    assert all(file_hash(output / name) == h for step in manifest.steps for name, h in step.files.items())
    assert manifest.inputs == {"arm.toml": file_hash(tmp_path / "arm.toml")}
    assert {"numpy", "python", "llvmlite"} <= set(manifest.versions)
    assert manifest.step("middle").summary == "middle is done"
    assert (output / "report.html").read_text().splitlines()[0] == "first/inner/more.txt"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.toml", "out"]


def test_only_what_changed_is_done_again(tmp_path):
    output = tmp_path / "out"
    run_project(project(tmp_path), output, steps=chain())
    before = state(output)
    assert done_by(project(tmp_path), output, steps=chain()) == []
    assert state(output) == before
    assert done_by(project(tmp_path, seed=3), output, steps=chain()) == ["last", "report"]
    assert (output / "last" / "out.txt").read_text() == "ma\n\n3\n"
    (output / "middle" / "out.txt").write_text("edited")
    assert done_by(project(tmp_path, seed=3), output, steps=chain()) == ["middle"]  # and it wrote the same again
    assert (output / "middle" / "out.txt").read_text() == "ma\n\n"


def test_other_source_code_does_everything_again(tmp_path, monkeypatch):
    output = tmp_path / "out"
    run_project(project(tmp_path), output, steps=chain())
    monkeypatch.setattr(engine, "source_identity", lambda: "another source")
    assert done_by(project(tmp_path), output, steps=chain()) == ALL


def test_an_input_file_counts_by_its_content(tmp_path):
    (tmp_path / "log.csv").write_text("1")
    steps = tuple(
        replace(step, files=lambda _: (tmp_path / "log.csv",)) if step.name == "other" else step for step in chain()
    )
    output = tmp_path / "out"
    run_project(project(tmp_path), output, steps=steps)
    os.utime(tmp_path / "log.csv", (0, 0))
    assert done_by(project(tmp_path), output, steps=steps) == []
    (tmp_path / "log.csv").write_text("2")
    assert done_by(project(tmp_path), output, steps=steps) == ["other"]


def test_files_of_a_step_that_is_gone_go_and_those_of_others_stay(tmp_path):
    output = tmp_path / "out"
    run_project(project(tmp_path), output, steps=chain())
    (output / "notes.txt").write_text("mine")
    (output / "other" / "inner" / "mine.txt").write_text("mine")
    result = run_project(project(tmp_path), output, steps=chain(never="it is not wanted"))
    assert result.manifest.step("other").skipped == "it is not wanted"
    left = {path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()}
    assert {"notes.txt", "other/inner/mine.txt"} <= left
    assert "other/out.txt" not in left


def failing(steps, name, error=None):
    """The chain with a step that writes something and fails."""

    def fails(context):
        (context.folder / "half.txt").write_text("half")
        raise error or CheckError("it does not hold", remedy="hold it")

    return tuple(replace(step, run=fails) if step.name == name else step for step in steps)


def test_a_step_that_fails_is_reported_and_the_others_are_done(tmp_path):
    output = tmp_path / "out"
    steps = tuple(replace(step, requires=step.needs) for step in chain())
    assert done_by(project(tmp_path), output, steps=failing(steps, "middle")) == ["first", "other", "report"]
    manifest = read_manifest(output)
    assert manifest.failed == ("middle",)
    assert manifest.step("middle").said == "failed: it does not hold; hold it"
    assert manifest.step("last").said == "not done: it needs what 'middle' makes, which failed"
    assert not (output / "middle").exists()
    assert "other/out.txt" in (output / "report.html").read_text()
    assert not (tmp_path / "out.partial").exists()
    assert done_by(project(tmp_path), output, steps=steps) == ["middle", "last", "report"]  # tried again
    assert read_manifest(output).failed == ()


@pytest.mark.parametrize("error", [ZeroDivisionError("division by zero"), np.linalg.LinAlgError("Singular matrix")])
def test_what_strange_numbers_do_fails_a_step_and_not_the_run(tmp_path, error):
    result = run_project(project(tmp_path), tmp_path / "out", steps=failing(chain(), "other", error))
    assert result.manifest.failed == ("other",)
    assert str(error) in result.manifest.step("other").said


def test_a_report_that_fails_leaves_the_old_result_and_what_was_finished(tmp_path):
    output = tmp_path / "out"
    run_project(project(tmp_path), output, steps=chain())
    before = state(output)
    with pytest.raises(CheckError):
        run_project(project(tmp_path), output, steps=failing(chain("b"), "report"))
    assert state(output) == before
    assert done_by(project(tmp_path), output, steps=chain("b")) == ["report"]  # goes on where it was


def test_results_can_be_kept_and_not_used_or_be_wrong(tmp_path):
    """A step may say that later ones do without what it left, and one that found a fault leaves its files."""
    seen = {}

    def unused(context):
        (context.folder / "out.txt").write_text("x")
        return StepResult("found", fallback="it is no use")

    def wrong(context):
        seen.update(context.fallbacks)
        (context.folder / "out.txt").write_text("y")
        return StepResult("", failed="two is not three")

    steps = (RunStep("one", "one", unused), RunStep("two", "two", wrong, needs=("one",)), chain()[-1])
    for _ in range(2):
        manifest = run_project(project(tmp_path), tmp_path / "out", steps=steps).manifest
        assert manifest.step("one").fallback == "it is no use"
        assert manifest.step("two").said == "failed: two is not three"
        assert seen.pop("one") == "it is no use"  # the second time, too: what failed is tried again
        assert (tmp_path / "out" / "two" / "out.txt").read_text() == "y"


def test_a_foreign_folder_is_refused_before_the_work(tmp_path):
    output = tmp_path / "out"
    output.mkdir()
    (output / "thesis.tex").write_text("years of work")
    with pytest.raises(ArgumentError, match="not empty"):
        done_by(project(tmp_path), output, steps=chain())
    assert DONE == []
    assert done_by(project(tmp_path), output, steps=chain(), force=True) == ALL
    assert (output / "thesis.tex").read_text() == "years of work"


def test_progress_names_the_step_and_its_place(tmp_path):
    seen = []
    run_project(
        project(tmp_path), tmp_path / "out", steps=chain(), work=Work(report=lambda news: seen.append(str(news)))
    )
    assert any(line.startswith("2 of 5, middle") for line in seen)


def test_a_damaged_manifest_is_no_manifest(tmp_path):
    output = tmp_path / "out"
    run_project(project(tmp_path), output, steps=chain())
    (output / MANIFEST).write_text('{"format": "torquec run 1", "steps": 3}')
    assert read_manifest(output) is None
    with pytest.raises(ArgumentError, match="not empty"):
        run_project(project(tmp_path), output, steps=chain())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process to kill")
@pytest.mark.parametrize("stride", [41, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_at_any_moment_it_leaves_the_old_result_or_the_new_one(tmp_path, stride):
    """Every call to the file system is a moment: the process is killed at the first, the second, and so on."""
    template, output = tmp_path / "template", tmp_path / "work" / "out"
    given = project(tmp_path)
    run_project(given, template, steps=chain("old"))
    old = state(template)
    seen_old, seen_new, moment = 0, 0, 1 - stride
    while True:
        shutil.rmtree(tmp_path / "work", ignore_errors=True)
        shutil.copytree(template, output)
        moment += stride
        child = os.fork()
        if child == 0:
            _killed_at(moment)
            run_project(given, output, steps=chain("new"))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        now = state(output)
        manifest = read_manifest(output)
        assert manifest is not None
        assert {name: now[name] for name in manifest.files} == {
            n: h for s in manifest.steps for n, h in s.files.items()
        }
        assert set(now) == {*manifest.files, MANIFEST}
        if now == old:
            seen_old += 1
        else:
            seen_new += 1
            assert (output / "last" / "out.txt").read_text().startswith("mnew")
        if not os.WIFSIGNALED(status):
            break
        if stride > 1 or moment % 7 == 0:  # whatever was left, the next run ends well
            run_project(given, output, steps=chain("new"))
            assert (output / "last" / "out.txt").read_text().startswith("mnew")
    assert seen_old > 300 / stride
    assert seen_new >= 1 + (stride == 1)  # also after the exchange, while the rest is cleaned up


def _killed_at(moment: int) -> None:
    """From now on, kill this process at that many calls to the file system."""
    left = moment

    def audit(event, _):
        nonlocal left
        if event.startswith(("os.", "shutil.", "open", "tempfile.")):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)
