# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of ScatterND: values of ONNX Runtime."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import onnxNode


def case(name, data, indices, updates, y=None, **options):
    if y is None:
        wide = [array if array.dtype == np.int32 else array.astype(np.float32) for array in (data, updates)]
        y = onnxNode("ScatterND", [wide[0], indices.astype(np.int64), wide[1]]).astype(data.dtype)
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
        yield case(name, data.astype(dtype), rows, np.ones((3, 3), dtype), **options)
    updates = random.normal(0, 1, (3, 3)).astype(np.float32)
    yield case("NaN", withNan(data, (0, 1), (1, 2, 0)), rows, withNan(updates, (1, 2)))
    for count in (1, 3):
        yield case(f"data of {count} rows", data[:count], rows % np.array([count, 5], np.int32), updates,
                   open={"data": (0,), "output": (0,)})
    yield case("no updates", data, rows[:0], np.ones((0, 3), np.float32), data)
    yield case("refused: numbers", data, np.zeros((1, 4), np.int32), data, data,
               refusal="ScatterND: indices have 4 numbers each; data has 3 axes")
    yield case("refused: updates", data, rows, np.ones((3, 4), np.float32), data,
               refusal="ScatterND: input 'updates' is [3,4]; expected [3,3], the extents of indices without the last, "
                       "and of the data that they name")
    yield case("refused in a run: an index", data, np.array([[0, 5]], np.int32), np.ones((1, 3), np.float32), data,
               runRefusal="5", seenByCpuOnly=True)
