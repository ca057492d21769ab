# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of MultiscaleDeformableAttnPlugin_TRT: each map sampled by ONNX Runtime's GridSample, and summed."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import onnxNode

kNames = ["value", "spatial_shapes", "level_start_index", "sampling_locations", "attention_weights"]


def expected(value, shapes, starts, locations, weights):
    batch, _, heads, channels = value.shape
    queries = locations.shape[1]
    total = np.zeros((batch, queries, heads, channels), np.float32)
    for level, ((height, width), start) in enumerate(zip(shapes, starts)):
        maps = value[:, start:start + height * width].transpose(0, 2, 3, 1).reshape(-1, channels, height, width)
        grid = locations[:, :, :, level].transpose(0, 2, 1, 3, 4).reshape(batch * heads, queries, -1, 2) * 2 - 1
        sampled = onnxNode("GridSample", [np.ascontiguousarray(maps), np.ascontiguousarray(grid)], mode="bilinear",
                           padding_mode="zeros", align_corners=0)
        sampled = sampled.reshape(batch, heads, channels, queries, -1)
        total += np.einsum("bmdqp,bqmp->bqmd", sampled, weights[:, :, :, level])
    return total


def case(name, inputs, output, version="1", **options):
    return Case(name, "MultiscaleDeformableAttnPlugin_TRT", {"plugin_version": version}, dict(zip(kNames, inputs)),
                {"output": output}, **options)


def cases():
    random = np.random.default_rng(7)
    shapes = np.array([[6, 5], [3, 4], [1, 1]], np.int32)
    starts = np.array([0, 30, 42], np.int32)
    value = random.normal(0, 1, (2, 43, 3, 4)).astype(np.float32)
    locations = random.uniform(-0.2, 1.2, (2, 7, 3, 3, 2, 2)).astype(np.float32)
    weights = random.uniform(0, 1, (2, 7, 3, 3, 2)).astype(np.float32)
    inputs = [value, shapes, starts, locations, weights]
    output = expected(*inputs)
    for version in "12":
        yield case(f"version {version}", inputs, output, version)
    for what, none in {
            "samples": [value[:0], shapes, starts, locations[:0], weights[:0]],
            "queries": [value, shapes, starts, locations[:, :0], weights[:, :0]],
            "heads": [value[:, :, :0], shapes, starts, locations[:, :, :0], weights[:, :, :0]],
            "channels": [value[..., :0], *inputs[1:]],
            "maps": [value, shapes[:0], starts[:0], locations[:, :, :, :0], weights[:, :, :, :0]],
            "points": [*inputs[:3], locations[:, :, :, :, :0], weights[..., :0]]}.items():
        shape = (none[0].shape[0], none[3].shape[1], *none[0].shape[2:])
        yield case(f"no {what}", none, np.zeros(shape, np.float32))  # an empty sum is 0
    for name, dtype, options in shortTypes(2e-3):
        short = [array.astype(dtype) if array.dtype == np.float32 else array for array in inputs]
        wide = expected(*[array if array.dtype == np.int32 else array.astype(np.float32) for array in short])
        yield case(name, short, wide.astype(dtype), **options)
    opened = {name: (0, 1) for name in ("value", "sampling_locations", "output")} | {"attention_weights": (0, 1)}
    for count in (1, 3):
        several = [array if array.dtype == np.int32 else np.concatenate([array, array])[:count] for array in inputs]
        yield case(f"{count} samples, open sizes", several, expected(*several), open=opened)
    spotted = [withNan(value, (1, 7, 2, 3)), *inputs[1:]]
    yield case("NaN in a map", spotted, expected(*spotted))
    yield case("refused: heads", [value, shapes, starts, locations[:, :, :2], weights], output,
               refusal="MultiscaleDeformableAttnPlugin_TRT: input 'sampling_locations' is [2,7,2,3,2,2]; expected "
               "[B,Q,M,L,P,2] with B = 2, L = 3, M = 3")
    yield case("refused: a map beyond the values", [value, shapes, starts + 1, locations, weights], output,
               runRefusal="MultiscaleDeformableAttnPlugin_TRT: map 2 is 1 x 1 from position 43 on; value has 43 positions",
               seenByCpuOnly=True)
