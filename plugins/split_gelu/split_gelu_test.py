# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of SplitGeLU, by the formula in double precision."""
from math import erf

import numpy as np
from case import Case, shortTypes, withNan


def expected(x):
    left, right = np.split(x.astype(np.float64), 2, axis=2)
    return (left * right * (np.vectorize(erf, otypes=[float])(right / 1.4140625) + 1) / 2).astype(x.dtype)


def case(name, x, y, **options):
    return Case(name, "SplitGeLU", {}, {"x": x}, {"y": y}, **options)


def cases():
    x = np.random.default_rng(12).normal(0, 1.5, (3, 7, 10)).astype(np.float32)
    yield case("open batch and sequence", x, expected(x), open=(0, 1))
    yield case("one sample", x[:1], expected(x[:1]))
    for name, dtype, options in shortTypes(6e-3):
        yield case(name, x.astype(dtype), expected(x.astype(dtype)), **options)
    unknown = withNan(x, (1, 2, 3), (2, 5, 8))
    yield case("NaN on the left and on the right", unknown, expected(unknown))
    yield case("no sequence", x[:, :0], expected(x[:, :0]))
    yield case("no channels", x[:, :, :0], expected(x[:, :, :0]))
    for open_axes, found in (((2, ), "-1"), ((), "9")):
        yield case(f"refused: {found} channels", x[..., :9], x[..., :4], open=open_axes,
                   refusal=f"SplitGeLU: the input's axis 2 has to be known when the engine is built, and even; found {found}")
