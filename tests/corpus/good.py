"""A small good document of every format: bad ones are these with one thing changed, and the fuzzer starts from them."""

from __future__ import annotations

URDF = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0 0.4 0"/>
      <mass value="2.5"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.25"/>
    </inertial>
    <visual><geometry><mesh filename="package://arm/upper.stl"/></geometry></visual>
  </link>
  <link name="fore">
    <inertial>
      <origin xyz="0 0 0.15"/>
      <mass value="1.5"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/>
    </inertial>
  </link>
  <link name="jaw">
    <inertial>
      <mass value="0.1"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>
    </inertial>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.5" rpy="1.5707963267948966 0 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="40" velocity="3"/>
    <dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="elbow" type="prismatic">
    <origin xyz="0 0.4 0"/>
    <parent link="upper"/>
    <child link="fore"/>
    <axis xyz="0 1 0"/>
    <limit lower="0" upper="0.3" effort="100" velocity="1"/>
  </joint>
  <joint name="grip" type="continuous">
    <parent link="fore"/>
    <child link="jaw"/>
    <axis xyz="1 0 0"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.5"/>
  </joint>
  <joint name="flange" type="fixed">
    <origin xyz="0 0 0.2"/>
    <parent link="jaw"/>
    <child link="tool"/>
  </joint>
  <transmission name="drive">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="shoulder"/>
    <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator>
  </transmission>
</robot>
"""

XACRO = """<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
  <xacro:arg name="payload" default="0.5"/>
  <xacro:property name="length" value="0.4"/>
  <xacro:property name="half" value="${length / 2}"/>
  <xacro:macro name="rod" params="name mass:=1.5 *origin">
    <link name="${name}">
      <inertial>
        <xacro:insert_block name="origin"/>
        <mass value="${mass}"/>
        <inertia ixx="${mass * length**2 / 12}" ixy="0" ixz="0" iyy="${mass * length**2 / 12}" iyz="0" izz="0.001"/>
      </inertial>
    </link>
  </xacro:macro>
  <link name="base"/>
  <xacro:rod name="upper"><origin xyz="0 0 ${half}"/></xacro:rod>
  <xacro:rod name="fore" mass="$(arg payload)"><origin xyz="0 0 ${half}"/></xacro:rod>
  <xacro:macro name="hinge" params="name parent child z">
    <joint name="${name}" type="continuous">
      <origin xyz="0 0 ${z}"/>
      <parent link="${parent}"/>
      <child link="${child}"/>
      <axis xyz="0 ${1 if z == 0 else 0} ${0 if z == 0 else 1}"/>
    </joint>
  </xacro:macro>
  <xacro:hinge name="shoulder" parent="base" child="upper" z="0"/>
  <xacro:if value="${payload_here if False else True}">
    <xacro:hinge name="elbow" parent="upper" child="fore" z="${length}"/>
  </xacro:if>
</robot>
"""

MJCF = """<mujoco model="arm">
  <compiler angle="radian" eulerseq="xyz"/>
  <option gravity="0 0 -9.81"/>
  <default>
    <joint damping="0.1"/>
    <default class="light"><geom density="500"/></default>
  </default>
  <worldbody>
    <body name="upper" pos="0 0 0.5" quat="1 0 0 0">
      <joint name="shoulder" type="hinge" axis="0 0 1" range="-1 2" armature="0.02"/>
      <inertial pos="0.1 0 0" mass="2.5" diaginertia="0.2 0.2 0.1"/>
      <body name="fore" pos="0 0.4 0" euler="0 1.5 0" childclass="light">
        <joint name="elbow" type="slide" axis="0 1 0" stiffness="20" springref="0.1"/>
        <geom type="capsule" size="0.03 0.2"/>
        <site name="tip" pos="0 0 0.2"/>
        <body name="jaw" pos="0 0 0.2">
          <joint name="grip" axis="1 0 0" frictionloss="0.01"/>
          <geom type="box" size="0.02 0.02 0.05" mass="0.1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="grip" joint2="shoulder" polycoef="0.5 -2 0 0 0"/></equality>
  <tendon><fixed name="cable"><joint joint="elbow" coef="0.5"/></fixed></tendon>
  <actuator>
    <motor name="m1" joint="shoulder" gear="50" ctrlrange="-1 1" ctrllimited="true"/>
    <general name="m2" tendon="cable"/>
  </actuator>
</mujoco>
"""

DH = """name = "arm"
convention = "modified"
gravity = [0, 0, -9.81]

