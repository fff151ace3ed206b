"""Polynomials as coefficient tables, for tests of enclosures."""

from __future__ import annotations

import numpy as np

from torquec.closedform.tabulate import basis_powers


def table_of(polynomials, variables, degree):
    """Coefficients on the product basis, (entries, basis, .., basis)."""
    index = {variable: k for k, variable in enumerate(variables)}
    places = [{power: k for k, power in enumerate(basis_powers(variable, degree))} for variable in variables]
    table = np.zeros((len(polynomials), *(len(place) for place in places)))
    for entry, polynomial in enumerate(polynomials):
        for monomial, coefficient in polynomial:
            position = [0] * len(variables)
            for variable, a, b in monomial:
                position[index[variable]] = places[index[variable]][a, b]
            table[(entry, *position)] += coefficient
    return table
