"""Live back ends: a `Function` as an object of another library, to be called or differentiated there.

A live back end writes no file. Its object takes the inputs in order, as NumPy arrays or the library's own. It returns
the outputs in order, a tuple where there are several; `numpy.asarray` can read each of them. To add a back end: a file
beside this one, a `Live` and a row in `LIVE_BACK_ENDS`; the contract test then covers it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from torquec.foundation.choice import chosen

if TYPE_CHECKING:
    from torquec.expr import Function


class Live(StrEnum):
    """A library with an object type to which functions can be converted."""

    CASADI = "casadi"
    """`casadi.Function` over SX scalars; vectors are columns."""
    JAX = "jax"
    """A function on JAX arrays with batch axes in front; native code on the CPU."""
    TORCH = "torch"
    """A function on tensors with batch axes in front; native code on the CPU."""


@dataclass(frozen=True)
class LiveBackEnd:
    """A library: its description, the extra that it needs, and the maker of its objects from functions."""

    title: str
    extra: str
    make: Callable[[Function], Callable[..., Any]]


def live_function(function: Function, library: Live | str) -> Callable[..., Any]:
    """The function as an object of a library.

    Raises `ArgumentError` for an unknown library, `MissingExtraError` for one that is not installed, `ExpressionError`
    for a function that it cannot hold.
    """
    return LIVE_BACK_ENDS[chosen(Live, library, "library")].make(function)


def _maker(module: str, name: str) -> Callable[[Function], Callable[..., Any]]:
    """The function of that name, imported when it is called."""

    def make(function: Function) -> Callable[..., Any]:
        made: Callable[..., Any] = getattr(import_module(f"torquec.codegen.{module}"), name)(function)
        return made

    return make


LIVE_BACK_ENDS: Mapping[Live, LiveBackEnd] = MappingProxyType(
    {
        Live.CASADI: LiveBackEnd("CasADi", "casadi", _maker("casadi", "casadi_function")),
        Live.JAX: LiveBackEnd("JAX", "jax", _maker("jax", "jax_function")),
        Live.TORCH: LiveBackEnd("PyTorch", "torch", _maker("torch", "torch_function")),
    }
)
"""Every live back end."""
