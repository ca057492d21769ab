# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CoordConvAC, by the paper's formula in double precision."""
import numpy as np
from case import Case, shortTypes, withNan


def expected(x):
    n, _, h, w = x.shape
    def coordinates(count):
        return -1 + 2 * np.arange(count) / max(count - 1, 1)
    rows = np.broadcast_to(coordinates(h)[:, None], (n, 1, h, w))
    columns = np.broadcast_to(coordinates(w), (n, 1, h, w))
    return np.concatenate([x, rows, columns], 1).astype(x.dtype)


def case(name, x, **options):
    return Case(name, "CoordConvAC", {}, {"x": x}, {"y": expected(x)}, **options)


def cases():
    x = np.random.default_rng(1).normal(0, 1, (3, 2, 5, 7)).astype(np.float32)
    yield case("more columns than rows", x)
    yield case("open sizes", x, open=(0, 1, 2, 3))
    yield case("one row, one column", x[:, :, :1, :1])
    yield case("one sample", x[:1])
    yield case("NaN", withNan(x, (1, 1, 2)))
    for name, dtype, options in shortTypes(1e-3):
        yield case(name, x.astype(dtype), **options)
    for text, empty in {"samples": x[:0], "channels": x[:, :0], "rows": x[:, :, :0], "columns": x[..., :0]}.items():
        yield case(f"no {text}", empty)
    yield Case("refused: another shape", "CoordConvAC", {}, {"x": x[0]}, {"y": x[0]},
               refusal="CoordConvAC: input 'input' is [2,5,7]; expected [N,C,H,W]")
