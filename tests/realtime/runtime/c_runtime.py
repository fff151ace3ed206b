"""Building the C sources of the runtime in tests, whole or with a planted bug."""

from __future__ import annotations

from pathlib import Path

from tests.codegen.c.compiler import COMPILERS, build

from torquec.realtime.runtime.library import runtime_sources

HERE = Path(__file__).parent
STRICT = ("-std=c11", "-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Werror")


def write_sources(folder: Path, *, planted: tuple[str, str, str] | None = None) -> list[Path]:
    """The sources in a folder, one text of one file replaced where a bug is planted; gives the C files."""
    found = []
    for name, text in runtime_sources().items():
        if planted is not None and planted[0] == name:
            assert text.count(planted[1]) == 1, planted[1]
            text = text.replace(planted[1], planted[2])
        (folder / name).write_text(text)
        if name.endswith(".c"):
            found.append(folder / name)
    return found


def built_program(folder: Path, program: str, *flags: str, planted=None, compiler: str = "", only=()) -> Path:
    """A test program of this folder with the runtime."""
    files = [path for path in write_sources(folder, planted=planted) if not only or path.stem in only]
    target = folder / Path(program).stem
    build(
        compiler or COMPILERS[0],
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-D_GNU_SOURCE",
        f"-I{folder}",
        *(flags or ("-O1",)),
        HERE / program,
        *files,
        "-lm",
        "-lrt",
        "-pthread",
        "-o",
        target,
    )
    return target
