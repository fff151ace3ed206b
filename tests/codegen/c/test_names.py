"""Identifiers of a package: unique, clear of macros and of locals."""

from __future__ import annotations

from torquec.codegen.c.names import package_names
from torquec.expr import Function, Port


def function(name: str, *ports: str) -> Function:
    return Function(name, tuple(Port(port, (1,)) for port in ports), (), (), ())


def test_plain_names_stay():
    names = package_names([function("mass_matrix", "q", "M")], "panda")
    assert names.functions == ("panda_mass_matrix",)
    assert names.ports(function("mass_matrix", "q", "M")) == {"q": "q", "M": "M"}


def test_parameters_keep_clear_of_locals_macros_and_the_guard():
    ports = ("v1", "x0", "s12", "c3", "NAN", "M_PI", "P_H_INCLUDED", "v1_", "double")
    made = package_names([], "p").ports(function("f", *ports))
    assert list(made.values()) == ["v1_", "x0_", "s12_", "c3_", "NAN_", "M_PI_", "P_H_INCLUDED_", "v1__", "double_x0_"]


def test_helpers_keep_clear_of_functions():
    assert package_names([function("sincos4")], "p").helper("sincos4") == "p_sincos4_"
    assert package_names([function("other")], "p").helper("sincos4") == "p_sincos4"
