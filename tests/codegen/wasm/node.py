"""Running a module in Node, for tests of what it computes."""

import base64
import json
import shutil
import subprocess

import numpy as np
import pytest
from tests.patience import HANGS

from torquec.codegen.wasm.package import wasm_module, wrapper_text

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no node on the PATH: what WebAssembly computes is not tested")

_SCRIPT = """
const {{ load }} = await import("data:text/javascript;base64,{wrapper}");
const model = await load(Buffer.from("{code}", "base64"));
const number = (x) => (Number.isFinite(x) ? x : String(x));
const arrays = (result) => (result instanceof Float64Array ? [result] : Object.values(result));
const plain = (result) => arrays(result).map((a) => [...a].map(number));
const calls = JSON.parse((await import("node:fs")).readFileSync(0));
console.log(JSON.stringify(calls.map(([path, args]) => {{
  try {{
    const given = args.map((a) => (Array.isArray(a) ? a.map(Number) : a));
    return plain(path.split(".").reduce((place, name) => place[name], model)(...given));
  }} catch (error) {{
    return String(error);
  }}
}})));
"""


def run_calls(functions, calls, **options):
    """The results of calls `(name or name.batch, arguments)`: a list of arrays each, or the text of an exception."""
    script = _SCRIPT.format(
        wrapper=base64.b64encode(wrapper_text(functions, prefix="model").encode()).decode(),
        code=base64.b64encode(wasm_module(functions, **options)).decode(),
    )
    texts = [[path, [_numbers(a) for a in arguments]] for path, arguments in calls]
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [r if isinstance(r, str) else [np.array(a, dtype=float) for a in r] for r in json.loads(done.stdout)]


def _numbers(argument):
    if isinstance(argument, int):
        return argument
    return [str(x) if not np.isfinite(x) else float(x) for x in np.ravel(argument)]
