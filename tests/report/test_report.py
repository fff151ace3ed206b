"""The report of a folder: every section from real results, broken documents named, hostile names as text."""

from __future__ import annotations

import ast
import inspect
import json
import math
import re
import shutil
from pathlib import Path

import pytest
from tests.report.result_folders import changed, check_page, made_folder, result_folder, visible_text
from tests.report.test_html_page import BLOCKS

from torquec.errors import ArgumentError, TorquecError
from torquec.page.view_page import View
from torquec.report import robot_view
from torquec.report.blocks import Axis, Facts, LiveView, Plot, Report, Section, Series, fact
from torquec.report.html_page import report_html
from torquec.report.provenance import Number, Obtained, computed
from torquec.report.report import SECTIONS, folder_report, report_json, write_report
from torquec.report.result_document import result_text

SENTENCES = {"narrow_limits", "passed_limit_text"}
"""Functions that make whole sentences with numbers, which a section shows as a `Statement`."""

HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"
BY = computed("a sum")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    made = write_report(made_folder(), tmp_path_factory.mktemp("page") / "report.html", called="results", live=False)
    assert made.problems == ()
    return made.page.read_text(), json.loads(made.twin.read_text())


def test_the_page_is_whole_and_needs_nothing_else(page):
    text, _ = page
    check_page(text)
    assert len(text) < 1_000_000
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe-inline" not in policy


def test_every_section_with_results_is_there(page):
    """The folder has results of every command but `params` and `compare --controllers`."""
    text, twin = page
    names = [section["name"] for section in twin["sections"]]
    assert names == [entry.name for entry in SECTIONS if entry.name not in ("parameters", "controllers")]
    for entry in SECTIONS:
        assert (f'id="{entry.name}"' in text) == (entry.name in names)


def test_the_commands_that_check_again_are_exact(page):
    text, _ = page
    assert "torquec check results/small" in visible_text(text)


def numbers_in(value):
    """Every object of a twin that has a value."""
    if isinstance(value, dict):
        if "value" in value and "unit" in value:
            yield value
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_in(item)


def test_every_number_of_the_twin_says_how_it_was_obtained(page):
    _, twin = page
    found = list(numbers_in(twin))
    assert len(found) > 100
    assert {number["obtained"] for number in found} == {how.value for how in Obtained}
    assert all(number["from"].strip() for number in found)
    for section in twin["sections"]:
        for block in section["blocks"]:
            for cells in block.get("rows", ()):
                assert not any(isinstance(cell, int | float) for cell in cells)


def test_no_section_writes_numbers_into_text():
    """Numbers come into a report as `Number`s: no f-string of a section formats one."""
    for section in {show for entry in SECTIONS for show in entry.shows.values()}:
        tree = ast.parse(Path(inspect.getfile(section)).read_text())
        defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        used, waiting = set(), [section.__name__]
        while waiting:
            name = waiting.pop()
            used.add(name)
            called = {node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)}
            waiting += (called & defined.keys()) - used - SENTENCES
        for node in (node for name in used for node in ast.walk(defined[name])):
            place = f"{section.__module__}:{getattr(node, 'lineno', 0)}"
            assert not isinstance(node, ast.FormattedValue) or node.format_spec is None, place
            assert not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("round", "format"), place


def test_what_is_proved_is_what_the_certificate_says(page):
    _, twin = page
    certificate = json.loads((made_folder() / "small" / "planar2r.certificate.json").read_text())
    bounds = {joint: proof["bound"] for joint, proof in certificate["joints"].items()}
    for name in ("simplification", "proof"):
        section = next(section for section in twin["sections"] if section["name"] == name)
        head = "torque error at most"
        table = next(block for block in section["blocks"] if head in block.get("head", ()))
        column = table["head"].index(head)
        assert {row[0]: row[column]["value"] for row in table["rows"]} == bounds
        assert {row[column]["obtained"] for row in table["rows"]} == {"proved"}


