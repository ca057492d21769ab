# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of grid_sampler: values of ONNX Runtime's GridSample."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import onnxNode

kModes, kPaddings = ["bilinear", "nearest", "bicubic"], ["zeros", "border", "reflection"]


def case(name, x, grid, mode=0, padding=0, corners=0, **options):
    wide = [values.astype(np.float32) for values in (x, grid)]
    y = np.zeros(x.shape[:2] + grid.shape[1:-1], x.dtype)
    if x.size and grid.size:
        y = onnxNode("GridSample", wide, mode=kModes[mode], padding_mode=kPaddings[padding], align_corners=corners)
    fields = {"interpolation_mode": mode, "padding_mode": padding, "align_corners": corners}
    return Case(name, "grid_sampler", fields, {"x": x, "grid": grid}, {"y": y.astype(x.dtype)}, **options)


def cases():
    random = np.random.default_rng(1)
    x = random.normal(0, 1, (3, 3, 6, 7)).astype(np.float32)
    grid = random.uniform(-1.3, 1.3, (3, 4, 5, 2)).astype(np.float32)
    for mode in range(3):
        for padding in range(3):
            for corners in range(2):
                yield case(f"{kModes[mode]}, {kPaddings[padding]}, align_corners {corners}", x, grid, mode, padding,
                           corners)
    yield case("open sizes", x, grid, open=(0, 1, 2))
    for name, dtype, options in shortTypes(5e-3):
        yield case(name, x.astype(dtype), grid.astype(dtype), **options)
    for mode in range(3):
        yield case(f"NaN in an image, {kModes[mode]}", withNan(x, (1, 2, 3, 4)), grid, mode)
    yield case("one image", x[:1], grid[:1])
    volume = random.normal(0, 1, (1, 2, 3, 4, 5)).astype(np.float32)
    places = np.meshgrid(*[np.linspace(1, -1, extent) for extent in (3, 4, 5)], indexing="ij")
    yield Case("a volume, at its own elements from the end on", "grid_sampler", {"align_corners": 1},
               {"x": volume, "grid": np.stack(places[::-1], -1)[None].astype(np.float32)},
               {"y": volume[:, :, ::-1, ::-1, ::-1]})
    yield case("no points", x, grid[:, :0])
    yield case("no channels", x[:, :0], grid)
    for text, fields in {"interpolation_mode has to be 0 (linear), 1 (nearest) or 2 (cubic); found 3":
                             {"interpolation_mode": 3},
                         "padding_mode has to be 0 (zeros), 1 (border) or 2 (reflection); found -1":
                             {"padding_mode": -1}}.items():
        yield Case("refused: " + text, "grid_sampler", fields, {"x": x, "grid": grid}, {"y": x},
                   refusal="grid_sampler: " + text)
    yield Case("refused: three coordinates", "grid_sampler", {}, {"x": x, "grid": random.normal(0, 1, (3, 4, 5, 3)).astype(
        np.float32)}, {"y": x}, refusal="grid_sampler: the input has 4 axes, the grid 4, with 3 numbers for a point; "
                                        "expected equal ranks, 3 or more, and rank - 2 numbers for a point")
