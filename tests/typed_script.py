"""A script of a user, checked by mypy in strict mode (tests/test_typed_script.py): forty public names."""

from __future__ import annotations

import numpy as np

import torquec as tq

robot: tq.Robot = tq.load("puma560")
light = tq.attach_payload(robot, "link6", mass=0.5)
still = tq.lock_joints(light, {"joint6": 0.0})
q = tq.neutral(still)
moved = tq.integrate(still, q, [0.1] * still.nv)
way = tq.difference(still, q, moved)
arm: tq.Model = tq.compile(robot)
state = np.zeros((3, 6))
tau = arm.inverse_dynamics(state, state, state)
norm: float = float(np.linalg.norm(tau))
dq, dqd = arm.inverse_dynamics_derivatives(q=state, qd=state, qdd=state)
rotation, origin = arm.frame_pose("link6")(state)
rows = arm.jacobian("link6")(state).shape
kind: tq.ModelKind = arm.kind
form: tq.ClosedForm = tq.closed_form(robot)
base: tq.BaseParameters = tq.base_parameters(robot)
checked = tq.check_base_parameters(robot, base)
linear = tq.linearize(robot, [0.0] * 6, [0.0] * 6, [0.0] * 6)
law: tq.Controller = tq.computed_torque(arm, -20.0, period=1e-3)
motion: tq.Trajectory = tq.minimum_jerk([0.0] * 6, [0.1] * 6, 1.0, joints=robot.joint_names, period=1e-3)
result: tq.SimulationResult = tq.simulate(arm, law, motion)
worst: float = max(result.max_error.values())
guarantee: tq.TrackingGuarantee = tq.tracking_guarantee(arm, -20.0, motion, period=1e-3)
uncertainty: tq.Uncertainty = tq.Uncertainty()
ik = tq.inverse_kinematics(robot, "link6")
specification: tq.Specification = tq.load_specification("arm.toml", robot)
small: tq.Model = tq.simplify(robot, specification)
certificate: tq.Certificate = tq.load_certificate("small.certificate.json")
verdict = tq.check_certificate(robot, certificate)
package: tq.GeneratedPackage = tq.generate(arm, "out", target=tq.Target.C, precision=tq.Precision.DOUBLE)
tq.save(arm, "arm.tq.json")
again: tq.Model = tq.load_model("arm.tq.json")
log: tq.Log = tq.read_log("log.csv", robot)
estimate: tq.Estimate = tq.identify(robot, [log])
page: tq.View = tq.show(robot)
drives: tq.LibraryDrives = tq.library_drives(robot, "assumed")
classic: tq.Robot = tq.classics.scara()
joints: tuple[str, ...] = classic.joint_names
