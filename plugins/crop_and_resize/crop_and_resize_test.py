# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CropAndResize and CropAndResizeDynamic, by the formula of tf.image.crop_and_resize, in double."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import bilinear


def places(low, high, pixels, crop):
    if crop == 1:
        return [(low + high) / 2 * (pixels - 1)]
    return [low * (pixels - 1) + i * (high - low) * (pixels - 1) / (crop - 1) for i in range(crop)]


def resized(box, picture, height, width):
    y1, x1, y2, x2 = box.astype(float).reshape(4)
    return [[[bilinear(plane, y, x) if 0 <= y <= plane.shape[0] - 1 and 0 <= x <= plane.shape[1] - 1 else 0
              for x in places(x1, x2, plane.shape[1], width)] for y in places(y1, y2, plane.shape[0], height)]
            for plane in picture]


def case(name, op, maps, rois, height=3, width=4, version="1", expected=True, **options):
    y = np.zeros((*rois.shape[:2], maps.shape[1], height, width), np.float32)
    if expected:
        for n, b in np.ndindex(rois.shape[:2]):
            y[n, b] = resized(rois[n, b], maps[n], height, width)
    return Case(name, op, {"plugin_version": version, "crop_height": height, "crop_width": width},
                {"feature_maps": maps, "rois": rois}, {"pfmap": y.astype(maps.dtype)}, **options)


def cases():
    random = np.random.default_rng(19)
    maps = random.normal(0, 1, (2, 3, 9, 12)).astype(np.float32)
    rois = random.uniform(-0.3, 1.3, (2, 6, 4, 1)).astype(np.float32) # some outside, some upside down
    rois[0, 0, :, 0] = [0, 0, 1, 1]
    rois[1, 1, :, 0] = [2, 2, 3, 3]
    for op, version in [("CropAndResize", "1"), ("CropAndResizeDynamic", "1"), ("CropAndResizeDynamic", "2")]:
        yield case(f"version {version}, open sizes", op, maps, rois, version=version, open=(0,))
    op = "CropAndResizeDynamic"
    yield case("a crop of one pixel takes the middle", op, maps, rois, 1, 1)
    yield case("boxes of three axes", op, maps, rois[..., 0])
    yield case("no boxes", op, maps, rois[:, :0])
    yield case("no channels", op, maps[:, :0], rois, expected=False)
    yield case("maps without pixels are all 0", op, maps[:, :, :0], rois, expected=False)
    nowhere = np.full_like(rois, np.nan)
    yield case("boxes that are not numbers are outside", op, maps, nowhere, expected=False)
    for name, dtype, options in shortTypes(4e-3):
        yield case(name, op, maps.astype(dtype), rois.astype(dtype), **options)
    for count in (1, 3):
        yield case(f"{count} images, NaN", op, *(np.concatenate([each, each])[:count] for each in
                                                   (withNan(maps, np.index_exp[:, 1, ::4, ::5]), rois)))
    for op in ("CropAndResize", "CropAndResizeDynamic"):
        yield case("refused: no size", op, maps, rois, height=0, expected=False,
                   refusal=op + ": crop_width and crop_height have to be given, 1 or more")
