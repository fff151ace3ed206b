"""Limits, shares and step sizes of the search for a smaller program.

Ratios without a unit are relative to the quantity that the text names; equation numbers are those of the module that is
named above the fields.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchTuning:
    """Each with its unit and the reason for its size, by module."""

    # closed_torque
    closed_form_joints: int = 6  # most joints of a closed form: beyond, it has thousands of terms
    closed_form_reduction: float = 2.2  # usual reduction by pruning: forms above this multiple of the best are dropped
    closed_form_omission: float = 0.5  # share of a joint's error that (1) may use
    closed_form_samples: int = 4000  # positions for a term's largest value, which decides the order of removal only
    # degree_limit
    control_points: int = 7**6  # most of a box in a proof: degree three in six joints ..
    control_point_growth: int = 3  # .. or this multiple of the initial program's, whose degree is two in seven joints
    table_values: int = 150_000_000  # most numbers in all tables of a proof that the checker accepts: points times rows
    raised_degree: int = 3  # highest degree in a joint whose exact torques have less: two without mimic joints
    degree_probe: float = 0.1  # relative change of a constant that tests whether degrees rise (2)
    # descents
    unpromising_price: float = 1.6  # times the cheapest: where time is limited, more expensive programs are not pruned
    resumed_prices: tuple[float, ...] = (1.08, 1.15, 1.3, 1.6)  # over the shortest: stages that later rounds start from
    rounds_before_restart: int = 4  # later rounds without gain before a restart (3)
    fruitless_restarts: int = 2  # consecutive restarts without gain that end the search (3)
    # fewer_parameters
    first_error_share: float = 0.3  # usable share of tolerances at first motions: worst errors are seldom triple
    distal_error_share: float = 0.6  # of tolerances, at first motions, for omitting all moments distal to a link (2)
    # fitting.chebyshev_program
    solver_tolerance: float = 1e-9  # feasibility tolerance of the solver; its results are verified anyway (3)
    qr_columns: int = 20  # columns from which on a projection by QR is quicker than one by least squares
    lawson_steps: int = 8  # reweightings after which the level is within a few percent of the best
    first_rows: int = 400  # of the first linear program: ten times the usual number of columns
    new_rows: int = 200  # that join in each round
    chebyshev_rounds: int = 40  # most rounds of the fit: it takes three or four
    level_gap: float = 1e-3  # relative gap at which a level counts as optimal: proofs need a larger margin than that
    # fitting.fit_problem
    exchange_rounds: int = 60  # most exchanges of points; a fit that has not converged by then still has a valid level
    exact_fit_level: float = 1e-12  # a level below this part of the coefficient's size is rounding: the fit is exact
    exchange_gap: float = 1e-6  # relative gap of bounds at which an exchange has converged
    # fitting.largest_terms
    term_points: int = 1500  # points beside those that the problem begins with
    removed_at_once: int = 12  # one in this number of terms is removed at once (2)
    term_reweightings: int = 3  # weightings of a fit that only decides whether terms can go
    needed_terms: int = 8  # consecutive terms found to be needed that end the removal
    peak_rounds: int = 6  # fits to new peaks before terms come back (3)
    point_fit_share: float = 0.97  # share of the tolerance for fits on points: between points errors are larger
    integer_rows: int = 400  # rows of the program: with more of them each node of the tree takes seconds
    # fitting.minimal_basis
    candidate_products: int = 20_000  # more products than this are refused
    exhaustive_terms: int = 16  # up to this many terms, each is tried for removal; beyond, the first unneeded one goes
    sparse_fit_candidates: int = 150  # up to this many, the sparse fit (1) is tried too
    rough_fit_terms: int = 150  # terms of a target beyond which fits are rough, and no other candidates are tried
    basis_attempts: int = 12  # searches for a set, each with the points at which the last one failed
    integer_attempts: int = 4  # the same for integer programs
    swaps_per_term: int = 3  # terms tried as replacements of each: those that would help most
    swapped_terms: int = 32  # most terms for swaps: beyond, they take too long for their gain
    # fitting.point_exchange
    pseudo_point_distance: float = 1e3  # (3): beyond what coefficients of scaled columns reach
    weight_perturbation: float = 1e-10  # growing from one weight to the next: equal ones could make the exchange cycle
    exchanges_per_inverse: int = 40  # until the inverse is recomputed, whose updates accumulate rounding errors
    smallest_pivot: float = 1e-9  # elements below this are no pivots: dividing by them would lose half of the digits
    # moment_search
    moment_samples: int = 1500  # first motions of fits: thirty a moment for six joints; the worst ones join later
    moment_candidates: int = 8  # for removal, by added error; the one with most savings per error goes
    moment_exchanges: int = 250  # exchanges that are fitted, in the order of their least-squares error
    moment_rounds: int = 12  # most rounds in which the worst motions of a fit join: the level converges long before
    moment_target_share: float = 0.99  # share of the tolerance that searches aim at, and at which a fit is good enough
    # pipeline
    proven_candidates: int = 3  # number of the cheapest candidates whose proofs are tried before aims are lowered (5)
    lowered_aim: float = 0.94  # factor on a joint's aim where its error was not proven (6)
    aim_attempts: int = 4  # most such factors
    proven_at_once_price: float = 0.85  # times the best proven one's: cheaper ones are proven at once in limited time
    # prove
    inertia_time_share: float = 0.1  # part of the time before the check for the witness that M is positive definite
    near_price: float = (
        1.06  # over the cheapest of a round: smaller errors there make a first proof several times as fast
    )
    refit_target_share: float = 0.97  # factor on a joint's target error for a fit after a failed proof
    refit_attempts: int = 2  # most such fits
    # prune
    final_forms: int = 8  # how often a program is factored again at the end; the shortest form counts (6)
    # prune_search
    pool_motions: int = 500  # initial size of the pool
    searched_motions: int = 100_000  # motions tried in each search for the worst
    worst_per_joint: int = 12  # motions of each joint that join the pool, per search for the worst
    harmless_slack: float = 0.03  # most slack of replacements tried together, in squared tolerances
    harmless_searched: int = 500  # number of replacements that are searched for such ones
    degree_batch: int = 64  # replacements whose degrees are computed together
    fits_per_trial: int = 8  # most fits of the constants for one trial: each is to the worst motions of the one before
    predicted_motions: int = 700  # most motions of predictions: two of three have the largest errors
    gain_perturbation: float = 0.4  # of the logarithm of gains, random, in all descents but the first
    least_slack: float = 0.02  # assumed of every replacement, in tolerances: among those that use none, savings decide
    # refactor
    expanded_terms: int = 48  # most terms of an expanded sum; products that would give more are not expanded
    sharing_perturbations: tuple[float, float, float] = (0.0, 0.3, 0.6)  # of the log of a factor's number of terms (2)
    multiples_probability: float = 0.6  # probability of using multiples of values (3)
    expansion_probability: float = 0.5  # probability of expanding a shared step (4)
    fruitless_forms: int = 200  # number of forms without gain that ends a search, for any number of sums
    zero_coefficient: float = 1e-14  # relative to the summands: smaller ones are rounding errors of zero
    unit_coefficient: float = 1e-12  # relative difference from one that is rounding error
    # refit_constants
    first_radius: float = 0.5  # of the trust region of the constants, relative
    smallest_radius: float = 0.02  # of the trust region: smaller ones have no effect
    refit_programs: int = 6  # linear programs for one fit; two or three lower the error noticeably
    weight_without_error: float = 0.15  # of motions without error in least squares; the worst has one more
    ridge: float = 1e-4  # of the columns' mean square: constants with little effect do not change
    worthwhile_gain: float = 0.995  # a step that lowers the error by less than this factor is the last
    least_large_error: float = 0.3  # in tolerances: the least error that counts as large
    linear_change: float = 1.0  # largest relative change of a constant for which the linearization is trusted
    # replacements
    rounded_factor: float = 0.08  # from one or minus one: rounding saves a product, constants are fitted later
    similar_torque_change: float = 0.35  # most mean change, in tolerances, of a replacement (3): larger ones fail
    similar_values: int = 48  # number of similar values tried for each step, the closest first
    # stated_number
    largest_position_error: float = 1.0  # position errors above this [rad, m] are taken for degrees or millimetres
    # tolerance
    proof_margin: float = 0.965  # share of a tolerance for fits: proven bounds lie above the error
    proof_margin_long_arm: float = 0.8  # for more than six joints (4): bounds are less tight
    largest_share: float = 1.06  # largest tolerance over coefficient: with the margin it can still be left out
    largest_share_long_arm: float = 1.35  # the same for more than six joints
    bodies_by_parts: int = 6  # bodies up to which the loops' budgets are shared by (1)
    stribeck_speed_share: float = 1e-9  # of the largest speed, near zero: Stribeck friction has its maximum there
    omitted_budget_share: float = 0.5  # part of a budget that is available to terms left out altogether (2)
    # torque_coefficients
    coefficient_noise: float = 2e-14  # of the joint's largest torque on the grid: smaller coefficients are rounding
    compared_positions: int = 64  # of a polynomial and the program: a wrong one differs at nearly all
    reproduction_tolerance: float = 1e-9  # of the joint's torque: most difference of a reproducing entry
    largest_grid: int = 200_000  # degree two in seven joints or three in six; larger closed forms are not derived


TUNING = SearchTuning()
