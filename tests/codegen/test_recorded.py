import numpy as np
from tests.codegen.programs import every_operation, random_function

from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.expr import evaluate, trace
from torquec.expr.math import select, sincos
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.robot import classics


def states_of(function, **options):
    return record_states(function, np.random.default_rng(RECORDED_SEED), **options)


def test_outputs_are_those_of_the_inputs():
    function = random_function(4, smooth=True)
    states = states_of(function)
    expected = evaluate(function, dict(states.inputs))
    for port in function.outputs:
        assert states.outputs[port.name].shape == (STATES, *port.shape)
        np.testing.assert_array_equal(states.outputs[port.name], expected[port.name])


def test_the_tolerance_follows_the_function():
    """A difference of nearly equal numbers is allowed what its cancellation costs."""
    plain = trace("plain", lambda x: {"y": x[0] + 1.0}, {"x": (1,)})
    cancelling = trace("cancelling", lambda x: {"y": 1e3 * (x[0] + 1e6) - 1e9}, {"x": (1,)})
    assert states_of(plain).tolerance == 1e-12
    assert 1e-9 <= states_of(cancelling).tolerance <= 1e-7
    assert states_of(plain, epsilon=2.0**-23).tolerance > 1e-4


def test_the_same_function_gives_the_same_states():
    first, second = states_of(every_operation()), states_of(every_operation())
    assert all((first.inputs[name] == second.inputs[name]).all() for name in first.inputs)


def test_decisions_are_recorded_away_from_where_they_jump():
    """Inverse kinematics rounds to whole turns and chooses between branches, some of which are ties."""
    arm = inverse_kinematics(classics.scara(), classics.scara().frames[-1].name)
    for function in (arm.function, arm.nearest_function):
        assert states_of(function).tolerance <= 1e-9


def unity(x):
    """cos^2 + sin^2 - 1, whose sign is decided by rounding alone."""
    sine, cosine = sincos(x)
    return (sine * sine + cosine * cosine) - 1.0


def test_a_tie_is_not_recorded():
    def algorithm(x):
        return {"y": [select(select(x[0], unity(x[1]), 1.0), 1.0, -1.0), x[1]]}

    states = states_of(trace("f", algorithm, {"x": (2,)}))
    assert states.tolerance == 1e-12
    assert (states.inputs["x"][:, 0] < 0.0).all()


def test_where_every_state_jumps_the_tolerance_is_one():
    """Nothing can be held there, and the test says so by a tolerance of the size of the result."""
    assert states_of(trace("f", lambda x: {"y": [select(unity(x[0]), 1.0, -1.0)]}, {"x": (1,)})).tolerance == 1.0
