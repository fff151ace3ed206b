"""Specifications about coefficients of an arm of seven joints, the Panda without its fingers: whole models, slow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import torquec as tq
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.robot.lock_joints import lock_joints
from torquec.simplification.specification import parse_specification

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT.parent / "shared" / "data" / "models" / "panda.urdf"
CONTROL = ROOT / "examples" / "specifications" / "panda_control.toml"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not MODEL.exists(), reason="the model is not here")]


@pytest.fixture(scope="module")
def panda():
    return lock_joints(tq.load(MODEL), {"panda_finger_joint1": 0.0})


def test_a_threshold(panda):
    """All coefficients that lost a term have a bound, most of them a close one, and all are proven again."""
    small = tq.simplify(panda, parse_specification("[coefficients]\nthreshold = 0.01\n", panda))
    proofs = small.record.coefficients.coefficients
    ratios = sorted(proof.bound / proof.found for proof in proofs.values() if proof.found > 1e-9)
    assert len(proofs) > 190
    assert ratios[len(ratios) * 3 // 4] <= 1.06
    assert ratios[-1] <= 2.1
    check_certificate(panda, small.record)


def test_a_control_requirement(panda):
    """Two models: by torque, and by coefficients within their tolerances with a fraction of the terms.

    How many coefficients are simplified within the time limit depends on the machine's load; what is, is proven.
    """
    small = tq.simplify(panda, CONTROL, seconds=1200.0)
    inner = small.record.coefficients
    assert small.coefficients is not None
    assert all(proof.tolerance is None or proof.bound <= proof.tolerance for proof in inner.coefficients.values())
    own_inertias = {f"M[{i},{i}]" for i in range(1, panda.n + 1)} & set(inner.coefficients)
    assert all(inner.coefficients[name].kind is ErrorKind.RELATIVE for name in own_inertias)
    assert len(inner.coefficients) > len(own_inertias)
    assert small.record.joints
    check_certificate(panda, small.record)
    low = {name: replace(p, bound=0.5 * p.found, found=0.0) for name, p in inner.coefficients.items() if p.found > 1e-6}
    name, proof = next(iter(low.items()))
    false = replace(inner, coefficients={**inner.coefficients, name: proof})
    with pytest.raises(tq.errors.CheckError):
        check_certificate(panda, replace(small.record, coefficients=false))
