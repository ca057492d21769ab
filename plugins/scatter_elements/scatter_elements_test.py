# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of ScatterElements: the values of ONNX Runtime."""
import numpy as np
from case import Case
from reference import onnxNode


def case(name, data, indices, updates, reduction="add", axis=0, y=None, version="1", **options):
    if y is None:
        y = onnxNode("ScatterElements", [data, indices, updates], reduction=reduction, axis=axis)
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
    half = [x.astype(np.float16) for x in (data, updates)]
    yield case("half precision", half[0], indices, half[1], "max", y=onnxNode(
        "ScatterElements", [half[0].astype(np.float32), indices, half[1].astype(np.float32)], reduction="max").astype(
        np.float16), flags=["--stronglyTyped"])
    yield case("no updates", data, indices[:0], updates[:0], y=data)
    text = "reduction has to be given, none, add, mul, min or max; found '"
    yield case("refused: mean", data, indices, updates, "mean", y=data, refusal="ScatterElements: " + text + "mean'")
    yield Case("refused: no reduction", "ScatterElements", {}, {"data": data, "indices": indices, "updates": updates},
               {"output": data}, domain="plugins", refusal="ScatterElements: " + text + "'")
    yield case("refused: axis", data, indices, updates, axis=3, y=data,
               refusal="ScatterElements: axis is 3; data has 3 axes")
    yield case("refused: shapes", data, indices, updates[:5], y=data,
               refusal="ScatterElements: indices are [6,5,2], updates [5,5,2]; expected one shape, of 3 axes as data has")
