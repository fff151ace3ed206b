"""The PUMA 560 sample of Kang's influence coefficients: I* and symmetric P* at one position.

Computed outside of this package from Kang's sums over bodies, with Armstrong's parameters (Clover), without rotors;
to ten decimals. Matrices are symmetric: their upper triangles are given, row by row; those of P*_1 to P*_6 with
semicolons between them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from torquec.robot import classics
from torquec.robot.robot import Drives

Q = (0.3, -0.7, 1.1, 0.4, -0.9, 0.2)

INERTIA = """
    2.7397513114 -0.5512078757 -0.1249050845 0.0004701858 7.23353e-05 3.41401e-05 2.7373640052 0.662299251
    0.0007568955 0.0015440899 -1.22017e-05 0.3353484989 0.0004188202 0.001351411 -1.22017e-05 0.0017640456 0.0
    2.48644e-05 0.00064216 0.0 4e-05
"""

POWER = """
    0.0 1.2401628094 0.3655779108 0.0001026221 0.0011698383 0.0 0.5914342717 0.0484417923 -0.0002617319
    -0.0001058579 8.4494e-06 0.0484417923 -0.0002617319 -0.0001058579 8.4494e-06 0.0001495375 0.0009044834
    -2.3758e-06 0.0002392523 9.9707e-06 0.0
;
    -1.2401628094 0.0 0.0 0.0018807159 -0.0005982177 -8.4494e-06 0.0 0.1797087423 7.38753e-05 0.002149636 0.0
    0.1797087423 7.38753e-05 0.002149636 0.0 0.0017902261 -0.0006863073 -1.44298e-05 0.0020138591 4.8413e-06
    0.0
;
    -0.3655779108 0.0 0.0 0.0013027008 -0.000404289 -8.4494e-06 -0.1797087423 0.0 -9.81942e-05 0.0009585201
    0.0 0.0 -9.81942e-05 0.0009585201 0.0 0.000990603 -0.0004180273 -1.44298e-05 0.0008635952 4.8413e-06 0.0
;
    -0.0001026221 -0.0018807159 -0.0013027008 0.0 -0.0002140676 2.3758e-06 -7.38753e-05 9.81942e-05 0.0
    0.0001339777 1.44298e-05 9.81942e-05 0.0 0.0001339777 1.44298e-05 0.0 -9.84365e-05 0.0 0.0 1.56665e-05 0.0
;
    -0.0011698383 0.0005982177 0.000404289 0.0002140676 0.0 -9.9707e-06 -0.002149636 -0.0009585201
    -0.0001339777 0.0 -4.8413e-06 -0.0009585201 -0.0001339777 0.0 -4.8413e-06 9.84365e-05 0.0 -1.56665e-05 0.0
    0.0 0.0
;
    0.0 8.4494e-06 8.4494e-06 -2.3758e-06 9.9707e-06 0.0 0.0 0.0 -1.44298e-05 4.8413e-06 0.0 0.0 -1.44298e-05
    4.8413e-06 0.0 0.0 1.56665e-05 0.0 0.0 0.0 0.0
"""


def whole(upper):
    """A symmetric matrix (6, 6) from the text of its upper triangle."""
    matrix = np.zeros((6, 6))
    matrix[np.triu_indices(6)] = [float(word) for word in upper.split()]
    return matrix + np.triu(matrix, 1).T


def assert_sample(method):
    """A method's I* and P* are those above, to their ten decimals."""
    model = method(replace(classics.puma560(), drives=Drives()), list(Q))
    assert np.abs(np.subtract(model.inertia, whole(INERTIA))).max() < 1e-10
    assert np.abs(np.subtract(model.symmetric_power, [whole(part) for part in POWER.split(";")])).max() < 1e-10
