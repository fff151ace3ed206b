"""`torquec simplify ROBOT --spec SPEC.toml`: the cheapest inverse dynamics that provably meets a specification."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torquec.cli.options import GravityOption, JsonOption, RobotArgument, SnapOption, StrictOption, read_robot
from torquec.cli.output import number, print_json, progress, table

EXAMPLE = "torquec simplify planar2r --spec examples/specifications/planar2r.toml -o planar2r_small"


def simplify(
    robot: RobotArgument,
    spec: Annotated[Path, typer.Option("--spec", metavar="SPEC.toml", help="What the model must achieve.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")],
    check: Annotated[bool, typer.Option(help="Prove the certificate again, with other code.")] = True,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Leave out what a torque error allows, prove it, and write C, the model and the certificate."""
    from torquec.expr import count_operations
    from torquec.model.generate import generate
    from torquec.model.quantities import trace_quantity
    from torquec.model.save import save
    from torquec.model.simplified import simplify as reduce
    from torquec.reduction.proof.certificate import save_certificate
    from torquec.reduction.proof.check_certificate import check_certificate

    arm = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    model = reduce(arm, spec, progress=progress)
    record = model.record
    assert record is not None
    if check:
        progress("proving the certificate again ...")
        check_certificate(arm, record)
    package = generate(model, output, quantities=["inverse_dynamics"])
    save(model, output / f"{arm.name}.tq.json")
    certificate = output / f"{arm.name}.certificate.json"
    save_certificate(record, certificate)
    before = count_operations(trace_quantity(arm, "inverse_dynamics"))
    after = model.operation_count("inverse_dynamics")
    units = {joint.name: "N" if joint.type.is_prismatic else "N m" for joint in arm.joints}
    if json:
        print_json(
            {
                "operations": {
                    "before": {"mul": before.mul, "add": before.add},
                    "after": {"mul": after.mul, "add": after.add},
                },
                "bounds": {n: {"torque": p.bound, "unit": units[n]} for n, p in record.joints.items()},
                "certified": check,
                "certificate": str(certificate),
                "files": [str(path) for path in (*package.files, output / f"{arm.name}.tq.json", certificate)],
            }
        )
        return
    typer.echo(f"operations: {before}  ->  {after}\n")
    rows = [[name, number(proof.bound), number(proof.found), units[name]] for name, proof in record.joints.items()]
    typer.echo(table(["joint", "error at most", "largest found", "unit"], rows))
    typer.echo(f"\nwritten to {output}; the proof is {certificate}" + ("" if check else " (not checked again)"))
