"""`Simplified`: a proven program of inverse dynamics, with simplified coefficients M, c and g where there are any."""

from __future__ import annotations

from dataclasses import dataclass

from torquec.expr import Function, count_operations
from torquec.proof.torque.certificate import Certificate
from torquec.simplification.coefficient_model import CoefficientModel


@dataclass(frozen=True)
class Simplified:
    """What meets a specification: the certificate of inverse dynamics, and the coefficients where they are simplified.

    The coefficients are those that `certificate.coefficients` is about.
    """

    certificate: Certificate
    coefficients: CoefficientModel | None = None

    @property
    def cost(self) -> int:
        """The price of the certified program."""
        return cost(self.certificate.program)


def cost(program: Function) -> int:
    """The price of a program: its operations, sines and cosines included."""
    return count_operations(program).cost
