# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of RoIAlignRotated and MMCVRoIAlignRotated, by the formula of their samples, in double."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import bilinear

kNames = {"RoIAlignRotated": ("X", "RoIs", "Y"), "MMCVRoIAlignRotated": ("input", "rois", "output")}


def sample(plane, y, x):
    inside = -1 <= y <= plane.shape[0] and -1 <= x <= plane.shape[1] and plane.size > 0
    return bilinear(plane, y, x) if inside else 0.0


def pooled(maps, roi, size, fields, theta):
    """[C, *size] of one region."""
    shift = 0.5 if fields.get("aligned", 1) else 0
    least = -np.inf if fields.get("aligned", 1) else 1
    scale, ratio = fields.get("spatial_scale", 1.0), fields.get("sampling_ratio", 0)
    x, y = roi[1:3] * scale - shift
    extent = np.maximum(roi[[4, 3]] * scale, least) # height, width
    samples = [ratio if ratio else max(int(np.ceil(side / bins)), 0) for side, bins in zip(extent, size)]
    result = np.zeros((maps.shape[1], *size))
    for channel, row, column in np.ndindex(*result.shape):
        for i, j in np.ndindex(*samples):
            down = ((row + (i + 0.5) / samples[0]) / size[0] - 0.5) * extent[0]
            over = ((column + (j + 0.5) / samples[1]) / size[1] - 0.5) * extent[1]
            result[channel, row, column] += sample(maps[int(roi[0]), channel],
                                                   y + down * np.cos(theta) - over * np.sin(theta),
                                                   x + over * np.cos(theta) + down * np.sin(theta))
    return result / max(samples[0] * samples[1], 1)


def expected(op, maps, rois, fields):
    size = [fields[key] for key in (("pooled_h", "pooled_w") if op == "RoIAlignRotated" else
                                    ("output_height", "output_width"))]
    unit = np.pi / 180 if op == "RoIAlignRotated" else 1
    sign = -1 if fields.get("clockwise", 0) else 1
    rows = [pooled(maps.astype(np.float64), roi.astype(np.float64), size, fields, roi[5].astype(np.float64) * unit * sign)
            for roi in rois]
    return np.array(rows, np.float64).reshape(len(rois), maps.shape[1], *size).astype(maps.dtype)


def case(name, op, fields, inputs, output=None, **options):
    output = expected(op, *inputs, fields) if output is None else output
    names = kNames[op]
    return Case(name, op, fields, dict(zip(names, inputs)), {names[2]: output}, **options)


def cases():
    random = np.random.default_rng(25)
    maps = random.normal(0, 1, (3, 3, 12, 15)).astype(np.float32)
    rois = np.concatenate([random.integers(0, 3, (7, 1)), random.uniform(-1, 14, (7, 2)), random.uniform(0.3, 9, (7, 2)),
                           random.uniform(-4, 4, (7, 1))], 1).astype(np.float32)
    degrees = rois * np.float32([1, 1, 1, 1, 1, 60])
    mmcv, detectron = {"output_height": 3, "output_width": 4}, {"pooled_h": 3, "pooled_w": 4}
    yield case("open sizes", "MMCVRoIAlignRotated", mmcv, [maps, rois], open=(0,))
    for what in ({"clockwise": 1}, {"aligned": 0}, {"spatial_scale": 0.5, "sampling_ratio": 2}):
        yield case(f"{what}", "MMCVRoIAlignRotated", {**mmcv, **what}, [maps, rois])
    yield case("degrees", "RoIAlignRotated", detectron, [maps, degrees])
    yield case("degrees, other fields", "RoIAlignRotated",
               {**detectron, "aligned": 0, "spatial_scale": 0.7, "sampling_ratio": 3}, [maps, degrees])
    many = {"output_height": 1, "output_width": 1, "sampling_ratio": 130} # more samples than are held at once
    yield case("16900 samples in a bin", "MMCVRoIAlignRotated", many, [maps[:1], rois[:1] * np.float32([0, 1, 1, 1, 1, 1])])
    yield case("one region", "MMCVRoIAlignRotated", mmcv, [maps[:1], rois[:1] * np.float32([0, 1, 1, 1, 1, 1])])
    yield case("no size", "MMCVRoIAlignRotated", mmcv, [maps, rois * np.float32([1, 1, 1, 0, 0, 1])])
    for text, none in {"regions": [maps, rois[:0]], "channels": [maps[:, :0], rois], "rows": [maps[:, :, :0], rois],
                       "columns": [maps[..., :0], rois], "images and regions": [maps[:0], rois[:0]]}.items():
        yield case("no " + text, "MMCVRoIAlignRotated", mmcv, none)
    for name, dtype, options in shortTypes(2e-3):
        yield case(name, "MMCVRoIAlignRotated", mmcv, [maps.astype(dtype), rois.astype(dtype)], **options)
    yield case("NaN in an image", "MMCVRoIAlignRotated", mmcv, [withNan(maps, np.index_exp[:, 1, ::4, ::5]), rois])
    y = expected("MMCVRoIAlignRotated", maps, rois, mmcv)
    for text, fields in {"output_height and output_width have to be given, 1 or more": {"output_height": 0},
                         "sampling_ratio has to be 0 or more": {"sampling_ratio": -1},
                         "spatial_scale has to be above 0": {"spatial_scale": 0.0},
                         "aligned has to be 0 or 1": {"aligned": 2},
                         "clockwise has to be 0 or 1": {"clockwise": -1}}.items():
        yield case("refused: " + text, "MMCVRoIAlignRotated", {**mmcv, **fields}, [maps, rois], y,
                   refusal="MMCVRoIAlignRotated: " + text)
    yield case("refused: no size", "RoIAlignRotated", {"pooled_h": 3}, [maps, degrees], y,
               refusal="RoIAlignRotated: pooled_h and pooled_w have to be given, 1 or more")
    for number, column, text in [(3, 0, "rois[2] is in image 3.000000; the input has 3 images"),
                                 (np.nan, 0, "rois[2] is in image nan; the input has 3 images"),
                                 (1e9, 3, "rois[2] is 1000000000.000000 x "), (np.nan, 5, "rois[2] is ")]:
        wrong = rois.copy()
        wrong[2, column] = number
        yield case(f"refused: {number} at {column}", "MMCVRoIAlignRotated", mmcv, [maps, wrong], y,
                   runRefusal="MMCVRoIAlignRotated: " + text, seenByCpuOnly=True)
