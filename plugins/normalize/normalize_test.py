# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Normalize_TRT, by the formula in double precision."""
import numpy as np
from case import Case, withNan


def expected(x, weights, across, eps=1e-10):
    x = x.astype(np.float64)
    length = np.sqrt((x * x).sum((1, 2, 3) if across else 1, keepdims=True) + eps)
    return (x / length * np.reshape(weights, (1, -1, 1, 1))).astype(np.float32)


def case(name, attributes, x, y, **options):
    return Case(name, "Normalize_TRT", {"acrossSpatial": 0, "channelShared": 0, "nbWeights": 3, **attributes}, {"x": x},
                {"y": y}, **options)


def cases():
    x = np.random.default_rng(5).normal(0, 1, (3, 3, 4, 5)).astype(np.float32)
    weights = [1.0, 20.0, 0.5]
    yield case("each position for itself", {"weights": weights}, x, expected(x, weights, False), open=(0, 2, 3))
    yield case("all positions together", {"weights": weights, "acrossSpatial": 1, "eps": 0.01}, x,
               expected(x, weights, True, 0.01))
    yield case("one weight", {"weights": [3.0], "channelShared": 1, "nbWeights": 1}, x, expected(x, [3.0], False))
    unknown = withNan(x, (1, 2, 3, 4))
    for across in (0, 1):
        fields = {"weights": weights, "acrossSpatial": across}
        yield case(f"one sample, acrossSpatial {across}", fields, x[:1], expected(x[:1], weights, across))
        yield case(f"NaN, acrossSpatial {across}", fields, unknown, expected(unknown, weights, across))
        yield case(f"no samples, acrossSpatial {across}", {"weights": weights, "acrossSpatial": across}, x[:0], x[:0])
        yield case(f"no positions, acrossSpatial {across}", {"weights": weights, "acrossSpatial": across}, x[..., :0],
                   x[..., :0])
    yield case("refused: weights", {"weights": [1.0, 2.0]}, x, x,
               refusal="Normalize_TRT: the input has 3 channels, weights has 2 numbers")
    yield case("refused: one weight", {"weights": weights, "channelShared": 1}, x, x,
               refusal="Normalize_TRT: weights has to be one number, because channelShared is set; found 3")
