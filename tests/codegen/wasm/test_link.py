import llvmlite.binding as llvm
import pytest
from tests.codegen.programs import every_operation
from tests.codegen.wasm.node import NODE, needs_node

from torquec.codegen.wasm.link import link_module, unsigned
from torquec.codegen.wasm.package import wasm_module
from torquec.errors import CompileError


def object_of(source):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple("wasm32-unknown-unknown").create_target_machine(opt=2, reloc="static")
    return bytes(machine.emit_object(llvm.parse_assembly(source)))


ANSWER = "define i32 @answer() { ret i32 42 }\ndefine i32 @other() { ret i32 43 }"


@needs_node
def test_a_module_imports_nothing_and_shows_only_what_was_asked(tmp_path):
    import json
    import subprocess

    (tmp_path / "m.wasm").write_bytes(link_module(object_of(ANSWER), exports=["answer"], stack=100))
    script = """
    const m = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
    const i = new WebAssembly.Instance(m, {});
    console.log(JSON.stringify([WebAssembly.Module.imports(m).length, Object.keys(i.exports), i.exports.answer()]));
    """
    done = subprocess.run([NODE, "-e", script, str(tmp_path / "m.wasm")], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [0, ["memory", "__free", "answer"], 42]


def test_a_function_from_outside_is_refused():
    code = object_of(
        "declare double @sin(double)\ndefine double @f(double %x) {\n%y = call double @sin(double %x)\nret double %y\n}"
    )
    with pytest.raises(CompileError, match="'sin' from outside"):
        link_module(code, exports=["f"], stack=0)


def test_a_missing_export_is_refused():
    with pytest.raises(CompileError, match="lacks nothing_here"):
        link_module(object_of(ANSWER), exports=["nothing_here"], stack=0)


def test_other_bytes_are_refused():
    with pytest.raises(CompileError, match="no WebAssembly object"):
        link_module(b"\x7fELF", exports=[], stack=0)


@pytest.mark.parametrize(("value", "encoded"), [(0, "00"), (127, "7f"), (128, "8001"), (65536, "808004")])
def test_numbers(value, encoded):
    assert unsigned(value).hex() == encoded


def test_memory_holds_data_and_stack():
    """The stack pointer begins above the data by at least the stack that was asked for, and one page holds both."""
    small = wasm_module([every_operation()])
    assert len(small) < 8_000
