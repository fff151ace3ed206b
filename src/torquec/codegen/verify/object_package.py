"""Verifying an object package: it is linked to a program that calls its self-test, which runs here or under qemu."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from torquec.codegen.object.package import OBJECT_FORMAT
from torquec.codegen.object.triple import host_triple
from torquec.codegen.verify.platforms import PLATFORMS, Platform, build_program, run_program
from torquec.codegen.verify.verification import PackageVerification, PlatformResult, PlatformStatus
from torquec.errors import ArgumentError
from torquec.foundation.json_text import parse_json
from torquec.foundation.reading import FileKind, is_folder, read_text


def find_object_document(directory: Path) -> dict[str, Any] | None:
    """The document of the object package in a folder, or None where there is none."""
    if not is_folder(directory):
        return None
    for path in sorted(directory.glob("*.json")):
        text = read_text(path, FileKind.PACKAGE)
        if f'"format": "{OBJECT_FORMAT}"' in text[:200]:
            document = parse_json(text, where=str(path), error=ArgumentError)
            if isinstance(document, dict) and isinstance(document.get("object"), str):
                return document
    return None


def verify_object(directory: Path, document: dict[str, Any]) -> PackageVerification:
    """What is found of an object package. Raises `ArgumentError` where its document is not whole."""
    try:
        prefix = Path(document["object"]).stem
        functions = dict(document["functions"])
        triple, selftest = str(document["triple"]), str(document["selftest"])
        stack = {name: int(row["stack"]) for name, row in functions.items() if row["stack"] is not None}
        size, real = int(document["code_bytes"]), "float" if document["precision"] == "single" else "double"
    except (KeyError, TypeError, ValueError):
        raise ArgumentError(
            "the document of the object is not whole", where=str(directory), remedy="generate the package again"
        ) from None
    platform = _platform_of(triple)
    if platform is None or platform.missing:
        why = "this processor is neither here nor emulated" if platform is None else ", ".join(platform.missing)
        missing = [] if platform is None else platform.missing
        row = PlatformResult(platform.name if platform else triple, PlatformStatus.MISSING, why=why)
    else:
        missing = []
        why = _run_selftest(directory, document["object"], prefix, selftest, platform)
        status = PlatformStatus.FAILED if why else PlatformStatus.AGREES
        row = PlatformResult(platform.name, status, selftest=not why, why=why)
    return PackageVerification(
        directory, prefix, real, tuple(functions), (row,), None, {triple: stack}, {triple: size}, None, tuple(missing)
    )


def _platform_of(triple: str) -> Platform | None:
    """The platform that runs the code of a triple."""
    words = {"thumbv7em-none-eabihf": "Cortex-M7 (qemu)", "aarch64-linux-gnu": "aarch64 (qemu)"}
    plain = triple.replace("-unknown-", "-")
    name = "gcc -O2" if plain == host_triple().replace("-unknown-", "-") else words.get(plain, "")
    return next((platform for platform in PLATFORMS if platform.name == name), None)


def _run_selftest(directory: Path, file: str, prefix: str, selftest: str, platform: Platform) -> str:
    """What went wrong, or an empty text."""
    if "/" in file or "\\" in file or not (directory / file).is_file() or not selftest.isidentifier():
        return f"there is no {file}"
    with tempfile.TemporaryDirectory(prefix="torquec-verify-") as scratch:
        main = Path(scratch) / "main.c"
        main.write_text(f'#include "{prefix}.h"\n\nint main(void)\n{{\n    return {selftest}();\n}}\n')
        include = ("-I", str(directory.resolve()), "-Wl,-z,noexecstack")
        problem = build_program(platform, [main, directory / file], main.with_suffix(".out"), *include)
        if problem:
            return problem
        status = run_program(platform, main.with_suffix(".out")).returncode
        return "" if status == 0 else f"the self-test gives {status}: the number of the first function that differs"
