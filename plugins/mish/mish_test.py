# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Mish and Mish_TRT, by the formula in double precision."""
import numpy as np
from case import Case


def case(name, x, op="Mish_TRT", **options):
    wide = x.astype(np.float64)
    y = (wide * np.tanh(np.logaddexp(0, wide))).astype(x.dtype)
    return Case(name, op, {}, {"x": x}, {"y": y}, domain="plugins", **options)


def cases():
    x = np.concatenate([np.linspace(-20, 20, 54), [-1000, -100, 0, 90, 100, 1000]]).astype(np.float32).reshape(3, 4, 5)
    yield case("open sizes", x, open=(0, 1, 2))
    yield case("the other name", x, "Mish")
    yield case("half precision", x.astype(np.float16), flags=["--stronglyTyped"], tolerance=2e-3)
    yield case("no elements", x[:, :0])
    yield Case("NaN", "Mish_TRT", {}, {"x": np.array([np.nan, 0], np.float32)}, {"y": np.array([np.nan, 0], np.float32)})
    yield Case("refused: no input", "Mish_TRT", {}, {}, {"y": x}, refusal="Mish_TRT: has 0 inputs; expected 1: input [...]")
