"""Folders with results of real commands on small robots, made once, and documents that can be changed."""

from __future__ import annotations

import atexit
import functools
import json
import re
import shutil
import tempfile
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

from typer.testing import CliRunner

from torquec.cli.app import app
from torquec.report.result_document import result_text

SPECIFICATION = "[every_joint]\nvelocity = 1.0\nacceleration = 2.0\njerk = 4.0\ntorque_error = 0.3\n"
FELT = {
    "mean": 5.1,
    "deviation": 0.4,
    "unbiased": {"value": 5.01, "interval": [4.99, 5.03]},
    "is_biased": True,
    "nominal": 5.0,
    "error": 0.02,
    "counted": 90,
}
CURVE = {"t": [0.0, 0.5, 1.0], "object": [0.0, 2.0, 0.0]}
HAPTIC = {
    "experiment": "mass-5",
    "robot": "scara",
    "frame": "hand",
    "object": {"mass": 5.0, "inertia": 1.0},
    "poles": [-45.0, 45.0],
    "effort": 1.0,
    "rate": 500.0,
    "sensor": {"resolution": [0.1] * 6, "cutoff": 100.0},
    "encoder": 1e-4,
    "unrendered": ["turning about x"],
    "samples": 100,
    "status": {"force capped": 3},
    "felt": FELT | {"paper": {"mean": 5.2, "deviation": 0.6}},
    "wall": None,
    "region": [
        {
            "axis": "moving along x",
            "inside": True,
            "margin": 0.2,
            "frequency": 31.0,
            "mass": 5.0,
            "damping": 2.0,
            "least_damping": 1.1,
            "edge": [[2.0, 1.0, None], [5.0, 1.1, 30.0]],
        }
    ],
    "filters": [{"filter": "force", "cutoff": [1.0, 10.0], "growth": [2.0, -3.0], "stable_from": 4.0}],
    "curves": {
        "time": "time",
        "unit": "s",
        "direction": "along y",
        "curves": [
            CURVE | {"quantity": "velocity", "unit": "m/s", "arm": [0.1, 2.1, 0.1]},
            CURVE | {"quantity": "force over acceleration", "unit": "kg"},
        ],
    },
}
"""What `torquec haptic` keeps of an experiment."""
TRIED = {"difference": 0.0, "different_numbers": 0, "numbers": 640, "selftest": True, "worst": "", "why": ""}
VERIFIED = {
    "ok": True,
    "prefix": "planar2r",
    "real": "double",
    "functions": ["planar2r_mass_matrix"],
    "platforms": [
        {"name": "gcc", "status": "agrees", "instructions": None} | TRIED,
        {"name": "Cortex-M7", "status": "agrees", "instructions": {"planar2r_mass_matrix": 77}} | TRIED,
        {"name": "clang", "status": "missing", "instructions": None}
        | TRIED
        | {"difference": None, "numbers": 0, "selftest": None, "why": "not installed: clang"},
    ],
    "coverage": {"branches": 4, "branches_reached": 3, "lines": 10, "lines_reached": 9, "not_reached": [7]},
    "stack": {"this machine": {"planar2r_mass_matrix": 48}},
    "size": {"this machine": 1234},
    "instructions": {"planar2r_mass_matrix": {"fewest": 90, "most": 99, "spread": 0.1}},
    "missing": ["clang"],
}
"""What `torquec verify-package` prints of a package."""
VOID = {"meta", "br", "img", "input", "hr", "link"}


