# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of GroupNormalizationPlugin, by the formula in double precision."""
import numpy as np
from case import Case, withNan


def expected(x, scale, bias, groups, eps):
    parts = x.astype(np.float64).reshape(x.shape[0], groups, -1)
    parts = (parts - parts.mean(2, keepdims=True)) / np.sqrt(parts.var(2, keepdims=True) + eps)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return (parts.reshape(x.shape) * scale.reshape(shape) + bias.reshape(shape)).astype(np.float32)


def case(name, attributes, x, scale, bias, y, **options):
    return Case(name, "GroupNormalizationPlugin", attributes, {"x": x, "scale": scale, "bias": bias}, {"y": y}, **options)


def cases():
    random = np.random.default_rng(6)
    x = random.normal(2, 3, (3, 6, 4, 5)).astype(np.float32)
    scale, bias = (random.normal(0, 1, 6).astype(np.float32) for _ in range(2))
    for groups in (1, 3, 6):
        yield case(f"{groups} groups", {"num_groups": groups, "eps": 1e-3}, x, scale, bias,
                   expected(x, scale, bias, groups, 1e-3), open=(2, 3))
    attributes = {"num_groups": 3, "eps": 1e-3}
    for name, given in (("one sample", x[:1]), ("NaN", withNan(x, (1, 2, 3, 4)))):
        yield case(name, attributes, given, scale, bias, expected(given, scale, bias, 3, 1e-3), open={"x": (0, ), "y": (0, )})
    yield case("no samples", attributes, x[:0], scale, bias, x[:0])
    yield case("no positions", attributes, x[:, :, :0], scale, bias, x[:, :, :0])
    yield case("no channels", attributes, x[:, :0], scale[:0], bias[:0], x[:, :0])
    yield case("refused: groups", {"num_groups": 4, "eps": 1e-3}, x, scale, bias, x,
               refusal="GroupNormalizationPlugin: 6 channels cannot be divided into 4 groups of one size")
    yield case("refused: scale", {"num_groups": 3, "eps": 1e-3}, x, scale[:5], bias, x,
               refusal="GroupNormalizationPlugin: input 'scale' is [5]; expected [C] with C = 6")
