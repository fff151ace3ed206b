"""The verdict of a run: what the certificate, the motion and the covariance say of the loop."""

from __future__ import annotations

from torquec.report.blocks import Block, Items, Shown, Tone, paragraph
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Statement, computed, proved


def verdict_section(document: FoundDocument, folder: FoundFolder) -> Shown:
    """The step `verdict` of a run: its first sentence is about the proof, the others are statistics."""
    values = document.values
    proven = values["proven"].truth
    claim = proved("the certificate of the model, and the tube around the reference that follows from it")
    likely = computed("linear models along the motion, and the covariance of the identification; no proof")
    first, *others = values["statements"].texts or ("nothing is said",)
    stated = Statement(first, claim if proven else likely)
    blocks: list[Block] = [paragraph(stated, tone=Tone.GOOD if proven else Tone.WARNING)]
    if others:
        blocks.append(Items(tuple(Statement(text, likely) for text in others)))
    return Shown(tuple(blocks))
