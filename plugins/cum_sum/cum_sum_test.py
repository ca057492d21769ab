# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CumSum, by numpy's sums."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, x, attributes=None, **options):
    fields = {"axis": -1, "bInclusive": 1, **(attributes or {})}
    wide = x.astype(np.float64)
    y = np.cumsum(wide, fields["axis"])
    if not fields["bInclusive"]:
        first = np.zeros_like(np.take(y, [0], fields["axis"]))
        y = np.concatenate([first, np.delete(y, -1, fields["axis"])], fields["axis"])
    y = y.astype(x.dtype)
    return Case(name, "CumSum", attributes or {}, {"x": x}, {"y": y}, domain="plugins", **options)


def cases():
    x = np.random.default_rng(1).normal(0, 1, (3, 4, 5)).astype(np.float32)
    yield case("the last axis, without fields, open sizes", x, open=(0, 1, 2))
    yield case("without the element itself", x, {"bInclusive": 0})
    for axis in (0, 1, -2):
        yield case(f"axis {axis}", x, {"axis": axis, "bInclusive": axis & 1})
    yield case("a long axis", np.random.default_rng(2).normal(0, 1, (2, 5000)).astype(np.float32), tolerance=1e-4)
    yield case("integers", np.arange(12, dtype=np.int32).reshape(3, 4), {"axis": 0})
    for name, dtype, options in shortTypes(2e-3):
        yield case(name, x.astype(dtype), **options)
    yield case("one sample", x[:1], {"axis": 0})
    for inclusive in (0, 1):
        yield case(f"NaN, bInclusive {inclusive}", withNan(x, (1, 2, 3)), {"axis": 1, "bInclusive": inclusive})
    yield case("no elements", x[:, :0], {"axis": 1})
    for axis in (3, -4):
        yield Case(f"refused: axis {axis}", "CumSum", {"axis": axis}, {"x": x}, {"y": x}, domain="plugins",
                   refusal=f"CumSum: axis is {axis}; the input has 3 axes")
