# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of LayerNorm, by the formula in double precision."""
import numpy as np
from case import Case, quantized, shortTypes, withNan


def expected(x, gamma, beta, axis=-1, epsilon=1e-5):
    axes = tuple(range(axis % x.ndim, x.ndim))
    z = x.astype(np.float64)
    z = (z - z.mean(axes, keepdims=True)) / np.sqrt(z.var(axes, keepdims=True) + epsilon)
    return (z * gamma + beta).astype(x.dtype)


def case(name, attributes, x, gamma, beta, y, **options):
    return Case(name, "LayerNorm", attributes, {"x": x, "gamma": gamma, "beta": beta}, {"y": y}, **options)


def cases():
    random = np.random.default_rng(9)
    x = random.normal(1, 3, (3, 4, 5, 6)).astype(np.float32)
    gamma, beta = (random.normal(0, 1, (4, 5, 6)).astype(np.float32) for _ in range(2))
    one = gamma[0, 0], beta[0, 0]
    yield case("the last axis", {}, x, *one, expected(x, *one), open=(1, 2))
    yield case("three axes", {"axis": 1, "epsilon": 0.1}, x, gamma, beta, expected(x, gamma, beta, 1, 0.1))
    yield case("two axes, counted from the end", {"axis": -2}, x, gamma[0], beta[0], expected(x, gamma[0], beta[0], -2))
    yield case("one sample", {}, x[:1], *one, expected(x[:1], *one))
    for name, dtype, options in shortTypes(4e-3):
        short = [array.astype(dtype) for array in (x, *one)]
        yield case(name, {}, *short, expected(*short), **options)
    unknown = withNan(x, (1, 2, 3, 4))
    yield case("NaN", {}, unknown, *one, expected(unknown, *one))
    yield case("no samples", {"axis": 1}, x[:0], gamma, beta, x[:0])
    yield case("no sequence", {}, x[:, :, :0], *one, x[:, :, :0])
    yield case("refused: epsilon", {"epsilon": -1.0}, x, *one, x, refusal="LayerNorm: epsilon has to be 0 or more")
    yield case("refused: axis", {"axis": 4}, x, *one, x, refusal="LayerNorm: axis is 4; the input has the axes -4 to 3")
    yield case("refused: gamma", {"axis": 1}, x, *one, x,
               refusal="LayerNorm: gamma and beta have to have the extents of the input from axis 1 on")
    yield case("INT8", {}, x, *one, quantized(expected(quantized(x, 0.25), *one), 0.02), scales={"x": 0.25, "y": 0.02},
               tolerance=0.02)
    eight = x.astype(np.int8)
    yield case("refused: INT8 without a scale", {}, eight, *one, eight, flags=["--stronglyTyped"],
               refusal="plugin LayerNorm, version 1, namespace \"\": input 'input' (x) is int8 [3,4,5,6], and its scale is not known")
