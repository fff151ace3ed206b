import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, every_op, inputs_of, same_bits

from torquec.codegen.llvm import CallPath, CompileOptions, compile_function
from torquec.errors import ArgumentError

GOOD = np.zeros(5)
BATCH = np.zeros((4, 5))


@pytest.fixture(scope="module", params=list(CallPath))
def call(request):
    return compile_function(arm(), options=CompileOptions(call_path=request.param)).call


@pytest.mark.parametrize("convert", [list, tuple, np.float32, np.int64, np.uint8, np.bool_, np.float16])
def test_real_numbers_in_any_form(call, convert):
    numbers = np.array([0, 1, 1, 0, 1])
    given = convert(numbers.tolist()) if convert in (list, tuple) else numbers.astype(convert)
    expected = call(numbers.astype(float), GOOD)
    assert same_bits(call(given, GOOD), expected)
    many = [given] * 3 if convert in (list, tuple) else np.stack([given] * 3)
    assert same_bits(call(many, np.zeros((3, 5)))[1], expected)


def test_inputs_by_name_and_in_any_order(call):
    q, qd = inputs_of(arm(), np.random.default_rng(0))
    assert same_bits(call(qd=qd, q=q), call(q, qd))
    assert same_bits(call(q, qd=qd, threads=2), call(q, qd))


def test_one_state_among_batches_is_the_same_in_every_row(call):
    q, qd = inputs_of(arm(), np.random.default_rng(1), 33)
    assert same_bits(call(q, qd[4]), call(q, np.tile(qd[4], (33, 1))))
    assert same_bits(call(q[5], qd), call(np.tile(q[5], (33, 1)), qd))


def test_a_strided_out_is_written(call):
    for rows in ((), (33,)):
        arrays = inputs_of(arm(), np.random.default_rng(2), *rows)
        wide = np.full((*rows, 10), 7.0)
        out = wide[..., ::2]
        assert call(*arrays, out=out) is out
        assert same_bits(np.ascontiguousarray(out), call(*arrays))
        assert (wide[..., 1::2] == 7.0).all()


MISUSE = [
    ((GOOD,), {}, "missing arguments: qd", "it takes q, qd"),
    ((), {}, "missing arguments: q, qd", "it takes q, qd"),
    ((GOOD, GOOD, GOOD), {}, "3 arguments were given", "it takes 2: q, qd"),
    ((GOOD, GOOD), {"q": GOOD}, "'q' was given twice", "by position or by name"),
    ((GOOD, GOOD), {"qdd": GOOD}, "unknown argument 'qdd'", "q, qd, out, threads"),
    ((np.zeros(4), GOOD), {}, "'q' has shape (4,)", "'q' takes an array of shape (5,), or (N, 5) for a batch"),
    ((GOOD, np.zeros((4, 6))), {}, "'qd' has shape (4, 6)", "(5,), or (N, 5)"),
    ((GOOD, np.zeros((2, 4, 5))), {}, "'qd' has shape (2, 4, 5)", "(5,), or (N, 5)"),
    ((GOOD, 1.0), {}, "'qd' has shape ()", "(5,), or (N, 5)"),
    ((BATCH, np.zeros((3, 5))), {}, "q has 4 rows, qd has 3 rows", "same number of rows"),
    ((GOOD.astype(complex), GOOD), {}, "'q' has dtype complex128", "of real numbers"),
    ((GOOD.astype(object), GOOD), {}, "'q' has dtype object", "of real numbers"),
    ((["a"] * 5, GOOD), {}, "'q' has dtype <U1", "of real numbers"),
    ((None, GOOD), {}, "'q' has dtype object", "of real numbers"),
    ((np.zeros(5, "M8[s]"), GOOD), {}, "'q' has dtype datetime64[s]", "of real numbers"),
    (([[0.0], [0.0, 1.0]], GOOD), {}, "'q' is not an array", "(5,), or (N, 5)"),
    ((GOOD, GOOD), {"out": np.zeros(4)}, "out has shape (4,)", "writeable float64 array of shape (5,) for 'tau'"),
    ((GOOD, GOOD), {"out": np.zeros((1, 5))}, "out has shape (1, 5)", "shape (5,)"),
    ((BATCH, BATCH), {"out": np.zeros((3, 5))}, "out has shape (3, 5)", "shape (4, 5)"),
    ((GOOD, GOOD), {"out": np.zeros(5, np.float32)}, "out has dtype float32", "float64"),
    ((GOOD, GOOD), {"out": [0.0] * 5}, "out is list, not an array", "float64"),
    ((GOOD, GOOD), {"out": (np.zeros(5),)}, "out is tuple, not an array", "float64"),
    ((GOOD, GOOD), {"threads": 0}, "threads is 0", "positive integer"),
    ((GOOD, GOOD), {"threads": True}, "threads is True", "positive integer"),
    ((GOOD, GOOD), {"threads": 1.5}, "threads is 1.5", "positive integer"),
]


@pytest.mark.parametrize(("args", "named", "found", "remedy"), MISUSE, ids=[row[2] for row in MISUSE])
def test_misuse_is_named(call, args, named, found, remedy):
    with pytest.raises(ArgumentError) as caught:
        call(*args, **named)
    assert found in caught.value.found
    assert remedy in caught.value.remedy
    assert caught.value.where == "arm"


def test_a_read_only_out_is_refused(call):
    out = np.zeros(5)
    out.flags.writeable = False
    with pytest.raises(ArgumentError, match="read-only"):
        call(GOOD, GOOD, out=out)
    assert not out.any()


def test_several_outputs_want_as_many_arrays():
    call = compile_function(every_op()).call
    arrays = inputs_of(every_op(), np.random.default_rng(3))
    for out in (np.zeros(3), (np.zeros(3),), [np.zeros(3)] * 3):
        with pytest.raises(ArgumentError, match="give a tuple of 2 arrays: u, V"):
            call(*arrays, out=out)
    out = [np.zeros(3), np.zeros((2, 2))]
    assert call(*arrays, out=out) is out
    assert same_bits(tuple(out), call(*arrays))
