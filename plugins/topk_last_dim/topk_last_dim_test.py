# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of TopkLastDim, by numpy's stable sort."""
import numpy as np
from case import Case, shortTypes

kTypes = {"float32": 0, "float16": 1, "int32": 3, "bfloat16": 7}


def case(name, x, k, largest=1, axis=-1, attributes=None, **options):
    wide = x.astype(np.float64)
    order = np.argsort(-wide if largest else wide, axis, kind="stable")
    places = np.take(order, np.arange(max(0, min(k, x.shape[axis]))), axis).astype(np.int32)
    fields = {"type_id": kTypes[x.dtype.name], "k": k, "is_largest": largest, "axis": axis, **(attributes or {})}
    return Case(name, "TopkLastDim", fields, {"x": x},
                {"values": np.take_along_axis(x, places.astype(np.int64), axis), "indices": places}, **options)


def cases():
    x = np.random.default_rng(1).normal(0, 1, (2, 6, 9)).astype(np.float32)
    yield case("the greatest", x, 3)
    yield case("the least, open sizes", x, 3, 0, open=(0, 1))
    yield case("an axis of open size", x, 1, axis=1, open=(1,))
    yield case("all of the first axis", x, 2, axis=0)
    yield case("of equal ones the first", np.zeros((2, 8), np.float32), 5)
    yield case("many of many", np.random.default_rng(2).permutation(9000).astype(np.float32).reshape(1, 9000), 5000)
    for name, dtype, options in shortTypes():
        yield case(name, x.astype(dtype), 3, **options)
    yield case("one row and three, open sizes", x[:1, :3], 2, open=(0, 1))
    yield case("as many as there are", x, 9)
    yield case("integers", np.random.default_rng(3).permutation(40).astype(np.int32).reshape(4, 10), 3)
    yield case("no rows", x[:, :0], 3)
    nan = np.array([1, np.nan, 2], np.float32)
    yield Case("NaN is the greatest", "TopkLastDim", {"type_id": 0, "k": 2, "is_largest": 1}, {"x": nan},
               {"values": nan[[1, 2]], "indices": np.array([1, 2], np.int32)})
    for text, options in {
            "type_id has to be given, 0 (FLOAT), 1 (HALF), 3 (INT32) or 7 (BF16); found 2": {"type_id": 2},
            "k has to be given, 1 or more; found 0": {"k": 0},
            "is_largest has to be given, 0 or 1; found 2": {"is_largest": 2},
            "k is 10; axis -1 has 9 elements": {"k": 10},
            "axis is 3; the input has 3 axes": {"axis": 3},
            "axis is -4; the input has 3 axes": {"axis": -4}}.items():
        yield case("refused: " + text, x, 3, attributes=options, refusal="TopkLastDim: " + text)
