# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of BatchTilePlugin_TRT, by numpy's repetition."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, batch, picture, **options):
    y = np.repeat(picture[:1].reshape(1, *picture.shape[-3:]), len(batch), axis=0)
    return Case(name, "BatchTilePlugin_TRT", {}, {"batch": batch, "picture": picture}, {"pictures": y}, **options)


def cases():
    picture = np.random.default_rng(1).normal(0, 1, (1, 3, 4, 5)).astype(np.float32)
    batch = np.zeros((3, 7), np.float32)
    yield case("three samples", batch, picture)
    yield case("one sample", batch[:1], picture)
    yield case("no samples", batch[:0], picture)
    yield case("integers", np.zeros((3, 1), np.int32), np.arange(60, dtype=np.int32).reshape(1, 3, 4, 5))
    for name, dtype, options in shortTypes():
        yield case(name, batch.astype(dtype), picture.astype(dtype), **options)
    yield case("NaN", batch * np.float32(np.nan), withNan(picture, (0, 1)))
    yield case("no rows", batch, picture[:, :, :0])
    two = np.concatenate([picture, picture + 1])[:, None]
    yield case("an image for each sample: all get the first", batch[:2], two, open=(0,))
    yield Case("refused: two images", "BatchTilePlugin_TRT", {}, {"batch": batch, "picture": two[:, 0]},
               {"pictures": two[:, 0]},
               refusal="BatchTilePlugin_TRT: input 'image' is [2,3,4,5]; expected [1,C,H,W] or [N,1,C,H,W] with N = 3")
