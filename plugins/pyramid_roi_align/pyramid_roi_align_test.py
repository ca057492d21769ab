# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of PyramidROIAlign_TRT, by the formula, in double."""
import math

import numpy as np
from case import Case, shortTypes, withNan
from reference import bilinear

kMaps = ["P2", "P3", "P4", "P5"]
kDefaults = {"fpn_scale": 224, "pooled_size": 7, "image_size": [1024, 1024], "roi_coords_absolute": 1,
             "roi_coords_swap": 0, "roi_coords_plusone": 0, "roi_coords_transform": 2, "sampling_ratio": 0, "legacy": 0}


def pooled(roi, maps, attributes):
    """A region [4] of maps [C,H,W] → [C,pooled_size,pooled_size]."""
    a = {**kDefaults, **attributes}
    extents = np.array(a["image_size"], float)
    if a["legacy"]:
        a |= {"roi_coords_transform": -1, "roi_coords_plusone": 0, "roi_coords_swap": 1, "roi_coords_absolute": 0,
              "sampling_ratio": 1}
    corners = roi.astype(float).reshape(2, 2)
    if not a["roi_coords_swap"]:
        corners = corners[:, ::-1]
    corners = np.sort(corners / (extents if a["roi_coords_absolute"] else 1), 0).clip(0, 1)
    area = np.prod(corners[1] - corners[0] + (1 / extents if a["roi_coords_plusone"] else 0))
    canonical = a["fpn_scale"] ** 2 / np.prod(extents) # a region of this area is the smallest of P4
    if a["legacy"]:
        canonical = 2 * 224 ** 2 / 1024 ** 2 / 4
    level = max(0, min(3, math.ceil(2 + math.log(max(area, 1e-30) / canonical, 4)) - 1))
    picture, size, transform = maps[level], a["pooled_size"], a["roi_coords_transform"]
    places = []
    for axis in range(2):
        scale = picture.shape[1 + axis] - (transform == -1)
        start, length = corners[0, axis] * scale - (0.5 if transform == 2 else 0), np.ptp(corners[:, axis]) * scale
        step = length / max(size - (transform == -1), 1)
        samples = a["sampling_ratio"] or max(1, math.ceil(length / size))
        shift = 0.5 if transform in (1, 2) else 0
        places.append([[start + step * (bin + (i + shift) / samples) for i in range(samples)] for bin in range(size)])
    return np.array([[[np.mean([bilinear(plane, y, x) for y in rows for x in columns]) for columns in places[1]]
                      for rows in places[0]] for plane in picture])


def case(name, attributes, inputs, expected=True, **options):
    rois, maps = inputs[0], inputs[1:]
    size = attributes.get("pooled_size", 7)
    y = np.zeros((*rois.shape[:2], maps[0].shape[1], size, size), np.float32)
    if expected:
        for b, r in np.ndindex(rois.shape[:2]):
            y[b, r] = pooled(rois[b, r], [picture[b] for picture in maps], attributes)
    return Case(name, "PyramidROIAlign_TRT", attributes, dict(zip(["rois", *kMaps], inputs)),
                {"pooled": y.astype(rois.dtype)}, **{"tolerance": 1e-4, **options})


def cases():
    random = np.random.default_rng(17)
    maps = [random.normal(0, 1, (2, 2, height, height + 3)).astype(np.float32) for height in (24, 12, 6, 3)]
    # No length is an integral number of samples, where float and double may differ by one.
    # x1, y1, x2, y2 of each level of an image of 96 x 108, upside down, outside, without area
    rois = np.array([[[3, 4, 15.4, 20.7], [10, 8, 50.3, 30.6], [1, 2, 70.7, 65.3], [0, 0, 108, 96], [60.3, 50.7, 20, 10]],
                     [[-30, -20, 40.3, 60.7], [90.3, 80.7, 300, 200], [200, 300, 400, 500], [33, 21, 33, 21],
                      [12.5, 7.25, 31, 90]]], np.float32)
    shares = rois / np.array([108, 96, 108, 96], np.float32)
    base = {"pooled_size": 3, "image_size": [96, 108], "fpn_scale": 48}
    inputs = [rois, *maps]
    yield case("open sizes", base, inputs, open=(0,))
    for transform in (-1, 0, 1, 2):
        for ratio in (0, 2):
            yield case(f"roi_coords_transform {transform}, sampling_ratio {ratio}",
                       {**base, "roi_coords_transform": transform, "sampling_ratio": ratio}, inputs)
    yield case("shares, y before x", {**base, "roi_coords_absolute": 0, "roi_coords_swap": 1}, [shares, *maps])
    yield case("one pixel more", {**base, "roi_coords_plusone": 1, "fpn_scale": 20}, inputs)
    yield case("legacy", {**base, "legacy": 1}, [shares, *maps])
    yield case("defaults", {}, [rois * np.float32(9), *maps])
    yield case("one bin", {**base, "pooled_size": 1}, inputs)
    yield case("one bin, legacy", {**base, "pooled_size": 1, "legacy": 1}, [shares, *maps])
    yield case("no regions", base, [rois[:, :0], *maps])
    yield case("no images", base, [rois[:0], *(picture[:0] for picture in maps)])
    yield case("no channels", base, [rois, *(picture[:, :0] for picture in maps)], expected=False)
    yield case("maps without pixels are all 0", base, [rois, *(picture[:, :, :0] for picture in maps)], expected=False)
    for name, dtype, options in shortTypes(4e-3):
        yield case(name, base, [array.astype(dtype) for array in inputs], **options)
    spotted = [rois, *(withNan(picture, (1, 0, 2, 3)) for picture in maps)]
    for count in (1, 3):
        yield case(f"{count} images, NaN", base, [np.concatenate([each[::-1], each])[:count] for each in spotted])
    for text, attributes in {
            "fpn_scale has to be 1 or more": {"fpn_scale": 0},
            "pooled_size has to be 1 or more": {"pooled_size": 0},
            "image_size has to be two numbers, height and width, 1 or more": {"image_size": [96]},
            "roi_coords_transform has to be -1, 0, 1 or 2": {"roi_coords_transform": 3},
            "sampling_ratio has to be 0 to 4096": {"sampling_ratio": -1}}.items():
        yield case("refused: " + text, {**base, **attributes}, inputs, expected=False,
                   refusal="PyramidROIAlign_TRT: " + text)
