# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of MultilevelCropAndResize_TRT, by the formula, in double."""
import math

import numpy as np
from case import Case, shortTypes, withNan
from reference import bilinear


def resized(roi, maps, size, extents):
    """A region [4] of maps [C,H,W] → [C,size,size]; 0 for an invalid region."""
    y1, x1, y2, x2 = roi.astype(float)
    if not (0 <= y1 < y2 <= extents[0] and 0 <= x1 < x2 <= extents[1]):
        return 0
    # Up to half of the scale of 224 it is P2, and one level more for each doubling.
    level = max(0, min(4, math.ceil(math.log2(math.sqrt((y2 - y1) * (x2 - x1)) / 112))))
    stride = 4 * 2 ** level
    ys = [(y1 + (y2 - y1) * (i + 0.5) / size) / stride for i in range(size)]
    xs = [(x1 + (x2 - x1) * (i + 0.5) / size) / stride for i in range(size)]
    return np.array([[[bilinear(plane, y, x) for x in xs] for y in ys] for plane in maps[level]])


def case(name, inputs, attributes=None, expected=True, **options):
    attributes = {"pooled_size": 3, **(attributes or {})}
    rois, maps, size = inputs[0], inputs[1:], attributes["pooled_size"]
    y = np.zeros((*rois.shape[:2], maps[0].shape[1], size, size), np.float32)
    if expected:
        for b, r in np.ndindex(rois.shape[:2]):
            y[b, r] = resized(rois[b, r], [picture[b] for picture in maps], size,
                              attributes.get("image_size", [3, 832, 1344])[1:])
    return Case(name, "MultilevelCropAndResize_TRT", attributes,
                dict(zip(["rois", "P2", "P3", "P4", "P5", "P6"], inputs)), {"pooled": y.astype(rois.dtype)},
                **{"tolerance": 1e-4, **options})


def cases():
    random = np.random.default_rng(18)
    maps = [random.normal(0, 1, (2, 2, 832 // stride, 1344 // stride)).astype(np.float32)
            for stride in (4, 8, 16, 32, 64)]
    # y1, x1, y2, x2 of each level; at the edge; then invalid regions
    rois = np.array([[[3, 5, 60, 80], [20, 100, 170, 300], [0, 0, 300, 400], [10, 20, 500, 700], [0, 0, 832, 1344]],
                     [[800, 1300, 831.5, 1344], [-1, 0, 50, 60], [0, 0, 833, 60], [40, 60, 40, 90],
                      [9.5, 7.25, 33, 41]]], np.float32)
    inputs = [rois, *maps]
    yield case("open sizes", inputs, open=(0,))
    yield case("another image", inputs, {"pooled_size": 5, "image_size": [3, 320, 400]})
    yield case("no regions", [rois[:, :0], *maps])
    yield case("no channels", [rois, *(picture[:, :0] for picture in maps)], expected=False)
    yield case("maps without pixels are all 0", [rois, *(picture[:, :, :0] for picture in maps)], expected=False)
    small = [rois, *(picture[..., :320 // stride, :400 // stride] for picture, stride in zip(maps, (4, 8, 16, 32, 64)))]
    fields = {"image_size": [3, 320, 400]}
    for name, dtype, options in shortTypes(4e-3):
        yield case(name, [array.astype(dtype) for array in small], fields, **options)
    spotted = [withNan(rois, (0, 0, 2), (1, 4, 1)), *(withNan(picture, np.index_exp[:, 1, ::3, ::4]) for picture in small[1:])]
    for count in (1, 3):
        yield case(f"{count} images, NaN", [np.concatenate([each, each])[:count] for each in spotted], fields)
    for text, attributes in {
            "pooled_size has to be given, 1 or more": {"pooled_size": 0},
            "image_size has to be three numbers, channels, height and width, 1 or more": {"image_size": [3, 0, 4]}
    }.items():
        yield case("refused: " + text, inputs, attributes, expected=False,
                   refusal="MultilevelCropAndResize_TRT: " + text)
