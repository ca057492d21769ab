# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of LReLU_TRT, by the formula."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, x, **options):
    y = np.where(x > 0, x, x * np.float32(0.1)).astype(x.dtype)
    return Case(name, "LReLU_TRT", {"negSlope": 0.1}, {"x": x}, {"y": y}, **options)


def cases():
    x = np.linspace(-3, 3, 36, dtype=np.float32).reshape(3, 3, 4)
    yield case("a slope", x, open=(0, 1, 2))
    yield case("one sample", x[:1])
    yield case("no elements", x[:, :0])
    yield case("NaN", withNan(x, (2, 1)))
    for name, dtype, options in shortTypes(2e-3):
        yield case(name, x.astype(dtype), **options)
    yield Case("refused: no input", "LReLU_TRT", {"negSlope": 0.1}, {}, {"y": x},
               refusal="LReLU_TRT: has 0 inputs; expected 1: input [...]")
