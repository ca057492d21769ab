# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Mish and Mish_TRT, by the formula in double precision."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, x, op="Mish_TRT", **options):
    wide = x.astype(np.float64)
    softplus = np.maximum(wide, 0) + np.log1p(np.exp(-np.abs(wide)))
    y = (wide * np.tanh(softplus)).astype(x.dtype)
    return Case(name, op, {}, {"x": x}, {"y": y}, domain="plugins", **options)


def cases():
    x = np.concatenate([np.linspace(-20, 20, 54), [-1000, -100, 0, 90, 100, 1000]]).astype(np.float32).reshape(3, 4, 5)
    yield case("open sizes", x, open=(0, 1, 2))
    yield case("the other name", x, "Mish")
    for name, dtype, options in shortTypes(2e-3):
        yield case(name, x.astype(dtype), **options)
    yield case("one sample", x[:1])
    yield case("no elements", x[:, :0])
    yield case("NaN", withNan(x, (2, 1)))
    yield Case("refused: no input", "Mish_TRT", {}, {}, {"y": x}, refusal="Mish_TRT: has 0 inputs; expected 1: input [...]")