[[joint]]
name = "shoulder"
type = "revolute"
alpha_deg = 90
a = 0
d = 0.3
limits = { lower_deg = -90, upper_deg = 90, velocity = 3, effort = 50 }
friction = { viscous = 0.5, coulomb_positive = 1.0, coulomb_negative = 1.2, stribeck = 0.2, stribeck_speed = 0.1 }
motor = { rotor_inertia = 1e-4, gear_ratio = 50 }
link = { mass = 3.0, com = [0.1, 0, 0], inertia = [0.1, 0.2, 0.2] }

[[joint]]
name = "elbow"
type = "prismatic"
alpha = 0.0
a = 0.4
theta = 0.0
spring = { stiffness = 20, rest = 0.1 }
link = { mass = 1.0, com = [0, 0, 0.1], inertia = [[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.005]] }

[[joint]]
name = "grip"
type = "continuous"
alpha = 0.0
a = 0.1
d = 0.0
mimic = { joint = "shoulder", multiplier = -2.0, offset = 0.5 }
link = { mass = 0.1, com = [0, 0, 0], inertia = [0.001, 0.001, 0.001] }

[[frame]]
name = "tool"
joint = "grip"
xyz = [0, 0, 0.2]
"""

DRIVES = """[joint.shoulder]
motor = { rotor_inertia = 3.5e-4, gear_ratio = 32.0 }
friction = { viscous = 8.0, coulomb = 7.0, offset = 0.4 }
spring = { stiffness = 40.0, rest = -1.2 }
counterbalance = { base = 0.8, lever = 0.2, stiffness = 100.0 }

[[motor]]
name = "shaft"
rotor_inertia = 9.4e-6
friction = { viscous = 6.0e-4, coulomb = 0.06 }
transmission = { elbow = 45.0 }
"""
"""For the joints shoulder and elbow."""

SPECIFICATION = """robot = "planar2r"

[every_joint]
velocity = 1.0
acceleration = 2.0
torque_error = 2.0

[[joint]]
name = "joint2"
range = [-1.0, 1.5]
torque_error = 1.0
"""

CONTROL_SPECIFICATION = """robot = "planar2r"
search = "min_basis_gen"

[every_joint]
velocity = 1.0
acceleration = 2.0
control = { damping_error = 0.05, step_error = 0.01, ramp_error = 0.02 }

[every_joint.motor]
armature_resistance = 1.6
torque_constant = 0.26
back_emf_constant = 0.26
gear_ratio = 0.01
resonance_hz = 20.0
inertia = 5.0
"""

LOG_MAP = """position = "q_mot{}"
velocity = "dq_mot{}"
torque = "tau_mot{}"
time = "t"
angle_unit = "deg"
gear_ratios = [100.0, -50.0]
motor_side = ["torque"]
offset = [0, -90]
delay = 0.002
"""

COLUMNS = """[[gas_spring]]
joint = "joint1"
base = 0.8
lever = 0.2
area = 0.0016
pressure_volume = 15633.5
volume = 0.00096
angle = 1.658

[[recorded]]
joint = "joint2"
column = "current"
"""

PARAMETERS = """expression,value,std
Izz_link1 + 0.25*m_link2,1.5,0.1
mx_link2,0.3,
"""

LOG = "t,q1,q2,dq1,dq2,tau1,tau2,temperature\n" + "".join(
    f"{k / 100},{k / 50},{-k / 70},2,-1.4,{k % 7},{3 - k % 5},30.5\n" for k in range(12)
)

TRAJECTORY = "t,q_joint1,q_joint2,qd_joint1,qd_joint2,qdd_joint1,qdd_joint2\n" + "".join(
    f"{k / 100},{k / 50},{-k / 70},2,-1.4,0,0\n" for k in range(6)
)

WAY_POINTS = "t,q_joint1,q_joint2\n0,0,0\n0.5,1,-1\n1.5,0.5,0\n"

TEXTS = {
    "robot.urdf": URDF,
    "robot.urdf.xacro": XACRO,
    "robot.xml": MJCF,
    "robot.toml": DH,
    "robot.drives.toml": DRIVES,
    "specification.toml": SPECIFICATION,
    "control.toml": CONTROL_SPECIFICATION,
    "map.toml": LOG_MAP,
    "columns.toml": COLUMNS,
    "parameters.csv": PARAMETERS,
    "log.csv": LOG,
    "trajectory.csv": TRAJECTORY,
    "way_points.csv": WAY_POINTS,
}
