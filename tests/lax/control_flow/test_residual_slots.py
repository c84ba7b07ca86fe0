"""Residuals of branches share slots."""

import pytest

from minijax.lax.control_flow import residual_slots


@pytest.mark.parametrize("avals, merged, places", [
    (["x", "y", "xx"], "xyx", [(0,), (1,), (0, 2)]),
    (["x", "x", "xx"], "xx", [(0,), (0,), (0, 1)]),
    (["yxx", "xzy", "zx"], "yxxz", [(0, 1, 2), (1, 3, 0), (3, 1)]),
    (["", "x"], "x", [(), (0,)]),
])  # fmt: skip
def test_residuals_of_branches_share_slots_by_type(avals, merged, places):
    assert residual_slots.merge_slots(list(map(list, avals))) == (tuple(merged), places)
