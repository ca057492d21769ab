# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of InstanceNormalization_TRT, by the formula in double precision."""
import numpy as np
from case import Case, quantized, shortTypes, withNan


def expected(x, scales, bias, epsilon=1e-5, negative=1.0):
    x = x.astype(np.float64)
    axes = tuple(range(2, x.ndim))
    shape = (1, -1) + (1,) * len(axes)
    y = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)
    y = y * np.reshape(scales, shape) + np.reshape(bias, shape)
    return np.where(y < 0, y * negative, y)


def case(name, x, outputs, **options):
    attributes = {"scales": [1.0, 2.0, 0.5], "bias": [0.0, -1.0, 3.0], "plugin_version": "1",
                  **options.pop("attributes", {})}
    return Case(name, "InstanceNormalization_TRT", attributes, {"x": x}, {"y": outputs.astype(x.dtype)}, **options)


def cases():
    random = np.random.default_rng(2)
    scales, bias = [1.0, 2.0, 0.5], [0.0, -1.0, 3.0]
    x = random.normal(5, 3, (3, 3, 8, 9)).astype(np.float32)
    for version in ("001", "1", "2", "3"):
        yield case(f"version {version}, open sizes", x, expected(x, scales, bias),
                   attributes={"plugin_version": version}, open=(0, 2, 3))
    yield case("a rectifier with a slope", x, expected(x, scales, bias, 0.1, 0.2),
               attributes={"relu": 1, "alpha": 0.2, "epsilon": 0.1})
    volume = random.normal(0, 1, (1, 3, 4, 5, 6)).astype(np.float32)
    yield case("five dimensions", volume, expected(volume, scales, bias))
    for version, given in (("1", volume), ("3", x)):
        y = quantized(expected(quantized(given, 0.25), scales, bias), 0.05)
        yield case(f"version {version}, INT8", given, y, attributes={"plugin_version": version}, scales={"x": 0.25, "y": 0.05},
                   tolerance=0.05)
    yield case("no samples", x[:0], x[:0])
    yield case("no positions", x[..., :0], x[..., :0])
    flat = np.full((1, 3, 16), 1000.5, np.float32)
    yield case("a channel of one value becomes its bias", flat, expected(flat, scales, bias))
    for name, dtype, options in shortTypes(2e-3):
        short = x.astype(dtype)
        yield case(name, short, expected(short, scales, bias), **options)
    unknown = withNan(x, (1, 2, 3, 4))
    for relu in (0, 1):
        yield case(f"NaN, relu {relu}", unknown, expected(unknown, scales, bias, negative=1 - relu),
                   attributes={"relu": relu})
    yield case("refused: channels", x[:, :2], x[:, :2], refusal="InstanceNormalization_TRT: the input has 2 channels, "
               "scales and bias have 3")
    yield case("refused: lengths", x, x, attributes={"bias": [1.0]}, refusal="InstanceNormalization_TRT: scales and bias "
               "have to have one value for each channel; found 3 and 1")
