from tests.codegen.llvm.programs import arm, random_program

from torquec.codegen.llvm_text.program import Fused, make_program
from torquec.expr import Op, count_operations, trace


def ops(algorithm, sizes, *, fuse=True):
    """The operations of a traced algorithm's steps, without its leaves."""
    program = make_program(trace("f", algorithm, sizes), fuse=fuse)
    return [step.op for step in program.steps if not step.is_leaf]


def test_a_product_is_fused_with_the_sum_that_alone_uses_it():
    assert ops(lambda x: {"y": x[0] * x[1] + x[2]}, {"x": (3,)}) == [Fused.ADD]
    assert ops(lambda x: {"y": x[0] * x[1] - x[2]}, {"x": (3,)}) == [Fused.SUB]
    assert ops(lambda x: {"y": x[2] - x[0] * x[1]}, {"x": (3,)}) == [Fused.NEGATED_ADD]
    assert ops(lambda x: {"y": -(x[0] * x[1] + x[2])}, {"x": (3,)}) == [Fused.NEGATED_SUB]


def test_a_product_that_is_used_twice_is_not_fused():
    assert ops(lambda x: {"y": [x[0] * x[1] + x[2], x[0] * x[1]]}, {"x": (3,)}) == [Op.MUL, Op.ADD]


def test_without_the_instruction_nothing_is_fused():
    assert ops(lambda x: {"y": x[0] * x[1] + x[2]}, {"x": (3,)}, fuse=False) == [Op.MUL, Op.ADD]


def test_late_terms_are_added_last():
    """x0 + (sin-like late term) + x1 + x2: the late one is the last argument, whatever its place."""

    def algorithm(x):
        late = 1.0 / x[3]
        return {"y": ((late + x[0]) + x[1]) + x[2]}

    program = make_program(trace("f", algorithm, {"x": (4,)}), fuse=True)
    division = next(k for k, step in enumerate(program.steps) if step.op is Op.DIV)
    users = [k for k, step in enumerate(program.steps) if division in step.args]
    assert users == [program.results[0][0]]


def test_equal_terms_make_a_balanced_tree():
    program = make_program(trace("f", lambda x: {"y": sum(x[1:], x[0])}, {"x": (8,)}), fuse=True)
    depth = {}
    for k, step in enumerate(program.steps):
        depth[k] = 1 + max((depth[a] for a in step.args), default=-1)
    assert depth[program.results[0][0]] == 3


def test_no_operation_is_added():
    for f in (arm(), arm(20), *(random_program(seed) for seed in range(10))):
        steps = [step.op for step in make_program(f, fuse=True).steps]
        count = count_operations(f)
        assert steps.count(Op.MUL) + sum(isinstance(op, Fused) for op in steps) <= count.mul
        sums = sum(op in (Op.ADD, Op.SUB, Op.NEG) or isinstance(op, Fused) for op in steps)
        assert sums <= count.add + sum(step.op is Op.NEG for step in f.operations)
