"""Project files with many mistakes of one kind; every line with one ends in `# X`."""

from __future__ import annotations

BAD_PROJECTS = {
    "values of another type": """\
robot = "arm.urdf"
seed = "seven"  # X
gravity = "down"  # X
snap = 1  # X
strict = "no"  # X

[[payload]]
frame = 3  # X
mass = "heavy"  # X
center = [0, 0]  # X

[identify]
logs = "simulated"  # X
method = 4  # X
cutoff = true  # X
partial = "yes"  # X

[specification.every_joint]
velocity = "fast"  # X
acceleration = [1.0]  # X
torque_error = true  # X

[simplify]
seconds = "long"  # X

[design]
poles = -20  # X
rate = "1 kHz"  # X
option = "a=1"  # X

[motion]
from = "home"  # X
to = 3  # X
duration = [1]  # X

[[experiment]]
name = 7  # X
payload = "hand"  # X
runs = "many"  # X
noise = "a little"  # X

[realtime]
period = "1 ms"  # X
order = 1  # X
seconds = false  # X

[generate]
targets = "c"  # X
precision = 64  # X
""",
    "unknown keys": """\
robot = "arm.urdf"
robt = 1  # X

[[payload]]
frame = "lower"
mass = 1.0
mas = 2.0  # X

[lok]  # X
elbow = 0

[identify]
logs = ["simulated"]
filter = 5  # X

[specification]
tolerance = 3  # X

[specification.every_joint]
velocity = 1.0
acceleration = 2.0
torque_error = 1.0
jerks = 3  # X

[[specification.joint]]
name = "elbow"
speed = 2  # X

[simplify]
second = 1  # X

[design]
pole = "-5"  # X

[motion]
to = [0.1, 0.1]
time = 3  # X

[[experiment]]
name = "a"
frction = "stick"  # X
payload = { frame = "lower", mass = 0.1, weight = 3 }  # X

[realtime]
perod = 1  # X

[generate]
target = "c"  # X

[reporting]  # X
""",
    "names of joints and frames": """\
robot = "arm.urdf"

[lock]
elbwo = 0.1  # X

[[payload]]
frame = "lowr"  # X
mass = 1.0

[specification.every_joint]
velocity = 1.0
acceleration = 2.0
torque_error = 1.0

[[specification.joint]]
name = "sholder"  # X
velocity = 2.0

[design]
poles = "sholder=-5"  # X
option = ["gain=3"]  # X

[motion]
to = [0.1, 0.1]

[[experiment]]
name = "a"
payload = { frame = "hnd", mass = 0.1 }  # X

[generate]
targets = ["c", "rt-c"]
update = ["laod"]  # X
""",
    "files that are missing": """\
robot = "arm.urdf"

[identify]
logs = ["log1.csv", "log2.csv"]  # X
validate = ["log3.csv"]  # X
map = "map.toml"  # X
columns = "columns.toml"  # X

[specification]
file = "spec.toml"  # X

[design]

[motion]
trajectory = "motion.csv"  # X

[[experiment]]
name = "a"
trajectory = "other.csv"  # X
""",
    "negative numbers and zeros": """\
robot = "arm.urdf"
seed = -1  # X

[[payload]]
frame = "lower"
mass = -1.0  # X

[identify]
logs = ["simulated"]
cutoff = -3  # X

[specification.every_joint]
velocity = -1.0  # X
acceleration = 0  # X
torque_error = -2.0  # X
jerk = -1  # X

[simplify]
minutes = -1  # X

[design]
poles = "20"  # X
rate = -1000  # X
effort = 0  # X
threshold = -1  # X

[motion]
to = [0.1, 0.1]
duration = -2  # X

[[experiment]]
name = "a"
payload = { frame = "lower", mass = -0.1 }  # X
effort = -1  # X
resolution = -1e-3  # X
noise = -1  # X
delay = -1  # X
substeps = 0  # X
runs = 0  # X
spread = -1  # X

[realtime]
period = 0  # X
latency = -1  # X
seconds = -5  # X
""",
    "numbers that are none": """\
robot = "arm.urdf"
seed = nan  # X
gravity = [0.0, 0.0, inf]  # X

[lock]
elbow = nan  # X

[[payload]]
frame = "lower"
mass = inf  # X
center = [0.0, nan, 0.0]  # X

[identify]
logs = ["simulated"]
cutoff = inf  # X

[specification.every_joint]
velocity = nan  # X
acceleration = inf  # X
torque_error = nan  # X

[simplify]
seconds = inf  # X

[design]
poles = "nan"  # X
rate = inf  # X
effort = nan  # X

[motion]
from = [nan, 0]  # X
to = [inf, 0]  # X
duration = nan  # X

[[experiment]]
name = "a"
payload = { frame = "lower", mass = nan }  # X
noise = inf  # X
runs = inf  # X

[realtime]
period = inf  # X
latency = nan  # X
""",
    "arrays for tables and tables for arrays": """\
robot = "arm.urdf"

[payload]  # X
frame = "lower"
mass = 1.0

[[lock]]  # X
elbow = 1

[[identify]]  # X
logs = ["simulated"]

[[specification]]  # X
velocity = 1

[[simplify]]  # X
seconds = 1

[[design]]  # X
rate = 100

[[motion]]  # X
to = [0.1, 0.1]

[experiment]  # X
name = "a"

[[realtime]]  # X
period = 1

[[generate]]  # X
targets = ["c"]
""",
    "other units": """\
robot = "arm.urdf"
strict = true
gravity = [0.0, 0.0, -9810.0]  # X

[specification.every_joint]
velocity = 1
acceleration = 1
torque_error = 1

[design]
rate = 0.001  # X

[motion]
from = [0, 90]  # X
to = [45, 0]  # X

[[experiment]]
name = "a"
to = [60, 0]  # X
delay = 0.002  # X

[realtime]
period = 20  # X
latency = 5  # X
""",
    "too much": """\
robot = "arm.urdf"

[design]
rate = 1e12  # X

[motion]
to = [0.1, 0.1]
duration = 1e300  # X

[[experiment]]
name = "a b"
delay = 1e12  # X
substeps = 1e12  # X
runs = 1e15  # X

[[experiment]]
name = "A_b"  # X
to = [[0.1, 0.1], [0.2, 0.2]]  # X

[[experiment]]
name = "much too long to be the name of a folder that anybody would like to look at or to type by hand, at all"  # X

[generate]
targets = []  # X
""",
    "said twice": """\
robot = "arm.urdf"

[specification.every_joint]
velocity = 1
acceleration = 1
torque_error = 1
torque_error_part = 0.1  # X

[[specification.joint]]
name = "elbow"
range = [1, 0]  # X

[[specification.joint]]
name = "elbow"  # X

[simplify]
seconds = 3
minutes = 1  # X

[design]
controller = "pid"
sampled = true  # X
weights = "x"  # X

[motion]
to = [0.1, 0.1]
to_deg = [1, 1]  # X

[[experiment]]
name = "a b"

[[experiment]]
name = "a b"  # X

[[experiment]]
name = "a/b"  # X
to = [0.1, 0.1]
trajectory = "x.csv"  # X

[[experiment]]  # X
runs = 2

[generate]
targets = ["c", "cobol", "ada"]  # X
update = ["load"]  # X
""",
}
"""By what is wrong in them."""
