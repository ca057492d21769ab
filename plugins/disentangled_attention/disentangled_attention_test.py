# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of DisentangledAttention_TRT, by the formulas of DeBERTa and its logarithmic buckets, in double."""
import numpy as np
from case import Case, quantized, shortTypes, withNan


def buckets(distance, span, most):
    mid = span // 2
    if mid == 0:
        return distance
    far = np.maximum(np.abs(distance), mid) # others have their own buckets
    steps = np.ceil(np.log(far / mid) / np.log((most - 1) / mid) * (mid - 1) - 1e-6) + mid
    return np.where(np.abs(distance) <= mid, distance, np.sign(distance) * steps.astype(np.int64))


def expected(data0, data1, data2, span, factor):
    places = np.arange(data0.shape[1])
    relative = (buckets(places[:, None] - places, span, data1.shape[2]) + span).clip(0, 2 * span - 1) # [query, key]
    toPlace = data1[:, places[:, None], relative].astype(np.float64)
    toQuery = data2[:, places, relative].astype(np.float64)
    return ((data0 + toPlace + toQuery) * factor).astype(data0.dtype)


def case(name, inputs, span=4, factor=0.1, output=None, version="1", **options):
    output = expected(*inputs, span, factor) if output is None else output
    return Case(name, "DisentangledAttention_TRT", {"plugin_version": version, "span": span, "factor": factor},
                dict(zip(["data0", "data1", "data2"], inputs)), {"result": output}, **options)


def cases():
    random = np.random.default_rng(23)
    def some(batch, places, relative):
        return [random.normal(0, 1, shape).astype(np.float32) for shape in
                ((batch, places, places), (batch, places, relative), (batch, places, relative))]
    inputs = some(6, 40, 8)
    for version in "12":
        yield case(f"version {version}, open sizes", inputs, version=version, open=(0,))
    yield case("positions that are all near", some(2, 5, 32), 16)
    yield case("many positions", some(1, 300, 128), 64, 0.05)
    yield case("positions that fill no tile", some(3, 67, 20), 10)
    yield case("more relative positions than the span needs", some(2, 30, 20), 8)
    for span in (1, 2, 3):
        yield case(f"span {span}", some(1, 9, 2 * span), span)
    yield case("a factor above 1", inputs, factor=2.5)
    yield case("one position", some(3, 1, 8))
    yield case("no positions", some(3, 0, 8))
    yield case("no images", some(0, 7, 8))
    for name, dtype, options in shortTypes(2e-3):
        yield case(name, [array.astype(dtype) for array in inputs], **options)
    scales = {"data0": 0.1, "data1": 0.2, "data2": 0.3, "result": 0.01}
    coarse = [quantized(array, scale) for array, scale in zip(inputs, scales.values())]
    for version in "12":
        made = case(f"version {version}, INT8", inputs, version=version, open=(0,), tolerance=0.01, scales=scales)
        made.outputs = {"result": quantized(expected(*coarse, 4, 0.1), 0.01)}
        yield made
    for count in (1, 3):
        yield case(f"{count} images, NaN", [withNan(array[:count], (0, i, 3)) for i, array in enumerate(inputs)])
    output = expected(*inputs, 4, 0.1)
    for text, fields in {"span has to be given, 1 or more": {"span": 0},
                         "factor has to be given, above 0": {"factor": 0.0},
                         "data1 has 8 relative positions; expected 2 * span, 10": {"span": 5}}.items():
        yield case("refused: " + text, inputs, **fields, output=output, refusal="DisentangledAttention_TRT: " + text)
