# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of SpecialSlice_TRT, by numpy's slices."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, x, **options):
    return Case(name, "SpecialSlice_TRT", {}, {"detections": x}, {"boxes": x[..., :4]}, **options)


def cases():
    x = np.random.default_rng(21).normal(0, 1, (3, 5, 6)).astype(np.float32)
    for count in (1, 3):
        yield case(f"open sizes, {count} images", x[:count], open=(0, 1))
    yield case("one detection", x[:, :1])
    yield case("NaN", withNan(x, (1, 2)))
    yield case("no detections", x[:, :0])
    for name, dtype, options in shortTypes():
        yield case(name, x.astype(dtype), **options)
    yield case("integers", np.arange(60, dtype=np.int32).reshape(2, 5, 6))
    yield case("refused: another shape", x[..., :5],
               refusal="SpecialSlice_TRT: input 'detections' is [3,5,5]; expected [B,N,6]")
