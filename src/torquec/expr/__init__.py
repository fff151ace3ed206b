"""The intermediate representation: hash-consed nodes, traced functions, derivatives, evaluation, operation counts."""

from torquec.expr.differentiate import differentiate, jacobian_nodes
from torquec.expr.evaluate import evaluate
from torquec.expr.function import (
    Function,
    Operation,
    OperationCount,
    Port,
    check_function,
    count_operations,
    function_from_dict,
    function_to_dict,
    operation_cost,
)
from torquec.expr.graph import Graph, Node
from torquec.expr.ops import Op
from torquec.expr.trace import bind, inline, trace

__all__ = [
    "Function",
    "Graph",
    "Node",
    "Op",
    "Operation",
    "OperationCount",
    "Port",
    "bind",
    "check_function",
    "count_operations",
    "differentiate",
    "evaluate",
    "function_from_dict",
    "function_to_dict",
    "inline",
    "jacobian_nodes",
    "operation_cost",
    "trace",
]
