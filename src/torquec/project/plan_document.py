"""Hold errors as the JSON document of `torquec realtime plan`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torquec.foundation.arrays import Array
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.plan import HoldPlan


def plan_document(found: HoldPlan) -> dict[str, Any]:
    """Errors of torques by joint, proven and found, and the periods that are recommended."""

    def by_joint(values: Any) -> dict[str, float]:
        return dict(zip(found.joints, map(float, values), strict=True))

    assert found.found is not None
    return {
        "period": found.period,
        "latency": found.latency,
        "order": found.order.value,
        "zeroth": by_joint(found.held(HoldOrder.ZEROTH)),
        "first": by_joint(found.held(HoldOrder.FIRST)),
        "proven": by_joint(found.proven),
        "total": by_joint(found.total),
        "found": {"zeroth": by_joint(found.found.zeroth), "first": by_joint(found.found.first)},
        "allowed": None if found.allowed is None else by_joint(found.allowed),
        "recommended_period": found.recommended[found.order],
        "recommended": {order.value: period for order, period in found.recommended.items()},
        "coarse": list(found.bound.coarse),
        "curve": by_period(found.joints, found.curve()),
    }


def by_period(joints: Sequence[str], curve: Mapping[str, Array]) -> dict[str, Any]:
    """Bounds against the period, a list for every joint: what a report draws."""
    orders = {order: values for order, values in curve.items() if order != "period"}
    by_order = {order: dict(zip(joints, values.T.tolist(), strict=True)) for order, values in orders.items()}
    return {"period": curve["period"].tolist(), **by_order}
