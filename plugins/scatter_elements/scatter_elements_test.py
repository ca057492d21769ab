# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of ScatterElements: values of ONNX Runtime."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import onnxNode


def case(name, data, indices, updates, reduction="add", axis=0, y=None, version="1", **options):
    if y is None:
        wide = [array if array.dtype == np.int32 else array.astype(np.float32) for array in (data, updates)]
        y = onnxNode("ScatterElements", [wide[0], indices, wide[1]], reduction=reduction, axis=axis).astype(data.dtype)
    return Case(name, "ScatterElements", {"reduction": reduction, "axis": axis, "plugin_version": version},
                {"data": data, "indices": indices, "updates": updates}, {"output": y}, domain="plugins", **options)


def cases():
    random = np.random.default_rng(1)
    data = random.normal(0, 1, (4, 5, 3)).astype(np.float32)
    indices = random.integers(-4, 4, (6, 5, 2))
    updates = random.normal(0, 1, (6, 5, 2)).astype(np.float32)
    for reduction in ("add", "mul", "min", "max"):
        yield case(reduction, data, indices, updates, reduction)
    once = np.array([[[0], [2], [1]], [[1], [2], [0]]])
    yield case("none", data, once, updates[:2, :3, :1], "none", 2)
    yield case("version 2, open sizes", data, indices, updates, version="2", open=(0,))
    yield case("an axis from the end", data, random.integers(-3, 3, (2, 4, 7)), random.normal(0, 1, (2, 4, 7)).astype(
        np.float32), axis=-1)
    yield case("integers", np.arange(12, dtype=np.int32).reshape(3, 4), np.array([[0, 0, 2]]), np.array(
        [[10, 20, 30]], np.int32), axis=1)
    for name, dtype, options in shortTypes():
        yield case(name, data.astype(dtype), indices, updates.astype(dtype), "max", **options)
    for count in (1, 3):
        yield case(f"data of {count} rows", data[:count], indices % count, updates, open={"data": (0,), "output": (0,)})
    for reduction in ("add", "mul"):
        yield case(f"NaN, {reduction}", withNan(data, (1, 2)), indices, withNan(updates, (3, 4, 1)), reduction)
    yield case("NaN, none", withNan(data, (1, 2)), once, withNan(updates[:2, :3, :1], (1, 1)), "none", 2)
    yield case("no updates", data, indices[:0], updates[:0], y=data)
    text = "reduction has to be given, none, add, mul, min or max; found '"
    yield case("refused: mean", data, indices, updates, "mean", y=data, refusal="ScatterElements: " + text + "mean'")
    yield Case("refused: no reduction", "ScatterElements", {}, {"data": data, "indices": indices, "updates": updates},
               {"output": data}, domain="plugins", refusal="ScatterElements: " + text + "'")
    yield case("refused: axis", data, indices, updates, axis=3, y=data,
               refusal="ScatterElements: axis is 3; data has 3 axes")
    yield case("refused: shapes", data, indices, updates[:5], y=data,
               refusal="ScatterElements: indices are [6,5,2], updates [5,5,2]; expected one shape, of 3 axes as data has")
