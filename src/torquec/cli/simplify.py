"""`torquec simplify ROBOT --spec SPEC.toml`: the cheapest dynamics that provably meets a specification.

Everything is written into `DIR.partial` beside the output folder and moved there at the end. Finished steps stay in
`DIR.partial` when the command is stopped, and the same command goes on from there.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import print_json, progress
from torquec.errors import ArgumentError, TorquecError

if TYPE_CHECKING:
    from torquec.cli.simplification import Simplification
    from torquec.robot.robot import Robot

EXAMPLE = "torquec simplify planar2r --spec examples/specifications/planar2r.toml -o planar2r_small"

_FEW_JOINTS = 3
"""Up to this many joints proofs are shorter than starting processes takes."""


def simplify(
    robot: RobotArgument,
    spec: Annotated[Path, typer.Option("--spec", metavar="SPEC.toml", help="What the model must achieve.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")],
    trade_off: Annotated[
        bool, typer.Option("--trade-off", help="Also draw what other errors cost: a quarter to four times the stated.")
    ] = False,
    check: Annotated[bool, typer.Option(help="Prove the certificate again, with other code.")] = True,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes to use.  [default: one per processor]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files in DIR.")] = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Leave out what a specification allows, prove it, and write equations, C, the model and the certificate.

    A command that was stopped goes on where it was when it is given again.
    """
    _check_output(output, force=force)
    arm = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    workers = jobs or (1 if arm.n <= _FEW_JOINTS else os.cpu_count() or 1)
    partial = output.with_name(f"{output.name}.partial")
    try:
        made = _simplified(arm, spec, partial, workers, check=check, trade_off=trade_off)
        files = _move(partial, output)
    except KeyboardInterrupt:
        if partial.exists():
            progress(f"\nstopped; what is done is kept in {partial}: give the same command again to go on")
        raise
    except TorquecError:
        shutil.rmtree(partial, ignore_errors=True)  # the same would happen again
        raise
    if json:
        print_json(made.document(output) | {"files": [str(path) for path in files]})
    else:
        typer.echo(made.summary(output))


def _check_output(output: Path, *, force: bool) -> None:
    """Refuse before the work what could not be written after it."""
    if output.exists() and not output.is_dir():
        raise ArgumentError("this is a file", where=str(output), remedy="name a folder")
    if output.is_dir() and any(output.iterdir()) and not force:
        raise ArgumentError(
            "the folder is not empty", where=str(output), remedy="name another one, or replace its files with --force"
        )
    if not output.name:
        raise ArgumentError("this is no name for a folder", where=str(output), remedy="name a folder that can be made")


def _simplified(
    robot: Robot, spec: Path, partial: Path, workers: int, *, check: bool, trade_off: bool
) -> Simplification:
    """All the work; files are in `partial/result` when it is done."""
    from torquec.cli.simplification import Simplification
    from torquec.cli.worker_pool import worker_pool
    from torquec.foundation.work import Work, text_report
    from torquec.model.simplified import simplify as reduce
    from torquec.model.trade_off import trade_off as curve_of
    from torquec.proof.checker.check_certificate import check_certificate
    from torquec.simplification.specification import load_specification

    stated = load_specification(spec, robot)
    say = _timed(progress)
    result = partial / "result"
    with worker_pool(workers) as pool:
        work = Work(executor=pool, report=text_report(say), keep=partial / "work")
        with work.step("everything else"):
            model = reduce(robot, stated, work=work)
            curve = curve_of(robot, stated, known={1.0: model}, work=work) if trade_off else None
            if check:
                assert model.record is not None
                check_certificate(robot, model.record, work=work)
            made = Simplification(model, curve, check, work.seconds)
            shutil.rmtree(result, ignore_errors=True)
            made.write(result, say)
    work.seconds["total"] = sum(work.seconds.values())
    return made


def _move(partial: Path, output: Path) -> list[Path]:
    """Put the finished files into the output folder, then forget what was kept."""
    result = partial / "result"
    names = sorted(path.name for path in result.iterdir())
    if output.exists():
        for name in names:
            (result / name).replace(output / name)
    else:
        result.replace(output)
    shutil.rmtree(partial, ignore_errors=True)
    return [output / name for name in names]


def _timed(say: Callable[[str], None]) -> Callable[[str], None]:
    """Progress with the seconds since the beginning."""
    start = time.perf_counter()
    return lambda text: say(f"[{time.perf_counter() - start:6.1f} s] {text}")