def test_what_is_proved_is_about_the_file_and_the_checksum_is_not_of_it(page):
    text = visible_text(page[0])
    assert "differs from the exact model of planar2r by at most" in text
    assert "That the exact model is the real robot is not proven" in text
    certificate = json.loads((made_folder() / "small" / "planar2r.certificate.json").read_text())
    facts = [block for section in page[1]["sections"] for block in section["blocks"] if block["block"] == "facts"]
    named = {fact["label"]: fact["parts"] for block in facts for fact in block["facts"]}
    assert named["checksum of the certificate's contents, its field sha256"] == [certificate["sha256"]]


def test_the_mass_that_moves_is_told_from_that_of_the_base(tmp_path):
    folder = result_folder(tmp_path / "results")
    changed(folder / "info.json", mass=155.0, moving_mass=132.3)
    report = folder_report(folder)
    robot = next(section for section in report.sections if section.name == "robot")
    facts = {fact.label: fact for block in robot.blocks if isinstance(block, Facts) for fact in block.facts}
    assert "".join(map(str, facts["mass"].parts)) == "155 kg, of which 132.3 kg move"
    (tile,) = [fact for fact in report.highlights if fact.label == "what moves"]
    assert "".join(map(str, tile.parts)) == "2 joints, 132.3 kg"


def test_the_robots_file_is_named_where_a_run_says_which(tmp_path):
    folder = result_folder(tmp_path / "results")
    changed(folder / "run.json", inputs={"p.toml": "00", "arm.urdf": "11"})
    (folder / "identification.json").write_text(result_text("identify", {}))
    text = visible_text(report_html(folder_report(folder)))
    assert "differs from the exact model of arm.urdf with the identified parameters by at most" in text


def test_the_worst_joint_is_named_where_it_is_one(tmp_path):
    folder = result_folder(tmp_path / "results")
    file = folder / "small" / "simplification.json"
    bounds = json.loads(file.read_text())["bounds"]

    def tile(shares):
        for share, bound in zip(shares, bounds.values(), strict=True):
            bound |= {"tolerance": bound["torque"] / share, "found": 0.25 * bound["torque"]}
        changed(file, bounds=bounds)
        (fact,) = [fact for fact in folder_report(folder).highlights if "of the tolerance" in fact.label]
        return fact.label, "".join(map(str, fact.parts))

    last = list(bounds)[-1]
    assert tile((0.5, 0.75)) == (f"torque error of {last}, the worst, of the tolerance", "75 % at most, 18.8 % found")
    alike = "torque error of 2 of 2 joints, the worst, of the tolerance"
    assert tile((1.0, 0.9999)) == (alike, "100 % at most, 25 % found")


def test_a_bound_that_the_certificate_does_not_prove_is_refused(tmp_path):
    folder = result_folder(tmp_path / "results")
    path = folder / "small" / "simplification.json"
    document = json.loads(path.read_text())
    document["bounds"]["joint1"]["torque"] *= 0.5
    path.write_text(json.dumps(document))
    report = folder_report(folder)
    assert report.problems == ("small/simplification.json: states other bounds than planar2r.certificate.json proves",)
    (folder / "small" / "planar2r.certificate.json").unlink()
    assert "does not lie beside it" in folder_report(folder).problems[0]


