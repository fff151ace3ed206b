"""`torquec generate`."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import torquec as tq
from torquec.cli.generate import operations_table
from torquec.expr import count_operations
from torquec.model.model import compile
from torquec.robot import classics


def test_json_lists_files_and_counts(torquec, arm, tmp_path):
    outcome = torquec("generate", arm, "-o", tmp_path / "out", "--json")
    document = outcome.document
    assert all(Path(name).exists() for name in document["files"])
    assert set(document["functions"]["inverse_dynamics"]) == {"mul", "add", "div", "sincos", "other"}
    assert "arm_inverse_dynamics" in (tmp_path / "out" / "arm.h").read_text()
    assert "arm" in outcome.err  # progress


def test_text_lists_them_too(torquec, arm, tmp_path):
    outcome = torquec("generate", arm, "--target", "numpy", "-o", tmp_path / "out", "--quantity", "mass_matrix")
    assert "mass_matrix" in outcome.out
    assert "inverse_dynamics" not in outcome.out
    assert "arm.py" in outcome.out


def test_from_a_saved_model(torquec, tmp_path):
    tq.save(tq.compile(tq.classics.planar2r()), tmp_path / "arm.tq.json")
    outcome = torquec("generate", tmp_path / "arm.tq.json", "-o", tmp_path / "out", "--prefix", "two", "--json")
    assert str(tmp_path / "out" / "two.c") in outcome.document["files"]


def test_other_files_in_the_folder_stay(torquec, arm, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    assert torquec("generate", arm, "-o", tmp_path, "--quantity", "mass_matrix").status == 0
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_foreign_file_is_replaced_with_force_only(torquec, arm, tmp_path):
    build = tmp_path / "CMakeLists.txt"
    build.write_text("project(mine)")
    refused = torquec("generate", arm, "-o", tmp_path, "--quantity", "mass_matrix")
    assert refused.status == 2
    assert "CMakeLists.txt" in refused.err
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".c"] == []
    assert build.read_text() == "project(mine)"
    assert torquec("generate", arm, "-o", tmp_path, "--quantity", "mass_matrix", "--force").status == 0
    assert "written by torquec" in build.read_text()


TARGETS = ("c", "rust", "numpy", "casadi", "wasm", "object", "rt-c", "ros2", "fmu")


@pytest.mark.parametrize("target", TARGETS)
def test_every_package_is_written_over_itself_and_over_nothing_else(torquec, arm, tmp_path, target):
    """Edited files and packages of other robots or for other targets are refused; nothing is lost."""
    if target == "casadi":
        pytest.importorskip("casadi")
    out = tmp_path / "out"
    few = () if target in ("rt-c", "ros2", "fmu") else ("--quantity", "mass_matrix")
    words = ("generate", arm, "--target", target, *few, "-o", out)

    def listing():
        return {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}

    assert torquec(*words).status == 0
    first = listing()
    again = torquec(*words, "--json")
    assert again.status == 0
    assert listing() == first
    manifest = next(name for name in first if name.name.endswith(".package.json"))
    assert {Path(name) for name in again.document["files"]} == {out / name for name in first.keys() - {manifest}}
    assert torquec(*words, "--gravity", "0,0,-1.62").status == 0  # the same robot's, with other numbers
    assert listing().keys() == first.keys()
    assert torquec(*words).status == 0

    leg = tmp_path / "leg.urdf"
    leg.write_text(arm.read_text().replace('<robot name="arm">', '<robot name="leg">'))
    other = "numpy" if target == "c" else "c"
    for others in (("generate", leg, "--target", target, *few), ("generate", arm, "--target", other)):
        refused = torquec(*others, "-o", out)
        assert refused.status == 2
        assert "the folder holds another package: 'arm" in refused.err
        assert "--force" in refused.err
        assert listing() == first

    for file in [name for name in first if not name.name.endswith(".package.json")][:2]:
        (out / file).write_bytes(first[file] + b"\n")
        refused = torquec(*words)
        assert refused.status == 2
        assert f"{out / file}: this file was edited since Torquec wrote it" in refused.err
        assert listing() == first | {file: first[file] + b"\n"}
        assert torquec(*words, "--force").status == 0
        assert listing() == first

    assert torquec("generate", leg, "--target", target, *few, "-o", out, "--force").status == 0
    assert len(listing()) == len(first)
    assert not [name for name in listing() if "arm" in name.name]


def test_two_robots_in_one_folder_are_two_folders(torquec, tmp_path):
    """What happened: exit 0, and the self-test and the build file of the first robot were gone."""
    out = tmp_path / "out"
    words = ("--quantity", "mass_matrix", "-o", out)
    assert torquec("generate", "planar2r", *words).status == 0
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert torquec("generate", "planar3r", *words).status == 2
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first
    assert torquec("generate", "planar3r", *words, "--force").status == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "CMakeLists.txt",
        "planar3r.c",
        "planar3r.h",
        "planar3r.package.json",
        "selftest.c",
    ]


def test_single_precision(torquec, arm, tmp_path):
    words = ("generate", arm, "--quantity", "mass_matrix", "--precision", "single", "--json")
    assert torquec(*words, "-o", tmp_path / "out").document["precision"] == "single"
    assert "const float q[" in (tmp_path / "out" / "arm.h").read_text()
    refused = torquec(*words, "--target", "casadi", "-o", tmp_path / "other")
    assert refused.status == 2
    assert "the targets that are: c" in refused.err


def test_the_help_names_every_target(torquec):
    assert "Write C99, Rust, NumPy, CasADi, WebAssembly or object code." in torquec("generate", "--help").out
    assert "Write C99, Rust, NumPy, CasADi, WebAssembly or object code." in torquec("--help").out


def test_the_help_of_an_option_names_the_targets_that_take_it(torquec):
    from torquec.realtime.targets import OPTIONS, TARGETS, targets_with

    said = " ".join(torquec("generate", "--help").out.split())
    for option in OPTIONS:
        if targets_with(option) != list(TARGETS):
            text = said[said.index(f" --{option} ") :].partition(" --")[2].partition(" --")[0]
            assert f" {', '.join(targets_with(option))}: " in text, option
    assert "c, rust, object, rt-c: single (32 bits)" in said
    assert f"certified model's package ({', '.join(TARGETS)})" in " ".join(torquec("check", "--help").out.split())


def test_the_two_rate_package(torquec, arm, tmp_path):
    words = ("generate", arm, "-o", tmp_path / "out")
    document = torquec(*words, "--target", "rt-c", "--update", "gravity", "--order", "zeroth", "--json").document
    assert document["target"] == "rt-c"
    assert document["functions"]["synchronous"]["mul"] == document["functions"]["synchronous"]["add"]
    assert document["stack"]["synchronous"] > 0
    assert (tmp_path / "out" / "arm_rt_tasks.h").exists()
    refused = torquec(*words, "--update", "gravity")
    assert (refused.status, "--update is not for c" in refused.err) == (2, True)
    assert "take a target that has it: rt-c" in refused.err
    assert "--period needs --spec" in torquec(*words, "--target", "rt-c", "--period", "0.01").err
    assert "--quantity is not for rt-c" in torquec(*words, "--target", "rt-c", "--quantity", "mass_matrix").err


def test_every_row_is_a_target_of_the_command(torquec, arm, tmp_path):
    from torquec.cli.generate import GenerateTarget
    from torquec.realtime.targets import TARGETS

    assert [target.value for target in GenerateTarget] == list(TARGETS)
    words = ("generate", arm, "--quantity", "mass_matrix", "--target", "wasm", "-o", tmp_path / "out")
    assert torquec(*words).status == 0
    assert (tmp_path / "out" / "arm.wasm").read_bytes().startswith(b"\0asm")


def test_an_object_for_another_processor(torquec, arm, tmp_path):
    words = ("generate", arm, "--quantity", "mass_matrix", "--target", "object", "--float", "-o", tmp_path / "out")
    document = torquec(*words, "--triple", "thumbv7em-none-eabihf", "--json").document
    assert (document["target"], document["precision"]) == ("object", "single")
    assert (tmp_path / "out" / "arm.o").read_bytes().startswith(b"\x7fELF")
    refused = torquec(*words, "--triple", "tricore-none")
    assert refused.status == 2
    assert "LLVM does not know the triple 'tricore-none'" in refused.err


def test_a_ros_package(torquec, arm, tmp_path):
    document = torquec("generate", arm, "--target", "ros2", "-o", tmp_path / "out", "--json").document
    assert document["ros_package"] == "arm_torquec"
    assert "arm_torquec::EffortController" in (tmp_path / "out" / "controller_plugins.xml").read_text()
    refused = torquec("generate", arm, "--target", "ros2", "--float", "-o", tmp_path / "other")
    assert (refused.status, "ROS 2 source package is not written in single precision" in refused.err) == (2, True)
    refused = torquec("generate", arm, "--target", "ros2", "--quantity", "mass_matrix", "-o", tmp_path / "other")
    assert "--quantity is not for ros2" in refused.err


def test_what_cannot_be_written_is_refused_before_any_work(torquec, arm, tmp_path):
    (tmp_path / "file").write_text("mine")
    refused = {
        "NumPy is not written in single precision": (
            "--target",
            "numpy",
            "--precision",
            "single",
            "-o",
            tmp_path / "a",
        ),
        "WebAssembly is not written in single precision": ("--target", "wasm", "--float", "-o", tmp_path / "a"),
        "--triple is not for c": ("--triple", "aarch64-linux-gnu", "-o", tmp_path / "a"),
        "--law is not for ros2": ("--target", "ros2", "--law", "controller.json", "-o", tmp_path / "a"),
        "is a file": ("-o", tmp_path / "file" / "folder"),
    }
    if Path("/proc/self").is_dir():
        refused["'/proc' may not be written"] = ("-o", "/proc/torquec-test")
    for message, words in refused.items():
        outcome = torquec("generate", arm, *words)
        assert outcome.status == 2
        assert message in outcome.err
        assert "tracing" not in outcome.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.urdf", "file"]


def test_rows_hold_the_counts_of_the_functions():
    arm = compile(classics.planar2r())
    counts = {
        name: dataclasses.asdict(count_operations(arm.function(name))) for name in ("mass_matrix", "inverse_dynamics")
    }
    header, *rows = (line.split() for line in operations_table(counts).splitlines())
    assert header == ["function", "mul", "add", "div", "sincos", "other"]
    for row, (name, count) in zip(rows, counts.items(), strict=True):
        assert row == [name, *(str(count[kind]) for kind in header[1:])]
    assert int(rows[1][1]) > int(rows[0][1]) > 0


def test_a_count_without_a_kind_is_refused():
    with pytest.raises(KeyError, match="sincos"):
        operations_table({"f": {"mul": 1, "add": 1, "div": 0}})


def test_a_package_of_a_large_robot_leaves_long_quantities_out(torquec, arm, tmp_path, monkeypatch):
    monkeypatch.setattr("torquec.model.quantities.LARGE_ROBOT", 1)  # a real one takes long to trace
    words = ("generate", arm, "--target", "numpy", "-o")
    outcome = torquec(*words, tmp_path / "all")
    assert "forward_dynamics_derivatives is left out: long for more than 30 coordinates" in outcome.out
    document = torquec(*words, tmp_path / "one", "--quantity", "forward_dynamics_derivatives", "--json").document
    assert set(document["functions"]) == {"forward_dynamics_derivatives"}
    assert "left_out" not in document
