"""Good documents with something wrong in them: mutations that know the structure of XML, JSON, TOML, CSV and npz.

Every mutation is a function of a random generator and of the document, and nothing else: a number names an input.
"""

from __future__ import annotations

import copy
import io
import json
import re
import xml.etree.ElementTree as ET
import zipfile
from random import Random

import numpy as np
from tests.fuzz.nasty import BYTES, JSON, NUMBERS, WORDS

from torquec.foundation.json_text import checksum

_MOST = 4
"""Mutations of one input: one finds most faults, several find what only shows together."""


def _times(rng: Random) -> range:
    return range(rng.choice((1, 1, 1, 2, _MOST)))


def mutated_bytes(rng: Random, data: bytes) -> bytes:
    """Bytes changed anywhere: deleted, doubled, exchanged, put in, cut off."""
    for _ in _times(rng):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 2, 8, 64)))
        put = rng.choice((b"", data[at:end] * 2, rng.randbytes(rng.randint(1, 4)), *rng.sample(BYTES, 3)))
        data = data[:at] if rng.random() < 0.05 else data[:at] + put + data[end:]
    return data


def _value(rng: Random, old: str) -> str:
    """A value in place of another: a number or a word that readers stumble over, or the old one changed a little."""
    choice = rng.random()
    if choice < 0.45:
        return rng.choice(NUMBERS)
    if choice < 0.75:
        return rng.choice(WORDS)
    parts = old.split(" ")
    parts[rng.randrange(len(parts))] = rng.choice((*rng.sample(NUMBERS, 4), *rng.sample(WORDS, 2), ""))
    return " ".join(parts) if choice < 0.95 else old + rng.choice(NUMBERS + WORDS)


