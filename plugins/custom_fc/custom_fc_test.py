# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CustomFCPluginDynamic, by the formula in double precision."""
import numpy as np
from case import Case, shortTypes, withNan


def expected(x, weights):
    return (x[..., 0, 0].astype(np.float64) @ weights)[..., None, None].astype(x.dtype)


def case(name, x, weights, y, **options):
    attributes = {"out_dims": weights.shape[1], "type_id": 0, "W": weights.ravel(), **options.pop("attributes", {})}
    return Case(name, "CustomFCPluginDynamic", attributes, {"x": x}, {"y": y}, **options)


def cases():
    random = np.random.default_rng(8)
    x = random.normal(0, 1, (5, 3, 8, 1, 1)).astype(np.float32)
    weights = random.normal(0, 1, (8, 6)).astype(np.float32)
    y = expected(x, weights)
    yield case("open sequence and batch", x, weights, y, open=(0, 1))
    yield case("one sample", x[:, :1], weights, y[:, :1])
    for name, dtype, options in shortTypes(1e-2):
        short = x.astype(dtype)
        yield case(name, short, weights, expected(short, weights), attributes={"type_id": 1}, **options)
    yield case("NaN", withNan(x, (2, 1, 3)), weights, expected(withNan(x, (2, 1, 3)), weights))
    yield case("computed in half precision", x, weights, y, attributes={"type_id": 1}, tolerance=1e-2)
    yield case("no sequence", x[:0], weights, y[:0])
    yield case("no samples", x[:, :0], weights, y[:, :0], open=(0, ))
    yield case("refused: type_id", x, weights, y, attributes={"type_id": -1},
               refusal="CustomFCPluginDynamic: type_id has to be given, 0 (FLOAT) or 1 (HALF)")
    yield case("refused: out_dims", x, weights, y, attributes={"out_dims": 0},
               refusal="CustomFCPluginDynamic: out_dims has to be given, 1 or more")
    yield case("refused: W", x, weights, y, attributes={"out_dims": 5},
               refusal="CustomFCPluginDynamic: W has 48 numbers; expected a multiple of out_dims, 5")
    yield case("refused: rows", x, weights[:7], y,
               refusal="CustomFCPluginDynamic: the input's axis 2 has 8 elements, W has 7 rows")
