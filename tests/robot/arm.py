"""A two-joint arm as URDF, small enough to count its lines; tests change one passage at a time."""

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.5 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/>
    </inertial>
  </link>
  <link name="fore">
    <inertial>
      <mass value="1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
    </inertial>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" velocity="3" effort="40"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="elbow" type="prismatic">
    <origin xyz="1 0 0"/>
    <parent link="upper"/>
    <child link="fore"/>
    <axis xyz="1 0 0"/>
    <limit lower="0" upper="1" velocity="1" effort="10"/>
  </joint>
  <joint name="grip" type="fixed">
    <origin xyz="0.1 0 0"/>
    <parent link="fore"/>
    <child link="tool"/>
  </joint>
</robot>
"""
