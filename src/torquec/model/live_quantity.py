"""A quantity of a model as a function of JAX or PyTorch, differentiable there.

The function takes the quantity's inputs in order, (*batch, *shape) each, and gives its outputs in order, a tuple where
there are several. Values are the native ones, in double precision on the CPU; derivatives are exact, traced from the
same program (:mod:`torquec.codegen.native_live`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torquec.codegen.live import Live, live_function
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot


def to_jax(source: Robot | Model, quantity: str) -> Callable[..., Any]:
    """The quantity as a JAX function: `jit`, `vmap`, `grad`, `jacfwd` and `hessian` apply; CPU, 64 bits.

    A frame's quantity is named as in "frame_pose:tool". Raises `MissingExtraError` without the extra `jax`,
    `ArgumentError` for an unknown quantity, `RefusedQuantityError` for one that the model does not have.
    """
    return live_function(as_model(source, any_joint=True).function(quantity), Live.JAX)


def to_torch(source: Robot | Model, quantity: str) -> Callable[..., Any]:
    """The quantity as a PyTorch function: autograd, `torch.func` and `torch.compile` apply; CPU, doubles.

    A frame's quantity is named as in "frame_pose:tool". Raises `MissingExtraError` without the extra `torch`,
    `ArgumentError` for an unknown quantity, `RefusedQuantityError` for one that the model does not have.
    """
    return live_function(as_model(source, any_joint=True).function(quantity), Live.TORCH)
