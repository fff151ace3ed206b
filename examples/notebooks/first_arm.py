# %% [markdown]
# # An arm in five minutes
#
# A robot file becomes native functions, equations and C. Here the PUMA 560 that comes with Torquec; `tq.load("panda.urdf")` reads yours.

# %%
import numpy as np

import torquec as tq

robot = tq.load("puma560")
robot

# %% [markdown]
# Torques of a state, the mass matrix, accelerations. Arrays are `(n,)`, or `(N, n)` for a batch.

# %%
arm = tq.compile(robot)
q, qd, qdd = np.array([0.0, -0.8, 0.4, 0.0, 0.5, 0.0]), np.full(6, 0.5), np.zeros(6)
tau = arm.inverse_dynamics(q, qd, qdd)
np.testing.assert_allclose(arm.forward_dynamics(q, qd, tau), qdd, atol=1e-9)
tau

# %%
arm.mass_matrix(q).round(3)

# %% [markdown]
# A batch of 100,000 states takes a few milliseconds.

# %%
states = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 100_000, 6))
arm.inverse_dynamics(*states).shape

# %% [markdown]
# The closed form: every entry of M and g is an exact trigonometric polynomial.

# %%
form = tq.closed_form(tq.load("planar2r"))
form.M[0, 0]

# %% [markdown]
# Every joint position that puts the hand at a pose.

# %%
ik = tq.inverse_kinematics(robot, "link6")
R, p = arm.frame_pose("link6")(q)
found = ik.all(R, p)
len(found.q)
