"""What `torquec simplify` made of a robot: as files in a folder, as a JSON document, and as a page on the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from torquec.cli.output import json_text
from torquec.errors import CheckError, RobotError
from torquec.expr import OperationCount
from torquec.model.generate import generate
from torquec.model.model import Model, compile
from torquec.model.quantities import trace_quantity
from torquec.model.save import load_model
from torquec.model.trade_off import TradeOff
from torquec.proof.certificate import Certificate, JointProof, save_certificate
from torquec.proof.coefficient_certificate import CoefficientProof
from torquec.report.simplification_text import change_text, changes_page, equations_page, left_out
from torquec.report.tables import number, table
from torquec.report.trade_off_plot import plot_trade_off, trade_off_csv, trade_off_rows
from torquec.simplification.torque_coefficients import TermChange, TorqueCoefficients, term_changes, torque_coefficients

_SHOWN = 8
"""Entries, and terms, that were left out: so many are named on the screen; the files name all."""


@dataclass(frozen=True)
class Simplification:
    """A simplified model and what belongs to it; `seconds` by step, `checked` whether the proof was checked again."""

    model: Model
    curve: TradeOff | None
    checked: bool
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def record(self) -> Certificate:
        """The certificate."""
        assert self.model.record is not None
        return self.model.record

    @property
    def certificate_name(self) -> str:
        """The file that the proof is in."""
        return f"{self.model.robot.name}.certificate.json"

    @cached_property
    def operations(self) -> tuple[OperationCount, OperationCount]:
        """Of inverse dynamics, before and after: the cheapest exact program against the simplified one."""
        before = compile(self.model.robot).operation_count("inverse_dynamics")
        return before, self.model.operation_count("inverse_dynamics")

    @cached_property
    def coefficients(self) -> tuple[TorqueCoefficients, TorqueCoefficients] | str:
        """The equations before and after, or why they cannot be written down."""
        robot = self.model.robot
        try:
            before = torque_coefficients(robot, trace_quantity(robot, "inverse_dynamics"))
            return before, torque_coefficients(robot, self.model.function("inverse_dynamics"), like=before)
        except RobotError as error:
            return error.found

    @cached_property
    def changes(self) -> list[TermChange]:
        """What changed in the equations, largest torques first."""
        if isinstance(self.coefficients, str):
            return []
        box = self.record.motions
        if not box.velocity:
            # Without limits of speeds and accelerations terms are compared at one of each.
            box = replace(box, velocity=(1.0,) * len(box.lower), acceleration=(1.0,) * len(box.lower))
        return term_changes(*self.coefficients, box)

    @property
    def _proofs(self) -> Mapping[str, JointProof]:
        return self.record.joints

    @property
    def _coefficient_proofs(self) -> Mapping[str, CoefficientProof]:
        return {} if self.record.coefficients is None else self.record.coefficients.coefficients

    # --- files ------------------------------------------------------------------------------------------------------

    def write(self, folder: Path, say: Callable[[str], None]) -> None:
        """All files: C, the model, the certificate, equations, and the trade-off where there is one."""
        name = self.model.robot.name
        files = generate(self.model, folder, quantities=list(self.model.functions)).files
        save_certificate(self.record, folder / self.certificate_name)
        (model_file,) = (path for path in files if path.name.endswith(".tq.json"))
        saved = load_model(model_file).function("inverse_dynamics")
        if saved.content_hash != self.record.program.content_hash:
            raise CheckError("the saved model is not the one that the certificate is about")
        texts = {}
        if isinstance(self.coefficients, str):
            say(f"the equations are not written: {self.coefficients}")
        else:
            before, after = self.coefficients
            texts["equations_before.txt"] = equations_page(f"{name}: equations of motion, exact", before)
            texts["equations_after.txt"] = equations_page(f"{name}: equations of motion, simplified", after)
            texts["equations_changes.txt"] = changes_page(f"{name}: what was left out", before, after, self.changes)
        if self.curve is not None:
            found = {joint: proof.found for joint, proof in self._proofs.items()}
            for suffix in ("png", "svg"):
                plot_trade_off(self.curve, folder / f"trade_off.{suffix}", found=found)
            texts["trade_off.csv"] = trade_off_csv(self.curve)
            texts["trade_off.json"] = json_text({"robot": name, "points": trade_off_rows(self.curve)}) + "\n"
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")

    # --- what is printed --------------------------------------------------------------------------------------------

    def document(self, folder: Path) -> dict[str, Any]:
        """For `--json`; files are named as they lie in the folder."""
        before, after = ({"mul": count.mul, "add": count.add} for count in self.operations)
        document: dict[str, Any] = {
            "operations": {"before": before, "after": after},
            "terms": self._terms(),
            "bounds": {
                joint: {"torque": proof.bound, "found": proof.found, "unit": self._unit(joint)}
                for joint, proof in self._proofs.items()
            },
            "coefficients": {
                coefficient: {
                    "bound": proof.bound,
                    "found": proof.found,
                    "tolerance": proof.tolerance,
                    "kind": str(proof.kind),
                }
                for coefficient, proof in self._coefficient_proofs.items()
            },
            "certified": self.checked,
            "certificate": str(folder / self.certificate_name),
            "seconds": {step: round(seconds, 3) for step, seconds in self.seconds.items()},
        }
        if self.curve is not None:
            document["trade_off"] = {
                "picture": str(folder / "trade_off.png"),
                "points": trade_off_rows(self.curve),
                "missed": {f"{factor:g}": reason for factor, reason in self.curve.missed.items()},
            }
        return document

    def summary(self, folder: Path) -> str:
        """For the screen."""
        before, after = self.operations
        lines = [f"operations: {before}  ->  {after}"]
        terms = self._terms()
        if terms is not None:
            old, new = terms["before"], terms["after"]
            by_matrix = ", ".join(f"{name} {old[name]} -> {new[name]}" for name in old if name != "total")
            lines.append(f"terms:      {old['total']}  ->  {new['total']}  ({by_matrix})")
            lines += ["", *self._left_out()]
        rows = [
            [joint, number(proof.bound, 4), number(proof.found, 4), self._unit(joint)]
            for joint, proof in self._proofs.items()
        ]
        if rows:
            lines += ["", table(["joint", "error at most", "largest found", "unit"], rows)]
        lines += self._coefficient_lines()
        if self.curve is not None:
            rows = [
                [
                    "exact" if point.factor == 0.0 else f"{point.factor:g} x",
                    str(point.operations.mul),
                    str(point.operations.add),
                    number(point.level, 3),
                ]
                for point in self.curve.points
            ]
            lines += ["", table(["error", "mul", "add", "proven, of the stated"], rows)]
            lines += [f"  {factor:g} x: {reason}" for factor, reason in self.curve.missed.items()]
        steps = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in self.seconds.items())
        lines += ["", f"time:       {steps}", f"written to  {folder}"]
        proof = "proven, and proven again with other code" if self.checked else "proven, not checked again"
        lines.append(f"the bounds are {proof}: {folder / self.certificate_name}")
        return "\n".join(lines)

    def _terms(self) -> dict[str, dict[str, int]] | None:
        if isinstance(self.coefficients, str):
            return None
        counts = [side.terms for side in self.coefficients]
        before, after = ({**count, "total": sum(count.values())} for count in counts)
        return {"before": before, "after": after}

    def _left_out(self) -> list[str]:
        """What a reader wants to know first: which entries are gone, and the largest terms among all that are."""
        assert not isinstance(self.coefficients, str)
        gone = left_out(*self.coefficients)
        dropped = [change for change in self.changes if change.dropped]
        if not dropped:
            return ["no term was left out"]
        lines = []
        if gone:
            named = " ".join(gone[:_SHOWN]) + (f" and {len(gone) - _SHOWN} more" if len(gone) > _SHOWN else "")
            lines.append(f"left out entirely: {named}")
        rows = [
            [self.model.robot.joint_names[change.index[0]], change_text(change), number(change.torque, 3)]
            for change in dropped[:_SHOWN]
        ]
        lines += [
            f"largest of {len(dropped)} terms left out (all: equations_changes.txt):",
            table(["joint", "term", "torque at most"], rows, left=2),
        ]
        return lines

    def _coefficient_lines(self) -> list[str]:
        """Proven bounds of coefficients: how many there are, and those that use most of their tolerance."""
        proofs = self._coefficient_proofs
        if not proofs:
            return []

        def used(proof: CoefficientProof) -> float:
            return proof.bound / proof.tolerance if proof.tolerance else proof.bound

        closest = sorted(proofs.items(), key=lambda item: -used(item[1]))[:_SHOWN]
        rows = [
            [
                name,
                number(proof.bound, 4),
                number(proof.found, 4),
                "-" if proof.tolerance is None else number(proof.tolerance, 4),
                str(proof.kind),
            ]
            for name, proof in closest
        ]
        head = ["coefficient", "error at most", "largest found", "allowed", "kind"]
        by_coefficients = self.model.coefficients or self.model
        served = ", ".join(name for name in by_coefficients.functions if name != "inverse_dynamics")
        first = "closest to what is allowed" if closest[0][1].tolerance else "the largest"
        lines = ["", f"errors of {len(proofs)} coefficients are proven; {first}:", table(head, rows)]
        return [*lines, f"served by simplified coefficients: {served}"] if served else lines

    def _unit(self, joint: str) -> str:
        robot = self.model.robot
        return "N" if robot.joints[robot.joint_index(joint)].type.is_prismatic else "N m"