def _legal(text: str) -> str:
    """Text that XML can hold; what it cannot hold is what `mutated_bytes` is for."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)


def mutated_xml(rng: Random, text: str) -> bytes:
    """Elements and attributes removed, doubled, moved, renamed, nested, and given other values."""
    if rng.random() < 0.2:
        return mutated_bytes(rng, text.encode())
    root = ET.fromstring(text)
    for _ in _times(rng):
        elements = list(root.iter())
        one, other = rng.choice(elements), rng.choice(elements)
        kind = rng.randrange(10)
        if kind <= 3 and one.attrib:
            name = rng.choice(list(one.attrib))
            one.set(name, _legal(_value(rng, one.attrib[name])))
        elif kind == 4 and one.attrib:
            name = rng.choice(list(one.attrib))
            value = one.attrib.pop(name)
            if rng.random() < 0.5:
                one.set(rng.choice((name + "x", name[:-1] or "y", rng.choice(list(other.attrib or {"z": ""})))), value)
        elif kind == 5 and one is not root:
            parent = next(p for p in elements if one in list(p))
            parent.remove(one)
        elif kind == 6 and one is not root:
            other.append(copy.deepcopy(one))
        elif kind == 7:
            one.tag = rng.choice((other.tag, one.tag + "s", one.tag.upper(), "x", "joint", "body", "link", "include"))
        elif kind == 8 and one.attrib and other.attrib:
            a, b = rng.choice(list(one.attrib)), rng.choice(list(other.attrib))
            one.attrib[a], other.attrib[b] = other.attrib[b], one.attrib[a]
        elif kind == 9:
            if rng.random() < 0.1:
                for _ in range(rng.choice((30, 200))):
                    one = ET.SubElement(one, one.tag, dict(one.attrib))
            else:
                one.text = _legal(_value(rng, one.text or "1"))
    return ET.tostring(root)


_TOML_PIECE = re.compile(r"\"[^\"\n]*\"|[-+0-9.eE]{1,}|\[[^\[\]\n]*\]|[A-Za-z_]+|[=\[\]{}]")


def mutated_toml(rng: Random, text: str) -> bytes:
    """Keys, values, brackets and lines removed, doubled, exchanged."""
    if rng.random() < 0.15:
        return mutated_bytes(rng, text.encode())
    for _ in _times(rng):
        kind = rng.randrange(8)
        if kind <= 4:
            pieces = list(_TOML_PIECE.finditer(text))
            if not pieces:
                break
            piece, other = rng.choice(pieces), rng.choice(pieces)
            word = rng.choice(WORDS)
            put = rng.choice(
                (_value(rng, piece[0]), json.dumps(word), other[0], "", "[]", "{}", "{ a = 1 }", "[[1], [2, 3]]")
            )
            if rng.random() < 0.02:
                put = rng.choice(
                    ("0x" + "f" * 5000, "1979-05-27T07:32:00Z", "07:32:00", "'''a\nb'''", "a." * 200 + "b = 1")
                )
            text = text[: piece.start()] + put + text[piece.end() :]
        else:
            lines = text.split("\n")
            at = rng.randrange(len(lines))
            if kind == 5:
                del lines[at]
            else:
                lines.insert(rng.randrange(len(lines)), lines[at])
            text = "\n".join(lines)
    return text.encode("utf-8", "surrogatepass")


def mutated_csv(rng: Random, text: str) -> bytes:
    """Cells, rows and columns changed, removed, doubled; other separators and line ends."""
    if rng.random() < 0.15:
        return mutated_bytes(rng, text.encode())
    rows = [line.split(",") for line in text.split("\n")]
    separator = ","
    for _ in _times(rng):
        kind = rng.randrange(9)
        row = rng.choice(rows)
        if not row:
            continue
        at = rng.randrange(len(row))
        if kind <= 3:
            row[at] = rng.choice(
                (_value(rng, row[at]), f'"{_value(rng, row[at])}"', rng.choice(rng.choice(rows) or [""]))
            )
        elif kind == 4:
            del row[at]
        elif kind == 5:
            row.insert(at, rng.choice(NUMBERS))
        elif kind == 6:
            rows.insert(rng.randrange(len(rows)), rng.choice(([], [""], list(row), ["#" + row[0]])))
        elif kind == 7:
            for line in rows:
                if at < len(line):
                    line[at : at + 1] = rng.choice(([], [line[at]] * 2, line[at : at + 1][::-1]))
        else:
            separator = rng.choice((",", ";", "\t", " ", "|"))
    if not rows or rng.random() < 0.03:
        rows = rows[:1]
    return "\n".join(separator.join(row) for row in rows).encode("utf-8", "surrogatepass")


def mutated_json(rng: Random, values: dict) -> bytes:
    """Values replaced, fields removed, added, renamed and exchanged; checksums that fit again, most of the time."""
    values = copy.deepcopy(values)
    for _ in _times(rng):
        places = list(_places(values))
        holder, key = rng.choice(places)
        kind = rng.randrange(8)
        if kind <= 3:
            holder[key] = copy.deepcopy(rng.choice(JSON))
        elif kind == 4 and isinstance(holder[key], int | float) and abs(holder[key]) < 1e300:
            holder[key] = rng.choice((-holder[key], holder[key] * 1e10, holder[key] + 1, holder[key] * 2))
        elif kind == 5:
            del holder[key]
        elif kind == 6:
            other, place = rng.choice(places)
            holder[key] = copy.deepcopy(other[place]) if place in other or isinstance(other, list) else None
        elif isinstance(holder, dict):
            holder[rng.choice((f"{key}x", "x", ""))] = holder.pop(key) if rng.random() < 0.5 else 1
        else:
            holder.append(copy.deepcopy(holder[key]))
    if "sha256" in values and rng.random() < 0.9:
        values.pop("sha256", None)
        values["sha256"] = checksum(values)
    text = json.dumps(values)
    return mutated_bytes(rng, text.encode()) if rng.random() < 0.05 else text.encode()


def _places(values):
    """(holder, key) of every value in a document, the document itself left out."""
    waiting = [values]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def mutated_npz(rng: Random, arrays: dict[str, np.ndarray]) -> bytes:
    """Arrays of other shapes and types, archives of other members, and bytes changed anywhere."""
    arrays = dict(arrays)
    for _ in _times(rng):
        name = rng.choice(list(arrays) or ["t"])
        kind = rng.randrange(8)
        values = arrays.get(name, np.zeros(3))
        if kind == 0:
            arrays.pop(name, None)
        elif kind == 1:
            arrays[rng.choice(("x", "tau", "q", "t", "../up", "é", "a/b"))] = values
        elif kind == 2 and values.dtype.kind in "fiub":
            arrays[name] = values.astype(rng.choice(("f4", "i8", "u1", "c16", "S3", "U3", "?", "f2")))
        elif kind == 3:
            shape = rng.choice(((0,), (), (1,), (2, 3), (values.size,), (1, 2, 3), (3, 0)))
            arrays[name] = np.resize(values, shape)
        elif kind == 4 and values.size and values.dtype.kind == "f":
            values = values.copy()
            values.flat[rng.randrange(values.size)] = rng.choice((np.nan, np.inf, -np.inf, 1e308, 1e-320))
            arrays[name] = values
        elif kind == 5:
            arrays[name] = np.flip(values)
        elif kind == 6:
            arrays[name] = np.zeros(3, dtype=[("a", "f8"), ("b", "i4")])
    stream = io.BytesIO()
    if rng.random() < 0.1:
        with zipfile.ZipFile(stream, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
            for name, values in arrays.items():
                content = io.BytesIO()
                np.lib.format.write_array(content, np.asarray(values), allow_pickle=False)
                archive.writestr(f"{name}.npy", mutated_bytes(rng, content.getvalue()))
    else:
        np.savez(stream, **arrays)
    data = stream.getvalue()
    return mutated_bytes(rng, data) if rng.random() < 0.3 else data
