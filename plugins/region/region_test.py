# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Region_TRT, by the formula in double precision."""
import numpy as np
from case import Case, shortTypes, withNan


def expected(x, num, groups):
    n, c, h, w = x.shape
    y = x.astype(np.float64).reshape(n, num, c // num, h, w).copy()
    for channel in (0, 1, 4):
        y[:, :, channel] = 1 / (1 + np.exp(-y[:, :, channel]))
    first = 5
    for size in groups:
        powers = np.exp(y[:, :, first:first + size])
        y[:, :, first:first + size] = powers / powers.sum(2, keepdims=True)
        first += size
    return y.reshape(x.shape).astype(x.dtype)


def case(name, x, attributes=None, y=None, **options):
    fields = {"num": 3, "coords": 4, "classes": 6, **(attributes or {})}
    groups = fields.get("smTree") or [fields["classes"]]
    return Case(name, "Region_TRT", fields, {"input": x}, {"output": expected(x, 3, groups) if y is None else y}, **options)


def cases():
    x = np.random.default_rng(10).normal(0, 3, (3, 33, 4, 5)).astype(np.float32)
    yield case("all classes together, open sizes", x, open=(0, 2, 3))
    yield case("groups of classes", x, {"smTree": [1, 3, 2]})
    yield case("groups of one size", x, {"smTree": [2, 2, 2]}, open=(0, 2, 3))
    yield case("groups of two sizes, in turn", x, {"smTree": [1, 2, 1, 2]})
    large = x.copy()
    large[:, 5:11] += 1000
    yield case("numbers whose power is infinite", large, y=expected(x, 3, [6]), tolerance=1e-4)
    for name, dtype, options in shortTypes(2e-3):
        yield case(name, x.astype(dtype), **options)
    yield case("one sample", x[:1])
    yield case("NaN in a coordinate, an objectness and a class", withNan(x, (0, 1, 2, 3), (1, 15, 1, 1), (2, 30, 3, 3)))
    for text, empty in {"samples": x[:0], "rows": x[:, :, :0], "columns": x[..., :0]}.items():
        yield case(f"no {text}", empty, y=empty)
    sizes = "smTree has to be the sizes of the groups of classes, "
    for text, attributes in {"num has to be given, 1 or more; found 0": {"num": 0},
                             "coords has to be 4, x, y, w and h; found 5": {"coords": 5},
                             "classes has to be given, 1 or more; found 0": {"classes": 0},
                             sizes + "each 1 or more": {"smTree": [7, -1]},
                             sizes + "6 classes together; found 4294967294": {"smTree": [2**31 - 1] * 2},
                             "the input has 33 channels; expected 4294967304, num * (coords + 1 + classes)":
                                 {"num": 2, "classes": 2**31 - 1},
                             "the input has 33 channels; expected 22, num * (coords + 1 + classes)": {"num": 2}}.items():
        yield case("refused: " + text, x, attributes, x, refusal="Region_TRT: " + text)