def test_broken_documents_are_named_and_the_rest_is_shown(tmp_path):
    folder = result_folder(tmp_path / "results")
    changed(folder / "run" / "simulation.json", rmse="many")
    cut = (folder / "controller" / "design.json").read_text()
    (folder / "controller" / "design.json").write_text(cut[: len(cut) // 2])
    model = folder / "small" / "planar2r.tq.json"
    model.write_text(model.read_text().replace('"version": 2', '"version": 99'))
    made = write_report(folder, tmp_path / "report.html", live=False)
    assert sorted(problem.split(": ")[0] for problem in made.problems) == [
        "controller/design.json",
        "run/simulation.json",
        "small/planar2r.tq.json",
    ]
    text = made.page.read_text()
    check_page(text)
    words = visible_text(text)
    assert "rmse is no object" in words
    assert 'id="tracking"' in text
    assert 'id="times"' in text


@pytest.mark.parametrize("value", [HOSTILE, "</title>", "</script>", "]]>", "\u202e", "x" * 2000])
def test_hostile_names_are_text(tmp_path, value):
    folder = tmp_path / "results"
    folder.mkdir()
    info = json.loads((made_folder() / "info.json").read_text())
    info["name"] = info["joints"][0]["name"] = value
    info["masses"] = {value: 1.0}
    info["warnings"] = [value]
    (folder / "info.json").write_text(json.dumps(info))
    run = json.loads((made_folder() / "run" / "simulation.json").read_text())
    for key in ("rmse", "max_error", "units"):
        run[key] = {value: next(iter(run[key].values()))}
    run["samples"]["joints"] = {value: run["samples"]["joints"]["joint1"]}
    run["controller"] = run["saturated"][0:0] or value
    (folder / "run.json").write_text(json.dumps(run))
    made = write_report(folder, tmp_path / "report.html", live=False)
    assert made.problems == ()
    text = made.page.read_text()
    check_page(text)
    assert text.count("<script>") == 1
    assert "<img" not in text
    assert " ".join(value.split()) in visible_text(text)
    assert json.loads(made.twin.read_text())["title"] == value


def test_a_certificate_that_lies_in_two_places_is_told_once(tmp_path):
    folder = tmp_path / "results"
    for name in ("a", "b"):
        shutil.copytree(made_folder() / "small", folder / name)
    text = write_report(folder, tmp_path / "report.html", called="out", live=False).page.read_text()
    section = visible_text(text.partition('id="proof"')[2].partition("</section>")[0])
    assert section.count("The box of motions") == 1
    assert "The same certificate as that of a/planar2r.tq.json." in section
    assert "torquec check out/a" in section
    assert "torquec check out/b" in section


def test_times_of_a_run_in_real_time_are_measured_and_its_simulated_robot_computed(page):
    text, twin = page
    section = next(section for section in twin["sections"] if section["name"] == "real-time")
    tables = {block["caption"]: block["rows"] for block in section["blocks"] if block["block"] == "datatable"}
    late = tables["Times of the cycles"][0]
    assert [round(cell["value"]) for cell in late[1:]] == [50, 70, 200, 400]
    assert {cell["obtained"] for cell in late[1:]} == {"measured"}
    assert tables["Tracking errors"][0][1]["obtained"] == "computed"
    assert tables["Tracking errors"][1][1] is None
    assert "Guards acted: speed." in visible_text(text)


def test_an_unstable_experiment_is_an_answer(tmp_path):
    document = {"experiment": "heavy", "controller": "pd", "period": 0.01, "joints": ["a"], "diverged": "beyond a turn"}
    (tmp_path / "a.json").write_text(result_text("simulate", document))
    (tmp_path / "b.json").write_text((made_folder() / "run" / "simulation.json").read_text())
    made = write_report(tmp_path, tmp_path / "report.html")
    assert made.problems == ()
    assert "heavy" in visible_text(made.page.read_text())
    assert "The loop is not stable: beyond a turn" in visible_text(made.page.read_text())


def test_the_robot_moves_where_the_script_of_the_pages_was_made(tmp_path, monkeypatch):
    small = tmp_path / "small"
    shutil.copytree(made_folder() / "small", small)

    def shown(model, runs):
        assert runs == []
        return View(f"<script>let {model.kind.name} = 1;</script>", 0, ())

    monkeypatch.setattr(robot_view, "view_page", shown)
    text = write_report(small, tmp_path / "live.html").page.read_text()
    check_page(text)
    assert 'srcdoc="&lt;script&gt;let CERTIFIED_TORQUE = 1;' in text
    assert "wasm-unsafe-eval" in text
    assert "arm-link" in text  # on paper

    def refuse(model, runs):
        raise TorquecError("the script of the pages was not made", remedy="run this")

    monkeypatch.setattr(robot_view, "view_page", refuse)
    without = write_report(small, tmp_path / "still.html").page.read_text()
    check_page(without)
    assert "the script of the pages was not made. To get it: run this" in visible_text(without)
    assert "wasm" not in without.partition("</head>")[0]
    assert "torquec report there" in visible_text(
        write_report(small, tmp_path / "part.html", called="there", live=False).page.read_text()
    )


def test_runs_of_the_robot_are_played_and_others_are_told(tmp_path, monkeypatch):
    folder = result_folder(tmp_path / "results")
    played = []

    def shown(model, runs):
        played.extend((run.title, run.trajectory.joints, run.tau.shape == run.trajectory.q.shape) for run in runs)
        return View("<script>1</script>", 0, ())

    monkeypatch.setattr(robot_view, "view_page", shown)
    write_report(folder, tmp_path / "live.html")
    assert played == [("run", ("joint1", "joint2"), True)]  # the folder of many runs has no single one
    (folder / "run" / "run.csv").write_text("t,q_joint1\nx,1\n")
    text = write_report(folder, tmp_path / "broken.html").page.read_text()
    assert "The run beside run/simulation.json is not played: column q of 'joint2' is missing." in visible_text(text)
    changed(folder / "run" / "simulation.json", joints=["other"])
    assert "is not played" not in write_report(folder, tmp_path / "other.html").page.read_text()
    assert len(played) == 1


def test_nothing_to_show(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(ArgumentError, match="no results that a report can show"):
        folder_report(tmp_path)
    with pytest.raises(ArgumentError, match="no such folder"):
        folder_report(tmp_path / "none")
    with pytest.raises(ArgumentError, match=r"ends with \.html"):
        write_report(made_folder(), tmp_path / "report.json")


def test_a_foreign_file_in_the_way_is_kept(tmp_path):
    target = tmp_path / "report.html"
    target.write_text("mine")
    with pytest.raises(ArgumentError, match="exists already"):
        write_report(made_folder(), target, live=False)
    assert target.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    write_report(made_folder(), target, live=False, force=True)
    write_report(made_folder(), target, live=False)  # ours
    assert target.read_text().startswith("<!DOCTYPE html>")


def test_results_of_commands_without_a_section_are_listed(tmp_path):
    (tmp_path / "eval.json").write_text(result_text("eval", {"joints": ["a"]}))
    (tmp_path / "info.json").write_text((made_folder() / "info.json").read_text())
    report = folder_report(tmp_path)
    assert [(file.name, file.kind) for file in report.files] == [("eval.json", "eval"), ("info.json", "info")]


def test_the_same_folder_gives_the_same_bytes(tmp_path):
    first = write_report(made_folder(), tmp_path / "a.html", called="x", live=False).page.read_bytes()
    assert write_report(made_folder(), tmp_path / "b.html", called="x", live=False).page.read_bytes() == first


def test_everything_that_the_page_shows():
    gap = Plot("gap", Axis("x"), Axis("y"), (Series("a", (0.0, 1.0), (math.nan, 2.0), BY),))
    live = LiveView("<html>", "the arm")
    report = Report("t", (Section("s", "S", (*BLOCKS, gap, live)),), (fact("a", Number(1, BY)),), ("p",), (), "1.0")
    document = json.loads(report_json(report))
    assert document["format"] == "torquec-report"
    assert document["problems"] == ["p"]
    assert document["highlights"] == [
        {"label": "a", "parts": [{"value": 1, "unit": "", "obtained": "computed", "from": "a sum"}]}
    ]
    blocks = document["sections"][0]["blocks"]
    assert [block["block"] for block in blocks[:3]] == ["paragraph", "paragraph", "subheading"]
    assert blocks[-2]["series"][0]["y"] == [None, 2.0]
    assert blocks[-1] == {"block": "liveview", "words": "the arm"}
    assert all("mathml" not in block and "svg" not in block for block in blocks)
