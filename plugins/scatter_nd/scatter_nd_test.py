# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of ScatterND: the values of ONNX Runtime."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import onnxNode


def case(name, data, indices, updates, y=None, **options):
    if y is None:
        y = onnxNode("ScatterND", [data, indices.astype(np.int64), updates])
    return Case(name, "ScatterND", {}, {"data": data, "indices": indices, "updates": updates}, {"output": y},
                domain="plugins", **options)


def cases():
    random = np.random.default_rng(1)
    data = random.normal(0, 1, (4, 5, 3)).astype(np.float32)
    elements = np.array([[[0, 1, 2], [3, 4, 0]], [[1, 1, 1], [2, 0, 2]]], np.int32)
    rows = np.array([[0, 1], [3, 4], [2, 2]], np.int32)
    yield case("elements", data, elements, random.normal(0, 1, (2, 2)).astype(np.float32))
    yield case("rows, open sizes", data, rows, random.normal(0, 1, (3, 3)).astype(np.float32), open=(0,))
    yield case("an index from the end", data, np.array([[-1]], np.int32), np.ones((1, 5, 3), np.float32))
    yield case("integers", np.arange(12, dtype=np.int32), np.array([[3], [5]], np.int32), np.array([-1, -2], np.int32))
    for name, dtype, options in shortTypes():
        short = data.astype(dtype), np.ones((3, 3), dtype)
        y = case("", *(array.astype(np.float32) for array in short[:1]), rows, np.ones((3, 3), np.float32)).outputs["output"]
        yield case(name, short[0], rows, short[1], y, **options)
    yield case("no updates", data, rows[:0], np.ones((0, 3), np.float32), data)
    yield case("refused: numbers", data, np.zeros((1, 4), np.int32), data, data,
               refusal="ScatterND: indices have 4 numbers each; data has 3 axes")
    yield case("refused: updates", data, rows, np.ones((3, 4), np.float32), data,
               refusal="ScatterND: input 'updates' is [3,4]; expected [3,3], the extents of indices without the last, "
                       "and of the data that they name")
    yield case("refused in a run: an index", data, np.array([[0, 5]], np.int32), np.ones((1, 3), np.float32), data,
               runRefusal="5")
