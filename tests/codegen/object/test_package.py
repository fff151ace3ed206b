"""The object package: its files, and its self-test on other processors."""

import json
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from tests.codegen.c.compiler import build, run
from tests.codegen.object.machines import run_selftest_without_library
from tests.codegen.programs import every_operation
from tests.patience import HANGS

import torquec as tq
import torquec.codegen.verify
from torquec.codegen.precision import Precision
from torquec.codegen.target import Target, generate_package
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.realtime.package import write_two_rate_package

write_object_package = partial(generate_package, target=Target.OBJECT)

M7 = ("arm-none-eabi-gcc", "-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16", "-mthumb")
QEMU_M7 = ("qemu-system-arm", "-M", "mps2-an500", "-cpu", "cortex-m7", "-nographic", "-monitor", "none", "-serial",
           "none", "-semihosting-config", "enable=on,target=native", "-kernel")  # fmt: skip
HERE = Path(torquec.codegen.verify.__file__).parent / "c"


def test_object_header_and_document_belong_together(tmp_path):
    files = write_object_package(
        [every_operation()], tmp_path, prefix="my arm", triple="aarch64-linux-gnu", precision=Precision.SINGLE
    )
    assert [file.name for file in files] == ["my_arm.o", "my_arm.h", "my_arm.json"]
    header, document = files[1].read_text(), json.loads(files[2].read_text())
    assert "double" not in header.replace("doubles", "")
    assert f"Stack: {document['functions']['my_arm_every_operation']['stack']} bytes" in header
    assert "int my_arm_selftest(void);" in header
    assert "needs nothing from outside" in header
    before = files[0].read_bytes()
    write_object_package([every_operation()], tmp_path, prefix="my arm", triple="aarch64-linux-gnu",
                         precision=Precision.SINGLE)  # fmt: skip
    assert files[0].read_bytes() == before


def test_an_object_of_somebody_else_is_not_replaced(tmp_path):
    (tmp_path / "p.o").write_bytes(b"\x7fELF" + bytes(5000))
    with pytest.raises(ArgumentError, match="no package of this folder has it"):
        write_object_package([every_operation()], tmp_path, prefix="p", triple="aarch64-linux-gnu")


def test_no_function_and_no_clash(tmp_path):
    with pytest.raises(ArgumentError, match="no function"):
        write_object_package([], tmp_path, prefix="p")
    named = trace("selftest", lambda x: {"y": [x[0]]}, {"x": (1,)})
    header = write_object_package([named], tmp_path, prefix="p")[1].read_text()
    assert "int p_selftest_(void);" in header


@pytest.mark.parametrize("triple", ["aarch64-linux-gnu", "riscv64-linux-gnu"])
@pytest.mark.parametrize("precision", Precision)
def test_the_self_test_passes_on_another_processor_without_any_library(tmp_path, triple, precision):
    write_object_package([every_operation()], tmp_path, prefix="p", triple=triple, precision=precision)
    assert run_selftest_without_library(tmp_path, "p", triple) == 0


@pytest.mark.skipif(shutil.which(M7[0]) is None, reason=f"{M7[0]} is not here: only its start-up code is compiled")
@pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not here")
@pytest.mark.parametrize("cpu", ["cortex-m7", pytest.param("cortex-m4", marks=pytest.mark.slow)])
def test_a_two_rate_object_runs_on_a_cortex_m7(tmp_path, cpu):
    package = write_two_rate_package(
        tq.classics.scara(), tmp_path, precision="single", triple="thumbv7em-none-eabihf", cpu=cpu
    )
    names = {file.name for file in package.files}
    assert names == {"scara_rt.o", "scara_rt.h", "scara_rt.json", "scara_rt_tasks.h", "triple_buffer.h",
                     "example_posix.c", "example_bare_metal.c"}  # fmt: skip
    (tmp_path / "main.c").write_text('#include "scara_rt.h"\nint main(void) { return scara_rt_selftest(); }\n')
    sources = [tmp_path / "main.c", tmp_path / "scara_rt.o", HERE / "start.c"]
    flags = ("-O2", "--specs=rdimon.specs", "-Wl,-z,noexecstack", "-Wl,-T", HERE / "link.ld")
    build(*M7, *flags, *sources, "-o", tmp_path / "m.elf")
    assert subprocess.run([*QEMU_M7, tmp_path / "m.elf"], check=False, timeout=HANGS).returncode == 0
    listed = run("arm-none-eabi-objdump", "-d", tmp_path / "scara_rt.o").stdout
    assert not re.search(r"v(?!mov|ldr|str|ldm|stm|push|pop)\w+(\.\w+)*\.f64", listed)
