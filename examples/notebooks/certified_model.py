# %% [markdown]
# # A smaller model, with a proof
#
# A specification says how wrong torques may be; `simplify` finds a cheap program and proves its error over all states.

# %%
import tempfile
from pathlib import Path

import torquec as tq

robot = tq.load("planar2r")
specification = """
[every_joint]
velocity = 2.0
acceleration = 5.0
torque_error_part = 0.02
"""
folder = Path(tempfile.mkdtemp())
(folder / "specification.toml").write_text(specification, encoding="utf-8")
small = tq.simplify(robot, folder / "specification.toml")
small

# %%
exact, certified = (model.operation_count("inverse_dynamics") for model in (tq.compile(robot), small))
exact, certified

# %% [markdown]
# The certificate is a file. `torquec_check`, a small package that shares no code with the search, proves it again.

# %%
path = folder / "planar2r.certificate.json"
tq.save_certificate(small.record, path)
tq.check_file(path)

# %% [markdown]
# C code carries the claim in its header.

# %%
package = tq.generate(small, folder / "package")
header = next((folder / "package").glob("*.h"))
print(header.read_text(encoding="utf-8")[:1200])
