"""`run_project`: incremental run of a project; a step is repeated only where its inputs have changed.

(1)  the key of a step is a hash of this package's source, the parts of the project that it reads, the input files, and
     the results of the earlier steps that it needs
(2)  a step whose key and files are those of the last run, or of a run that was stopped, is not repeated
(3)  a step writes into `DIR.partial`; finished files stay there when the run is stopped, and the next run resumes from
     them, even inside a step (:mod:`torquec.foundation.result_cache`)
(4)  at the end all files replace those of the last run atomically: the folder always holds the old result or the new
     one. Foreign files in the folder stay.
(5)  a step that the robot or the project makes impossible fails with that reason: the steps that require it are
     skipped, the others are done, and the last step reports it all. The next run tries it again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from torquec.errors import ArgumentError, TorquecError
from torquec.foundation.result_cache import source_identity, to_plain
from torquec.foundation.work import StepReport, Work, as_work
from torquec.foundation.writing import check_output_folder, new_folder, put_file
from torquec.project.chain import STEPS
from torquec.project.manifest import (
    MANIFEST,
    RunManifest,
    StepRecord,
    claimed_partial,
    file_hash,
    forget_partial,
    manifest_of,
    manifest_text,
    read_manifest,
    read_record,
    record_text,
)
from torquec.project.project import Project
from torquec.project.step import RunStep, StepContext, StepResult
from torquec.report.report import PAGE

_FAILURES = (TorquecError, ArithmeticError, np.linalg.LinAlgError, MemoryError, RecursionError)
"""Exceptions that fail a step and not the run (5): stated reasons, and numerical errors of an unusual robot."""


@dataclass(frozen=True)
class RunResult:
    """A finished run: its folder, its manifest, and the names of the steps that this run did."""

    folder: Path
    manifest: RunManifest
    done: tuple[str, ...]

    @property
    def report(self) -> Path | None:
        """The HTML report; None where the run wrote none."""
        path = self.folder / PAGE
        return path if PAGE in self.manifest.files else None


def run_project(
    project: Project, output: Path, *, force: bool = False, work: Work | None = None, steps: Sequence[RunStep] = STEPS
) -> RunResult:
    """Run all steps whose inputs have changed since the last run, and replace their files in the folder `output`.

    A step that fails is in the manifest with its reason (5). Raises `ArgumentError` if another process writes the
    folder or, without `force`, if it holds files that no run wrote; also the errors of the last step. The folder is
    then unchanged.
    """
    check_output_folder(output, force=force or read_manifest(output) is not None)
    with claimed_partial(output) as partial:
        # The manifest is read under the lock: another run may have ended meanwhile.
        run = _Run(project, output, partial, read_manifest(output), as_work(work), tuple(steps))
        try:
            for number in range(len(run.steps)):
                run.do(number)
            manifest = run.manifest()
            _exchanged(run, manifest, force=force)
        except TorquecError:
            if not any((partial / "result").glob("*.json")):
                forget_partial(partial)
            raise
        forget_partial(partial)
    return RunResult(output, manifest, tuple(run.done))


@dataclass
class _Run:
    """A run in progress: the records of its steps so far, and the place of each of their files."""

    project: Project
    output: Path
    partial: Path
    old: RunManifest | None
    work: Work
    steps: tuple[RunStep, ...]
    records: dict[str, StepRecord] = field(default_factory=dict)
    places: dict[str, Path] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)

    def do(self, number: int) -> None:
        """Step number `number`: skipped, found (2), done, or failed (5)."""
        step = self.steps[number]
        if why := step.skipped(self.project) or self._lacking(step):
            self.records[step.name] = StepRecord(step.name, skipped=why)
            return
        key = self._key(step)
        found = self._found(step, key) if step.kept else None
        if found is None:
            try:
                found = self._done(step, key, number)
                if found.is_done:
                    self.done.append(step.name)
            except _FAILURES as error:
                if step.at_top:
                    raise
                found = StepRecord(step.name, failed=_reason(error))
        self.records[step.name] = found

    def _lacking(self, step: RunStep) -> str:
        """Reason why a step that requires others is skipped (5); empty where it can run."""
        missing = [name for name in step.requires if name in self.records and not self.records[name].is_done]
        return "" if not missing else f"it needs what '{missing[0]}' makes, which {_fate(self.records[missing[0]])}"

    def manifest(self) -> RunManifest:
        """The manifest of the run, with its inputs and the steps so far."""
        named = {self.project.source.name: self.project.source, **self.project.files}
        inputs = {name: file_hash(path) for name, path in named.items()}
        return manifest_of(self.project.source.name, inputs, self.project.seed, tuple(self.records.values()))

    def _key(self, step: RunStep) -> str:
        """(1)."""
        needed = {name: self.records[name].content for name in step.needs if name in self.records}
        if step.at_top:
            needed = {name: f"{record.content} {record.said}" for name, record in self.records.items()}
        files = [(path.name, file_hash(path)) for path in step.files(self.project)]
        parts = [source_identity(), step.name, to_plain(step.reads(self.project)), needed, files]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def _found(self, step: RunStep, key: str) -> StepRecord | None:
        """(2): the step's record with this key and all its files, from the last run or from one that was stopped."""
        last = None if self.old is None else self.old.step(step.name)
        stopped = read_record(self.partial / "result" / f"{step.name}.json")
        for record, folder in ((last, self.output / _outer(step, "")), (stopped, self._unfinished(step))):
            if record is None or record.key != key or not record.files or record.failed:
                continue
            places = {name: folder / _inner(step, name) for name in record.files}
            if all(file_hash(places[name]) == digest for name, digest in record.files.items()):
                self.places |= places
                return record
        return None

    def _done(self, step: RunStep, key: str, number: int) -> StepRecord:
        """(3)."""
        folder = self._unfinished(step)
        record_file = self.partial / "result" / f"{step.name}.json"
        record_file.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        began = time.perf_counter()
        inner = Work(
            executor=self.work.executor, report=self._report(step, number), keep=self.partial / "work" / step.name
        )
        with inner.step(step.title):
            fallbacks = {name: record.fallback for name, record in self.records.items()}
            context = StepContext(self.project, folder, self._results(step), inner, self.output, fallbacks)
            said = step.run(context)
        found = said if isinstance(said, StepResult) else StepResult(said)
        made = sorted(path for path in folder.rglob("*") if path.is_file())
        names = {_outer(step, path.relative_to(folder).as_posix()): path for path in made}
        files = {name: file_hash(path) for name, path in names.items()}
        seconds = round(time.perf_counter() - began, 3)
        record = StepRecord(step.name, key, found.summary, "", seconds, files, found.failed, found.fallback)
        put_file(record_file, record_text(record))
        self.places |= names
        return record

    def _unfinished(self, step: RunStep) -> Path:
        return self.partial / "result" / step.name

    def _results(self, step: RunStep) -> dict[str, Path]:
        """Folders of the steps that it needs; for a step that reads all results, one folder with all."""
        if step.at_top:
            root = self.partial / "result" / ".all"
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir(parents=True)
            for name, path in self.places.items():
                _linked(path, root / name)
            (root / MANIFEST).write_text(manifest_text(self.manifest()), encoding="utf-8")
            return {"": root}
        found = {}
        for name in step.needs:
            if name in self.records and self.records[name].files:
                first = next(iter(self.records[name].files))
                found[name] = self.places[first].parents[len(Path(first).parts) - 2]
        return found

    def _report(self, step: RunStep, number: int) -> Any:
        """Progress of a step with its place in the run, and the time that the last run took from here on."""
        later = [other.name for other in self.steps[number + 1 :]]
        known = [record.seconds for record in (self.old.steps if self.old else ()) if record.name in later]
        rest = sum(known)

        def report(news: StepReport) -> None:
            note = news.note
            if rest >= 1.0 and not note and news.step == step.title:
                note = f"then about {rest:.0f} s, as last time"
            name = f"{number + 1} of {len(self.steps)}, {step.name}"
            text = name if news.step == step.title else f"{name}: {news.step}"
            self.work.report(replace(news, step=text, note=note))

        return report