def command(*words: object) -> str:
    """Run a command; gives what it prints on stdout."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, f"{result.output}{result.exception!r}"
    return result.stdout


@functools.cache
def _made() -> Path:
    """Everything, in the order of the chain, on a planar arm."""
    place = Path(tempfile.mkdtemp(prefix="torquec-results-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    folder, spec = place / "results", place / "specification.toml"
    folder.mkdir()
    spec.write_text(SPECIFICATION)
    command("simplify", "planar2r", "--spec", spec, "-o", folder / "small", "--jobs", 1)
    model = folder / "small" / "planar2r.tq.json"
    law = ("--controller", "computed-torque", "--evaluation", "measured", "--rate", 500)
    command("design", model, "--poles", "-12+5j", *law, "-o", folder / "controller")
    motion = ("--to", "0.4,-0.3", "--duration", 1)
    command("simulate", "planar2r", "--law", folder / "controller" / "controller.json", *motion, "-o", folder / "run")
    command("simulate", "planar2r", *motion, "--runs", 3, "-o", folder / "many")
    command("compare", "planar2r", model, *motion, "--rounds", 1, "--random", 10, "-o", folder / "compared")
    motion_file = ("-o", place / "excite.csv", "--evaluations", 60)
    (folder / "excite.json").write_text(command("excite", "planar2r", *motion_file, "--json"))
    (place / "way.csv").write_text("joint1,joint2\n0,0\n0.5,0.3\n1,0.2\n")
    fastest = ("--waypoints", place / "way.csv", "-o", place / "fast.csv", "--acceleration", 3, "--points", 20)
    (folder / "time.json").write_text(command("time", "planar2r", *fastest, "--json"))
    (folder / "haptic.json").write_text(result_text("haptic", HAPTIC))
    (folder / "verified.json").write_text(result_text("verify-package", VERIFIED))
    (folder / "info.json").write_text(command("info", "planar2r", "--json"))
    (folder / "equations.json").write_text(command("equations", "scara", "--json"))
    (folder / "check.json").write_text(command("check", folder / "small", "--json"))
    (folder / "bench.json").write_text(command("bench", "planar2r", "--rounds", 1, "--json"))
    plan = command("realtime", "plan", "planar2r", "--spec", spec, "--period", 0.02, "--json")
    (folder / "plan.json").write_text(plan)
    (folder / "generate.json").write_text(command("generate", "planar2r", "-o", folder / "c", "--json"))
    row = {"quantity": "mass_matrix", "against": "floats", "difference": 1e-15, "allowed": 1e-12, "reason": ""}
    missing = row | {"difference": None, "reason": "not installed"}
    (folder / "selftest.json").write_text(result_text("selftest", {"ok": True, "rows": [row, missing]}))
    part = {"p50": 5e-5, "p99": 7e-5, "p99.9": 2e-4, "max": 4e-4}
    ran = {"robot": "planar2r", "law": "pd", "driver": "simulated", "end": "ended", "faults": ["speed"], "rate": 999.9}
    ran |= {"period": 0.001, "cycles": 1220, "missed": 2, "late": 0, "latency": part, "compute": part, "cycle": part}
    ran |= {"max_error": {"joint1": 0.005, "joint2": None}, "notes": ["ordinary scheduling"]}
    (folder / "realtime.json").write_text(result_text("realtime run", ran))
    said = {"claim": None, "statements": ["no tracking error is bounded: it is too fast", "stable up to 2 kg"]}
    (folder / "verdict.json").write_text(result_text("verdict", said))
    step = {"name": "check", "skipped": "", "seconds": 0.5}
    steps = [step, step | {"name": "identify", "skipped": "there is no log"}]
    manifest = {"format": "torquec run 1", "written_by": "torquec 0", "project": "p.toml", "steps": steps}
    (folder / "run.json").write_text(json.dumps(manifest | {"inputs": {"p.toml": "00"}, "versions": {"numpy": "2"}}))
    return folder


def result_folder(target: Path) -> Path:
    """A copy of the folder, which a test may change."""
    shutil.copytree(_made(), target)
    return target


def made_folder() -> Path:
    """The folder itself, only to be read."""
    return _made()


def changed(path: Path, **values: object) -> None:
    """Replace values at the top of a JSON document."""
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.external: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            assert not name.startswith("on"), f"an event handler: {name}"
            assert name != "style", "style attributes are against the policy"
            if name == "id":
                self.ids.append(value)
            if name == "href" and value.startswith("#"):
                self.links.append(value[1:])
            elif name in ("href", "src", "xlink:href"):
                self.external.append(value)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> without a beginning"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()


def check_page(page: str) -> None:
    """Every element is closed in order, ids are unique, links lead somewhere, nothing comes from elsewhere."""
    checker = _Checker()
    checker.feed(page)
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids)
    assert set(checker.links) <= set(checker.ids)
    assert checker.external == []
    assert "http" not in re.sub(r"http-equiv|http://www.w3.org/2000/svg", "", page)


def visible_text(page: str) -> str:
    """The words of a page, without markup."""
    bare = re.sub(r"<(script|style)[^>]*>.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", bare)).split())
