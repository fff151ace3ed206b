"""Result of `torquec simplify`: files in a folder and a JSON document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from torquec.closedform.closed_form import closed_form
from torquec.closedform.equations import Equations
from torquec.closedform.fourier import EXACT
from torquec.closedform.json_form import equations_document
from torquec.closedform.layouts import Entry, Matrix
from torquec.codegen.identifiers import prefix_identifier
from torquec.errors import CheckError, RobotError
from torquec.expr import OperationCount
from torquec.foundation.json_text import finite_json
from torquec.foundation.package_manifest import add_to_package
from torquec.model.generate import generate
from torquec.model.model import Model, compile
from torquec.model.save import load_model
from torquec.model.simplified import TradeOff, compared_coefficients
from torquec.project.step import SIMPLIFICATION
from torquec.proof.torque.certificate import Certificate, JointProof, save_certificate
from torquec.proof.torque.coefficient_certificate import CoefficientProof
from torquec.report.report import PAGE, write_report
from torquec.report.result_document import result_text
from torquec.report.simplification import SimplifiedFacts, simplify_text
from torquec.report.simplified_equations import (
    change_text,
    changes_page,
    equations_page,
    left_out,
    trade_off_csv,
    trade_off_rows,
)
from torquec.simplification.torque_coefficients import TermChange, TorqueCoefficients, term_changes

DOCUMENT = SIMPLIFICATION

_SHOWN_JOINTS = 3
"""Number of joints whose equations the page shows: those near the base have the most terms."""


@dataclass(frozen=True)
class Simplification:
    """A simplified model with its trade-off; `seconds` by step; `checked`: whether the proof was checked again.

    `unused`: why a run continues with the exact model. `stopped`: whether the time limit ended the search.
    """

    model: Model
    curve: TradeOff | None
    checked: bool
    seconds: dict[str, float] = field(default_factory=dict)
    unused: str = ""
    stopped: bool = False

    @property
    def record(self) -> Certificate:
        """The certificate."""
        assert self.model.record is not None
        return self.model.record

    @property
    def certificate_name(self) -> str:
        """Name of the file that contains the proof."""
        return f"{prefix_identifier(self.model.robot.name)}.certificate.json"

    @cached_property
    def operations(self) -> tuple[OperationCount, OperationCount]:
        """Operations of inverse dynamics before and after: the cheapest exact program against the simplified one."""
        before = compile(self.model.robot).operation_count("inverse_dynamics")
        return before, self.model.operation_count("inverse_dynamics")

    @cached_property
    def coefficients(self) -> tuple[TorqueCoefficients, TorqueCoefficients] | str:
        """The equations before and after, or why they cannot be written down."""
        try:
            return compared_coefficients(self.model.robot, self.model.function("inverse_dynamics"))
        except RobotError as error:
            return error.found

    @cached_property
    def changes(self) -> list[TermChange]:
        """Changes of the equations, largest torques first."""
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
        """Write all files: C, the model, the certificate, equations, and the trade-off if there is one."""
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
            texts["equations_changes.txt"] = changes_page(f"{name}: dropped terms", before, after, self.changes)
        if self.curve is not None:
            texts["trade_off.csv"] = trade_off_csv(self.curve)
            texts["trade_off.json"] = finite_json({"robot": name, "points": trade_off_rows(self.curve)}) + "\n"
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")

    def write_page(self, folder: Path, output: Path) -> None:
        """Write the result as a document, and the page of the folder, which will be moved to `output`."""
        self.write_document(folder)
        write_report(folder, folder / PAGE, called=str(output), live=False)
        add_to_package(folder)

    def write_document(self, folder: Path) -> None:
        """Write the result as a document, with further contents of the page but no times: same inputs, same bytes."""
        document = self.document(Path()) | self._details()
        del document["seconds"]
        (folder / DOCUMENT).write_text(result_text("simplify", document, self.model.robot), "utf-8")
        add_to_package(folder)

    def _details(self) -> dict[str, Any]:
        """Further contents of the page: terms that were left out, and some entries before and after."""
        if isinstance(self.coefficients, str):
            return {}
        before, after = self.coefficients
        return {
            "left_out": left_out(before, after),
            "dropped": [
                {"joint": joint, "term": change_text(change), "torque": change.torque, "unit": self._unit(joint)}
                for change in self.changes
                if change.dropped and (joint := before.joints[change.index[0]])
            ],
            "equations": {
                name: equations_document(Equations(closed_form(self.model.robot), EXACT, _chosen(side), ()))
                for name, side in (("before", before), ("after", after))
            },
        }

    # --- what is printed --------------------------------------------------------------------------------------------

    def document(self, folder: Path) -> dict[str, Any]:
        """The document for `--json`, with its files in this folder."""
        before, after = ({"mul": count.mul, "add": count.add} for count in self.operations)
        document: dict[str, Any] = {
            "operations": {"before": before, "after": after},
            "terms": self._terms(),
            "bounds": {
                joint: {
                    "torque": proof.bound,
                    "found": proof.found,
                    "tolerance": proof.tolerance,
                    "unit": self._unit(joint),
                }
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
            "stopped_by_time": self.stopped,
            "precision": self.record.precision.value,
            "certified": self.checked,
            "certificate": str(folder / self.certificate_name),
            "seconds": {step: round(seconds, 3) for step, seconds in self.seconds.items()},
        }
        if self.unused:
            document["unused"] = self.unused
        if self.curve is not None:
            document["trade_off"] = {
                "points": trade_off_rows(self.curve),
                "missed": {f"{factor:g}": reason for factor, reason in self.curve.missed.items()},
            }
        return document

    def summary(self, folder: Path) -> str:
        """Text for the terminal."""
        entries = () if isinstance(self.coefficients, str) else left_out(*self.coefficients)
        by_coefficients = self.model.coefficients or self.model
        facts = SimplifiedFacts(
            self.model.robot.coordinate_names,
            self.operations,
            entries,
            [change for change in self.changes if change.dropped],
            [name for name in by_coefficients.functions if name != "inverse_dynamics"],
        )
        return simplify_text(self.document(folder), facts)

    def _terms(self) -> dict[str, dict[str, int]] | None:
        if isinstance(self.coefficients, str):
            return None
        counts = [side.terms for side in self.coefficients]
        before, after = ({**count, "total": sum(count.values())} for count in counts)
        return {"before": before, "after": after}

    def _unit(self, joint: str) -> str:
        coordinates = self.model.robot.coordinates
        return next(each.effort_unit for each in coordinates if each.name == joint)


def _chosen(side: TorqueCoefficients) -> dict[Matrix, tuple[Entry, ...]]:
    """Equations that fit on a page: the diagonal of M, and gravity, of the first joints."""
    found = side.written()
    return {
        matrix: tuple(
            entry for entry in found if entry.matrix is matrix and max(entry.index) == min(entry.index) < _SHOWN_JOINTS
        )
        for matrix in (Matrix.M, Matrix.G_TORQUE)
    }
