# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of GroupNorm, by the formula in double precision."""
import numpy as np
from case import Case, shortTypes, withNan


def expected(x, gamma, beta, swish, epsilon=1e-5):
    z = x.astype(np.float64).reshape(x.shape[0], 32, -1)
    z = (z - z.mean(2, keepdims=True)) / np.sqrt(z.var(2, keepdims=True) + epsilon)
    z = z.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]
    return (z / (1 + np.exp(-z)) if swish else z).astype(x.dtype)


def case(name, attributes, x, gamma, beta, y, **options):
    return Case(name, "GroupNorm", attributes, {"x": x, "gamma": gamma, "beta": beta}, {"y": y}, **options)


def cases():
    random = np.random.default_rng(10)
    x = random.normal(1, 3, (3, 64, 4, 5)).astype(np.float32)
    gamma, beta = (random.normal(0, 1, 64).astype(np.float32) for _ in range(2))
    for swish in (0, 1):
        yield case(f"bSwish {swish}", {"bSwish": swish}, x, gamma, beta, expected(x, gamma, beta, swish), open=(2, 3))
    yield case("one sample, epsilon", {"epsilon": 0.1}, x[:1], gamma, beta, expected(x[:1], gamma, beta, 0, 0.1))
    for name, dtype, options in shortTypes(6e-3):
        short = x.astype(dtype)
        yield case(name, {"bSwish": 1}, short, gamma, beta, expected(short, gamma, beta, 1), **options)
    unknown = withNan(x, (1, 5, 2, 3))
    yield case("NaN", {"bSwish": 1}, unknown, gamma, beta, expected(unknown, gamma, beta, 1))
    yield case("no samples", {"bSwish": 1}, x[:0], gamma, beta, x[:0])
    yield case("no positions", {"bSwish": 1}, x[:, :, :0], gamma, beta, x[:, :, :0])
    yield case("refused: epsilon", {"epsilon": -1.0}, x, gamma, beta, x, refusal="GroupNorm: epsilon has to be 0 or more")
    yield case("refused: channels", {}, x[:, :48], gamma[:48], beta[:48], x[:, :48], refusal="GroupNorm: the input has 48 "
               "channels; expected a multiple of 32, the number of groups")
