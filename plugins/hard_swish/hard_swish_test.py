# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of HardSwish and HARDSWISH_TRT, by the formula in double precision."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, x, op="HardSwish", version="1", **options):
    y = (x.astype(np.float64) * np.clip(x.astype(np.float64) + 3, 0, 6) / 6).astype(x.dtype)
    return Case(name, op, {"plugin_version": version}, {"x": x}, {"y": y}, domain="plugins", **options)


def cases():
    x = np.concatenate([np.linspace(-5, 5, 57), [-1000, 3, 1000]]).astype(np.float32).reshape(3, 4, 5)
    yield case("open sizes", x, open=(0, 1, 2))
    yield case("the other name", x, "HARDSWISH_TRT", "1.0")
    for name, dtype, options in shortTypes(2e-3):
        yield case(name, x.astype(dtype), **options)
    yield case("one sample", x[:1])
    yield case("NaN", withNan(x, (2, 1)))
    yield case("no elements", x[:, :0])
    yield Case("refused: no input", "HardSwish", {}, {}, {"y": x}, domain="plugins",
               refusal="HardSwish: has 0 inputs; expected 1: input [...]")
