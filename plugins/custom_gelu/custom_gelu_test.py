# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CustomGeluPluginDynamic, by the formula in double precision."""
import numpy as np
from case import Case, shortTypes, withNan


def expected(x, bias):
    z = x.astype(np.float64) + bias
    return (z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3))) / 2).astype(x.dtype)


def case(name, attributes, x, y, **options):
    return Case(name, "CustomGeluPluginDynamic", {"type_id": 0, **attributes}, {"x": x}, {"y": y}, **options)


def cases():
    x = np.random.default_rng(7).normal(0, 2, (3, 2, 4)).astype(np.float32)
    bias = np.array([0.5, -1, 2, 0])
    five = x[..., None, None]
    yield case("no bias", {}, x, expected(x, 0), open=(0, 1, 2))
    yield case("a bias", {"bias": bias}, x, expected(x, bias), open=(0, 1))
    yield case("a bias before two axes of 1", {"bias": bias}, five, expected(x, bias)[..., None, None], open=(0, 1))
    yield case("an open sequence of one sample", {"bias": bias}, x[:, :1], expected(x[:, :1], bias), open=(0, 1))
    for name, dtype, options in shortTypes(4e-3):
        short = x.astype(dtype)
        for type_id in (0, 1):
            yield case(f"{name}, type_id {type_id}", {"type_id": type_id, "bias": bias}, short, expected(short, bias),
                       **options)
    unknown = withNan(x, (1, 1, 2))
    yield case("NaN", {"bias": bias}, unknown, expected(unknown, bias))
    yield case("computed in half precision", {"type_id": 1, "bias": bias}, x, expected(x, bias), tolerance=4e-3)
    for name, empty in (("sequence", x[:0]), ("batch", x[:, :0])):
        yield case(f"no elements: {name}", {"bias": bias}, empty, empty)
    yield case("refused: type_id", {"type_id": 2}, x, x,
               refusal="CustomGeluPluginDynamic: type_id has to be given, 0 (FLOAT) or 1 (HALF)")
    yield case("refused: bias", {"bias": bias[:3]}, x, x,
               refusal="CustomGeluPluginDynamic: bias has 3 numbers; expected the extent of the input's "
               "last axis other than 1, 4")
