# %% [markdown]
# # A controller, and how well it tracks
#
# Computed torque on a Scara: designed, bounded, simulated; then the linear model for other tools.

# %%
import numpy as np

import torquec as tq

robot = tq.load("scara")
motion = tq.minimum_jerk([-0.8, -0.6, -0.03, -0.2], [0.8, 1.0, -0.2, 0.2], 1.2, joints=robot.joint_names, period=0.001)
law = tq.computed_torque(robot, -20.0, period=0.001, evaluation="measured")
law

# %% [markdown]
# The bound holds for an arm without friction error, payload and noise; `uncertainty=` states sets for those.

# %%
tq.tracking_guarantee(robot, -20.0, motion, period=0.001)

# %%
result = tq.simulate(robot, law, motion)
result

# %% [markdown]
# PD with gravity compensation on the same motion, for comparison.

# %%
pd = tq.make_law(robot, "pd", tq.ControllerOptions(poles=-20.0))
np.abs(tq.simulate(robot, pd, motion).error).max(axis=0), np.abs(result.error).max(axis=0)

# %% [markdown]
# The linear model at a configuration: for SciPy `scipy.signal.StateSpace(*lin.state_space())`, for python-control `control.ss(*lin.state_space())`.

# %%
lin = tq.linearize(robot, np.array([0.2, 0.5, -0.1, 0.0]), np.zeros(4), np.zeros(4))
A, B, C, D = lin.state_space()
np.linalg.eigvals(A).round(3)
