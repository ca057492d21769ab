# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Clip_TRT, by the formula."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, x, **options):
    y = x.astype(np.float64).clip(-1, 2.5).astype(x.dtype)
    return Case(name, "Clip_TRT", {"clipMin": -1.0, "clipMax": 2.5}, {"x": x}, {"y": y}, **options)


def cases():
    x = np.linspace(-3, 3, 36, dtype=np.float32).reshape(3, 3, 4)
    for count in (1, 3):
        yield case(f"two limits, {count} samples", x[:count], open=(0, 1, 2))
    yield case("no elements", x[:, :0])
    yield case("NaN", withNan(x, (1, 2)))
    for name, dtype, options in shortTypes():
        yield case(name, x.astype(dtype), **options)
    yield Case("refused: limits", "Clip_TRT", {"clipMin": 3.0, "clipMax": 2.0}, {"x": x}, {"y": x},
               refusal="Clip_TRT: clipMin has to be at most clipMax")
