"""`torquec verify-package`: its table, its document, its exit status."""

from tests.codegen.c.compiler import COMPILERS, needs_compiler

from torquec.codegen.verify import package


@needs_compiler
def test_a_package_is_generated_and_verified(torquec, arm, tmp_path, monkeypatch):
    monkeypatch.setattr(
        package, "PLATFORMS", package.PLATFORMS[1:2] if COMPILERS[0] == "gcc" else package.PLATFORMS[4:5]
    )
    monkeypatch.setattr(package, "instruction_counts", lambda *_: None)
    torquec("generate", arm, "--quantity", "inverse_dynamics", "-o", tmp_path / "c")
    shown = torquec("verify-package", tmp_path / "c")
    assert shown.status == 0, shown
    assert "bit for bit" in shown.out
    assert "arm_inverse_dynamics" in shown.out
    source = tmp_path / "c" / "arm.c"
    before, name, body = source.read_text().partition("void arm_inverse_dynamics")
    source.write_text(before + name + body.replace("*", "/", 1))
    wrong = torquec("verify-package", tmp_path / "c", "--json")
    assert wrong.status == 1
    assert wrong.document["ok"] is False
    assert "self-test" in wrong.err


def test_no_package(torquec, tmp_path):
    refused = torquec("verify-package", tmp_path)
    assert refused.status == 2
    assert "no C package of Torquec" in refused.err
