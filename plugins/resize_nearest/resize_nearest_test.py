# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of ResizeNearest_TRT, by numpy's indexing; extents and indices in 32-bit floats."""
import numpy as np
from case import Case, shortTypes, withNan


def expected(x, scale):
    scale = np.float32(scale)
    def places(extent):
        return (np.arange(int(np.float32(extent) * scale), dtype=np.float32) / scale).astype(np.int64)
    return x[:, :, places(x.shape[2])][..., places(x.shape[3])]


def case(name, x, scale, **options):
    return Case(name, "ResizeNearest_TRT", {"scale": float(scale)}, {"x": x}, {"y": expected(x, scale)}, **options)


def cases():
    x = np.random.default_rng(1).normal(0, 1, (3, 3, 5, 7)).astype(np.float32)
    for scale in (2, 0.5, 1.5, 3.3, 1):
        yield case(f"scale {scale}", x, scale)
    yield case("a product that is whole in float only", np.random.default_rng(2).normal(0, 1, (1, 1, 10, 20)).astype(
        np.float32), 0.7)
    yield case("open sizes", x, 2, open=(0, 1, 2, 3))
    yield case("open sizes, a fraction", x, 1.3, open=(2, 3))
    for name, dtype, options in shortTypes():
        yield case(name, x.astype(dtype), 2, **options)
    yield case("NaN", withNan(x, (1, 2, 3)), 1.5)
    yield case("integers", np.arange(12, dtype=np.int32).reshape(1, 1, 3, 4), 2)
    yield case("so small that nothing is left", x, 0.125)
    yield case("no channels", x[:, :0], 2)
    for scale in ("0", "-1", "65537"):
        yield Case(f"refused: scale {scale}", "ResizeNearest_TRT", {"scale": float(scale)}, {"x": x}, {"y": x},
                   refusal=f"ResizeNearest_TRT: scale has to be given, more than 0 and at most 65536; found {float(scale):.6f}")
