# %% [markdown]
# # From a log to a model
#
# The file of a Scara is wrong: its links are a fifth too light, and it has no friction. A log of the real arm mends it.

# %%
import dataclasses

import numpy as np

import torquec as tq
from torquec.identification.excitation.excitation import simulated_log
from torquec.robot.friction import Friction
from torquec.spatial import Inertia

real = tq.load("scara")


def mistaken(body):
    """A body that is too light, on a joint without friction."""
    joint = dataclasses.replace(body.joint, friction=Friction())
    return dataclasses.replace(body, joint=joint, inertia=Inertia(*(0.8 * value for value in body.inertia.parameters)))


file = dataclasses.replace(real, bodies=tuple(mistaken(body) for body in real.bodies))

# %% [markdown]
# `simulated_log` stands for a recording; `tq.read_log` reads CSV, Parquet, ROS 2 bags and more.

# %%
log, other = (simulated_log(real, noise=0.02, seed=seed) for seed in (0, 1))
estimate = tq.identify(file, log, options=tq.IdentifyOptions(cutoff=10.0))
estimate

# %%
estimate.verdict.trust

# %% [markdown]
# Torques at the states of another run, which the fit has not seen, against those of the real arm.

# %%
states = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 1000, real.n))
wanted = tq.compile(real).total_torque(*states)
errors = {
    name: np.linalg.norm(tq.compile(model).total_torque(*states) - wanted) / np.linalg.norm(wanted)
    for name, model in (("file", file), ("identified", estimate.robot))
}
assert errors["identified"] < 0.1 * errors["file"]
errors
