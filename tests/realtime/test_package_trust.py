"""The two-rate package under other compilers, sanitizers and another processor; what is missing here is skipped."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.codegen.c.compiler import COMPILERS, build, needs_compiler, run
from tests.model.kinds import MODELS

import torquec as tq
import torquec.codegen.verify
from torquec.realtime.package import write_two_rate_package
from torquec.realtime.two_rate import two_rate

M7 = ("arm-none-eabi-gcc", "-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-mthumb")
HERE = Path(torquec.codegen.verify.__file__).parent / "c"


def driver(robot, update, prefix, real="double"):
    """A program that calls every function at many states and prints a hash of the bits of all results."""
    lines = [f'#include "{prefix}.h"', "#include <stdio.h>", "#include <stdlib.h>"]
    lines.append("static unsigned long long seed = 88172645463325252ull, hash = 14695981039346656037ull;")
    lines.append(
        f"static void fill({real} *x, int n) {{ int k; for (k = 0; k < n; ++k) {{ "
        "seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; "
        f"x[k] = ({real})((double)(seed >> 11)*(3.0/9007199254740992.0) - 1.5); }} }}"
    )
    lines.append(
        f"static void fold(const {real} *x, int n) {{ const unsigned char *b = (const unsigned char *)x; size_t k;"
        f" for (k = 0; k < (size_t)n*sizeof({real}); ++k) {{ hash = (hash ^ b[k])*1099511628211ull; }} }}"
    )
    calls = []
    for function in two_rate(robot, update=update).functions.values():
        ports = (*function.inputs, *function.outputs)
        arrays = "".join(f" static {real} a{k}[{port.size}];" for k, port in enumerate(ports))
        given = "".join(f" fill(a{k}, {port.size});" for k, port in enumerate(function.inputs))
        first = len(function.inputs)
        kept = "".join(f" fold(a{first + k}, {port.size});" for k, port in enumerate(function.outputs))
        arguments = ", ".join(f"a{k}" for k in range(len(ports)))
        lines.append(
            f"static void call_{function.name}(void) {{{arrays}{given} {prefix}_{function.name}({arguments});{kept} }}"
        )
        calls.append(f"call_{function.name}();")
    lines.append(
        "int main(int argc, char **argv) { long k, n = argc > 1 ? atol(argv[1]) : 1; for (k = 0; k < n; ++k) { "
        + " ".join(calls)
        + ' } printf("%llx\\n", hash); return 0; }'
    )
    return "\n".join(lines) + "\n"


def written(folder, robot, update=("load",), **options):
    write_two_rate_package(robot, folder, update=update, **options)
    real = "float" if options.get("precision") == "single" else "double"
    (folder / "driver.c").write_text(driver(robot, update, f"{robot.name}_rt", real))
    return [folder / f"{robot.name}_rt.c", folder / "driver.c"]


@needs_compiler
def test_bit_identical_with_every_compiler_at_every_level(tmp_path):
    robot = tq.classics.scara()
    files = written(tmp_path, robot)
    hashes = set()
    for compiler in COMPILERS:
        for level in ("-O0", "-O2", "-O3"):
            build(compiler, "-std=c99", level, "-ffp-contract=off", *files, "-lm", "-o", tmp_path / "driver")
            hashes.add(run(tmp_path / "driver", "200").stdout)
    assert len(hashes) == 1


@needs_compiler
@pytest.mark.parametrize(
    ("name", "precision", "count"),
    [
        ("scara", "double", "2000"),
        pytest.param("puma560", "double", "1000000", marks=pytest.mark.slow),
        pytest.param("panda", "single", "1000000", marks=pytest.mark.slow),
    ],
)
def test_sanitizers_have_nothing_to_say(tmp_path, name, precision, count):
    robot = panda() if name == "panda" else tq.classics.load_classic(name)
    files = written(tmp_path, robot, precision=precision)
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")
    build(COMPILERS[0], "-std=c99", *flags, *files, "-lm", "-o", tmp_path / "driver")
    done = run(tmp_path / "driver", count)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("cppcheck"), reason="cppcheck is not here")
def test_misra_rules_hold_in_the_tasks_but_for_the_listed_deviations(tmp_path):
    """docs/real-time.md lists them; the functions themselves have none (tests/codegen/c/test_source.py)."""
    write_two_rate_package(tq.classics.scara(), tmp_path, update=["load"])
    (tmp_path / "use.c").write_text(
        '#include "scara_rt_tasks.h"\nvoid use(scara_rt_tasks *tasks);\n'
        "void use(scara_rt_tasks *tasks)\n{\n    (void)scara_rt_start(tasks);\n}\n"
    )
    words = ("--addon=misra", "--std=c11", "--enable=style", "--suppress=missingIncludeSystem", tmp_path / "use.c")
    result = run("cppcheck", *words)
    if "misra" not in result.stderr and "addon" in result.stdout + result.stderr:
        pytest.skip("cppcheck has no MISRA addon here")
    lines = [line for line in result.stderr.splitlines() if "tasks.h" in line or "triple_buffer.h" in line]
    found = {rule for line in lines for rule in re.findall(r"misra-c2012-([0-9.]+)", line)}
    assert found <= {"2.5", "10.3", "12.3", "13.4", "15.5"}


def panda():
    """The seven joints of a Panda, its gripper locked."""
    if not (MODELS / "panda.urdf").exists():
        pytest.skip("panda.urdf is not here")
    robot = tq.load(MODELS / "panda.urdf")
    return tq.lock_joints(robot, {name: 0.02 for name in robot.joint_names if "finger" in name})


@pytest.mark.skipif(shutil.which(M7[0]) is None, reason=f"{M7[0]} is not here")
@pytest.mark.parametrize(("order", "most"), [("zeroth", 16384), ("first", 40960)])
def test_a_panda_fits_a_cortex_m7_and_passes_its_self_test_there(tmp_path, order, most):
    package = write_two_rate_package(panda(), tmp_path, precision="single", order=order)
    build(*M7, "-std=c99", "-O2", "-fstack-usage", "-c", tmp_path / "panda_rt.c", "-o", tmp_path / "p.o")
    assert int(run("arm-none-eabi-size", tmp_path / "p.o").stdout.splitlines()[1].split()[0]) <= most
    assert max(map(int, re.findall(r"\t(\d+)\t", (tmp_path / "p.su").read_text()))) <= 2048
    if shutil.which("qemu-system-arm") is None:
        pytest.skip("qemu-system-arm is not here: compiled, not run")
    sources = [tmp_path / "panda_rt.c", tmp_path / "selftest.c", HERE / "start.c"]
    program = tmp_path / "selftest.elf"
    build(*M7, "-O2", "--specs=rdimon.specs", *sources, "-Wl,-T", HERE / "link.ld", "-lm", "-o", program)
    machine = ("-M", "mps2-an500", "-cpu", "cortex-m7", "-nographic", "-monitor", "none", "-serial", "none")
    shown = run("qemu-system-arm", *machine, "-semihosting-config", "enable=on,target=native", "-kernel", program)
    errors = [float(value) for value in re.findall(r"error ([0-9.e+-]+),", shown.stdout + shown.stderr)]
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert len(errors) == len(package.functions)
    assert max(errors) <= 1e-4
