"""A planar arm with friction, a log of it, and what `identify` makes of that: shared by tests of what comes out."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np

from torquec.identification.estimators.method import Method
from torquec.identification.excitation.excitation import simulated_log
from torquec.identification.identify import identify
from torquec.identification.identify_options import IdentifyOptions
from torquec.identification.torque.friction_law import FrictionModel
from torquec.robot import classics
from torquec.robot.friction import Friction
from torquec.robot.robot import Frame
from torquec.spatial import Inertia
from torquec.trajectory import fourier_motion

QUICK = IdentifyOptions(cutoff=10.0, rotors=False, friction=FrictionModel.OFFSET, strength=1.0)


def arm(scale=1.0):
    """Its inertias are those of the classic times a factor; its bodies have some width."""
    robot = classics.planar2r()
    bodies = [
        dataclasses.replace(
            body,
            inertia=Inertia(*(scale * value for value in body.inertia.parameters)),
            joint=dataclasses.replace(body.joint, friction=Friction.symmetric(0.5, 0.2, 0.1)),
        )
        for body in robot.bodies
    ]
    return dataclasses.replace(robot, bodies=tuple(bodies), frames=(*robot.frames, Frame("hand", 1)))


@cache
def log(seed=0):
    """A run of the arm along a Fourier series, without noise."""
    cosines, sines = np.random.default_rng(seed).normal(scale=0.8, size=(2, 2, 5))
    motion = fourier_motion([0.0, 0.0], cosines, sines, base_period=8.0, joints=arm().joint_names, period=0.01)
    return simulated_log(arm(), motion, noise=0.0)


@cache
def estimate(method=Method.CONSISTENT):
    """The arm identified from a run, starting from inertias that are 30 % too large; another run is predicted."""
    return identify(arm(1.3), log(), validate=[log(5)], options=dataclasses.replace(QUICK, method=method))