def _reason(error: Exception) -> str:
    """Error and remedy in one line."""
    if not isinstance(error, TorquecError):
        return f"{type(error).__name__}: {error}; please report it with the robot's file"
    return f"{error.found}; {error.remedy}" if error.remedy else error.found


def _fate(record: StepRecord) -> str:
    return "failed" if record.failed else "was not done"


def _outer(step: RunStep, name: str) -> str:
    """Name of a step's file within the folder of the run."""
    return name if step.at_top else f"{step.name}/{name}"


def _inner(step: RunStep, name: str) -> str:
    return name if step.at_top else name.removeprefix(f"{step.name}/")


def _linked(path: Path, target: Path) -> None:
    """A hard link to the file; a copy where the file system has no links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def _exchanged(run: _Run, manifest: RunManifest, *, force: bool) -> None:
    """(4)."""
    left = set() if run.old is None else {*run.old.files, MANIFEST}
    foreign = [name for name in run.places if name not in left and os.path.lexists(run.output / name)]
    if foreign and not force:
        raise ArgumentError(
            "this file exists already, and no run wrote it",
            where=str(run.output / foreign[0]),
            remedy="name another folder, or replace it: --force",
        )
    gone = _still_theirs(run, left - set(run.places) - {MANIFEST})
    with new_folder(run.output, stale=gone, force=True) as scratch:
        for name, path in run.places.items():
            _linked(path, scratch / name)
        (scratch / MANIFEST).write_text(manifest_text(manifest), encoding="utf-8")
    for folder in sorted({(run.output / name).parent for name in gone}, reverse=True):
        with suppress(OSError):
            folder.rmdir()


def _still_theirs(run: _Run, names: Iterable[str]) -> set[str]:
    """Files of the last run that are unchanged since; changed ones stay in the folder."""
    assert run.old is not None or not names
    hashes = {} if run.old is None else {name: h for record in run.old.steps for name, h in record.files.items()}
    return {name for name in names if file_hash(run.output / name) == hashes[name]}
