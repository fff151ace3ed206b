"""Equations of motion as MathML, from the documents that `torquec equations` and `torquec simplify` write.

(1)  an entry is one inline formula for its name and one for every term, so that long sums break between terms
(2)  C2 = cos q2, S2 = sin q2, C23 = cos(q2 + q3): the short names of the documents, their indices as subscripts

Names of joints never become markup: a joint is shown by its number, with a table of names beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape

from torquec.report.blocks import Block, DataTable, Equation, Shown
from torquec.report.found_documents import FoundDocument, FoundFolder
from torquec.report.provenance import Provenance, computed, shortened
from torquec.report.stored_values import StoredValue

_MOST_TERMS = 40  # terms of an entry that are shown: about half a screen
_DIGITS = 5  # of a coefficient
_KEY = re.compile(r"([A-Za-z_]{1,10})\[([0-9,]{1,20})\]")
_EXACT = "the exact closed form of the robot's equations of motion"
_SIMPLE = "the closed form of the simplified program"


def equations_section(document: FoundDocument, _folder: FoundFolder) -> Shown:
    """The result of `torquec equations --json`."""
    return Shown(tuple(written_equations(document.values)))


def written_equations(document: StoredValue) -> list[Block]:
    """The entries of a document of `torquec equations`."""
    names = _Names(document)
    blocks: list[Block] = [names.legend()]
    for key, entry in document["entries"].items():
        blocks.append(_equation(key, entry, names, computed(_EXACT)))
    return blocks


def compared_equations(pair: StoredValue) -> list[Block]:
    """Entries `before` and `after`, one below the other; an unchanged entry is shown once."""
    before, after = pair["before"], pair["after"]
    old, new = _Names(before), _Names(after)
    blocks: list[Block] = [old.legend()]
    simple = dict(after["entries"].items())
    for key, entry in before["entries"].items():
        exact = _equation(key, entry, old, computed(_EXACT), "exact")
        left = _equation(
            key, simple.get(key, StoredValue({"terms": []}, pair.file)), new, computed(_SIMPLE), "simplified"
        )
        blocks += [replace(exact, label="unchanged")] if exact.text == left.text else [exact, left]
    return blocks


class _Names:
    """The numbers of joints, and the sums of angles with a name of their own."""

    def __init__(self, document: StoredValue) -> None:
        self.joints = {name: str(k + 1) for k, name in enumerate(document["joints"].texts)}
        self.symbols = set((document.get("symbols") or StoredValue([], document.file)).texts)
        self.angles: dict[str, str] = {}
        for name, parts in document["angles"].items():
            signs = [(self.index(joint), sign.number) for joint, sign in parts.items()]
            wide = any(len(index) > 1 for index, _ in signs)
            text = "".join(
                ("\N{MINUS SIGN}" if sign < 0 else "," if wide and k else "") + index
                for k, (index, sign) in enumerate(signs)
            )
            self.angles[name] = text

    def index(self, name: str) -> str:
        """The subscript of a joint or a sum of angles."""
        return self.joints.get(name) or self.angles.get(name) or "?"

    def legend(self) -> Block:
        """Numbers of the joints."""
        rows = tuple((f"q{index}", name) for name, index in self.joints.items())
        return DataTable(("coordinate", "joint"), rows, "Coordinates; C2 is cos q2, S23 is sin(q2 + q3)", folded=True)


def _equation(key: str, entry: StoredValue, names: _Names, provenance: Provenance, label: str = "") -> Equation:
    terms = list(entry["terms"])
    shown = terms[:_MOST_TERMS]
    markup, words = [f"<math>{_entry_name(key)}<mo>=</mo></math>"], [f"{key} ="]
    for k, term in enumerate(shown):
        sign, body, text = _term(term, names)
        lead = "" if k == 0 and sign == "+" else f'<mo form="{"prefix" if k == 0 else "infix"}">{escape(sign)}</mo>'
        markup.append(f"<math>{lead}{body}</math>")
        words.append(text if k == 0 and sign == "+" else f"{sign} {text}")
    if not terms:
        markup.append("<math><mn>0</mn></math>")
        words.append("0")
    if len(terms) > len(shown):
        more = f"and {len(terms) - len(shown)} more terms"
        markup.append(f"<span>{more}</span>")
        words.append(f"... {more}")
    return Equation(f'<div class="terms">{" ".join(markup)}</div>', " ".join(words), provenance, label)


def _entry_name(key: str) -> str:
    found = _KEY.fullmatch(key)
    if found is None:
        return f"<mtext>{escape(key)}</mtext>"
    return _sub(found.group(1), found.group(2))


def _term(term: StoredValue, names: _Names) -> tuple[str, str, str]:
    """Sign, MathML and text of a term."""
    coefficient = term["coefficient"]
    if isinstance(coefficient.value, dict):
        value, markup, text = _linear(coefficient)
    else:
        value = coefficient.number
        text = shortened(abs(value), _DIGITS)
        markup = _number(text)
    factors = list(_factors(term, names))
    if text == "1" and factors:
        markup, text = "", ""
    pieces = [*([text] if text else []), *(word for _, word in factors)]
    return ("\N{MINUS SIGN}" if value < 0 else "+"), markup + "".join(m for m, _ in factors), " ".join(pieces)


def _linear(coefficient: StoredValue) -> tuple[float, str, str]:
    """A coefficient that is linear in parameters, in brackets."""
    parts = []
    for name, weight in coefficient.items():
        parts.append((weight.number, shortened(abs(weight.number), _DIGITS), name))
    text = " + ".join(f"{'-' if w < 0 else ''}{size} {name}" for w, size, name in parts)
    inner = "".join(
        f"<mo>{'-' if weight < 0 else '+'}</mo>{_number(size)}<mi>{escape(name)}</mi>" for weight, size, name in parts
    )
    return 1.0, f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>", f"({text})"


def _factors(term: StoredValue, names: _Names) -> Iterator[tuple[str, str]]:
    """The factors of a term, as MathML and as text."""
    for name, letters in term["factors"].items():
        if name in names.symbols:  # a component of gravity or of a quaternion: gx, qw7
            power = len(letters.text)
            yield _power(name[0], name[1:], power), name + (f"^{power}" if power > 1 else "")
            continue
        index = names.index(name)
        for letter in dict.fromkeys(letters.text):
            power = letters.text.count(letter)
            yield _power(letter, index, power), f"{letter}{index}" + (f"^{power}" if power > 1 else "")
    if (function := term.get("function")) is not None:
        angle = "+".join(f"{_multiple(k)}q{names.index(j)}" for j, k in term["multiples"].items()).replace("+-", "-")
        word = "sin" if function.text == "sin" else "cos"
        yield f"<mi>{word}</mi><mo>(</mo><mtext>{escape(angle)}</mtext><mo>)</mo>", f"{word}({angle})"
    for key, dots in (("accelerations", "\N{DIAERESIS}"), ("speeds", "\N{DOT ABOVE}")):
        for joint in (term.get(key) or StoredValue([], "")).texts:
            index = names.index(joint)
            moving = f"<mover><mi>q</mi><mo>{dots}</mo></mover>"
            yield f"<msub>{moving}<mn>{index}</mn></msub>", f"q{'dd' if key == 'accelerations' else 'd'}{index}"


def _multiple(value: StoredValue) -> str:
    number = value.number
    return "" if number == 1 else "-" if number == -1 else f"{number}"


def _power(letter: str, index: str, power: int) -> str:
    base = f"<mi>{escape(letter)}</mi>"
    if power == 1:
        return f"<msub>{base}<mn>{escape(index)}</mn></msub>"
    return f"<msubsup>{base}<mn>{escape(index)}</mn><mn>{power}</mn></msubsup>"


def _sub(letter: str, index: str) -> str:
    return f"<msub><mi>{escape(letter)}</mi><mn>{escape(index)}</mn></msub>"


def _number(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return f"<mn>{mantissa}</mn>"
    return f"<mn>{mantissa}</mn><mo>\N{MIDDLE DOT}</mo><msup><mn>10</mn><mn>{int(exponent)}</mn></msup>"
