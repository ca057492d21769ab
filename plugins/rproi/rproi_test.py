# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of RPROI_TRT: boxes by the formulas of Faster R-CNN in double, pooled by ONNX Runtime's MaxRoiPool."""
import numpy as np
from case import Case, quantized, shortTypes
from reference import onnxNode, padded, survivors

kFields = {"poolingH": 3, "poolingW": 2, "featureStride": 16, "preNmsTop": 60, "nmsMaxOut": 12, "anchorsRatioCount": 3,
           "anchorsScaleCount": 2, "iouThreshold": 0.5, "minBoxSize": 8.0, "spatialScale": 1 / 16,
           "anchorsRatios": [0.5, 1.0, 2.0], "anchorsScales": [1.0, 3.0]}


def regions(fields, scores, deltas, info):
    """[nmsMaxOut,4] of one image: scores [2A,H,W], deltas [4A,H,W], info height, width, scale."""
    stride, (_, rows, columns) = fields["featureStride"], scores.shape
    scores = scores[len(scores) // 2:].astype(float).reshape(-1)
    boxes = []
    for ratio in fields["anchorsRatios"]:
        width = np.floor(np.sqrt(stride * stride / ratio) + 0.5)
        height = np.floor(width * ratio + 0.5)
        for scale in fields["anchorsScales"]:
            boxes += [[x * stride + (stride - 1) / 2, y * stride + (stride - 1) / 2, width * scale, height * scale]
                      for y in range(rows) for x in range(columns)]
    boxes = np.reshape(np.array(boxes, float), (-1, 4))
    d = deltas.astype(float).reshape(len(deltas) // 4, 4, rows * columns).transpose(0, 2, 1).reshape(-1, 4)
    center, size = boxes[:, :2] + d[:, :2] * boxes[:, 2:], np.exp(d[:, 2:]) * boxes[:, 2:]
    last = np.array([info[1] - 1, info[0] - 1], float)
    corners = np.concatenate([(center - size / 2).clip(0, last), (center + size / 2).clip(0, last)], axis=1)
    isLarge = np.all(corners[:, 2:] - corners[:, :2] + 1 >= fields["minBoxSize"] * float(info[2]), axis=1)
    valid = np.flatnonzero(isLarge & ~np.isnan(scores))
    kept = survivors(corners[valid] + [0, 0, 1, 1], scores[valid], fields["iouThreshold"],
                     candidates=fields["preNmsTop"], most=fields["nmsMaxOut"])
    return padded(corners[valid[kept]], fields["nmsMaxOut"])


def pooled(fields, rois, features):
    size, channels = (fields["poolingH"], fields["poolingW"]), features.shape[1]
    if features.size == 0:
        return np.zeros((*rois.shape[:2], channels, *size), features.dtype)
    numbered = np.concatenate([np.repeat(np.arange(len(rois)), rois.shape[1])[:, None], rois.reshape(-1, 4)], axis=1)
    values = onnxNode("MaxRoiPool", [features.astype(np.float32), numbered.astype(np.float32)], pooled_shape=size,
                      spatial_scale=fields["spatialScale"])
    return values.reshape(*rois.shape[:2], channels, *size).astype(features.dtype)


def tensors(random, pictures=2, rows=5, columns=7, channels=3, anchors=6):
    scores = random.uniform(0, 1, (pictures, 2 * anchors, rows, columns)).astype(np.float32)
    deltas = random.normal(0, 0.3, (pictures, 4 * anchors, rows, columns)).astype(np.float32)
    features = random.normal(0, 1, (pictures, channels, rows, columns)).astype(np.float32)
    info = np.tile(np.array([16 * rows, 16 * columns - 5, 1.5], np.float32), (pictures, 1, 1, 1))
    return scores, deltas, features, info


def case(name, fields, given, pooledMap=None, **options):
    scores, deltas, features, info = given
    rois = np.stack([regions(fields, *of) for of in zip(scores, deltas, info.reshape(-1, 3))]) if len(scores) else \
        np.zeros((0, fields["nmsMaxOut"], 4))
    y = pooled(fields, rois, features) if pooledMap is None else pooledMap
    return Case(name, "RPROI_TRT", fields, dict(zip(("scores", "deltas", "fmap", "iinfo"), given)),
                {"rois": rois[:, None].astype(np.float32), "pfmap": y}, **options)


def edges(random):
    """Few or no regions, and NaN."""
    scores, deltas, features, info = given = tensors(random)
    yield case("no images", kFields, [tensor[:0] for tensor in given])
    yield case("no channels", kFields, (scores, deltas, features[:, :0], info))
    yield case("maps without pixels", kFields, (scores[..., :0], deltas[..., :0], features[..., :0], info))
    one = {**kFields, "anchorsRatioCount": 1, "anchorsScaleCount": 1, "anchorsRatios": [1.0], "anchorsScales": [1.0]}
    yield case("one box", one, tensors(random, 1, 1, 1, anchors=1))
    none = info.copy()
    none[0] = 0 # and all boxes at least 8 pixels large, times 1
    none[0, ..., 2] = 1
    yield case("an image without pixels", kFields, (scores, deltas, features, none))
    nans = [tensor.copy() for tensor in given]
    nans[0][:, :, 1], nans[1][:, :, :, 3] = np.nan, np.nan
    yield case("boxes and scores that are not numbers are none", kFields, nans)
    spotted = np.where(random.uniform(0, 1, features.shape) < 0.4, np.nan, features).astype(np.float32)
    rois = case("", kFields, given).outputs["rois"][:, 0]
    least = pooled(kFields, rois, np.nan_to_num(spotted, nan=-9)) # that far down all bins are NaN
    assert np.any(least == -9) and np.any(spotted[:, :, 0, 0] != spotted[:, :, 0, 0])
    yield case("of what is not a number in a bin nothing is seen", kFields, (scores, deltas, spotted, info),
               pooledMap=np.where(least == -9, np.nan, least).astype(np.float32))


def cases():
    random = np.random.default_rng(7)
    scores, deltas, features, info = given = tensors(random)
    yield case("boxes of two images", kFields, given)
    yield case("open sizes", kFields, (scores, deltas, features, info.reshape(-1, 3)), open=(0, 2, 3))
    yield case("three images, the numbers of each in a row", kFields, [*tensors(random, 3)[:3], info[:1].repeat(3, 0)[:, 0]])
    yield case("more rows than boxes, and all boxes considered",
               {**kFields, "preNmsTop": 2**31 - 1, "nmsMaxOut": 300}, given)
    yield case("small boxes are none", {**kFields, "minBoxSize": 24.0, "nmsMaxOut": 40}, given)
    yield case("few boxes are considered", {**kFields, "preNmsTop": 5}, given)
    yield case("boxes that overlap much", {**kFields, "iouThreshold": 0.8, "nmsMaxOut": 40}, given)
    yield case("a map of another scale", {**kFields, "spatialScale": 0.05, "poolingH": 7, "poolingW": 7}, given)
    yield case("of equal scores the first boxes", kFields, (scores.round(1), deltas, features, info))
    wide = tensors(random, 1, 30, 40, 1) # enough for several blocks and threads
    yield case("many boxes", {**kFields, "preNmsTop": 5000, "nmsMaxOut": 900, "iouThreshold": 0.7}, wide)
    for name, dtype, options in shortTypes():
        yield case(f"features: {name}", kFields, (scores, deltas, features.astype(dtype), info), **options)
    for name, scale in (("the same scale", 0.02), ("another scale", 0.05)): # a maximum keeps its integer, or is rounded
        coarse = quantized(features, 0.02)
        made = case(f"INT8, {name}", kFields, (scores, deltas, coarse, info), scales={"fmap": 0.02, "pfmap": scale},
                    open=(0, 2, 3), tolerance=1e-5 if scale == 0.02 else scale)
        made.inputs["fmap"] = features
        made.outputs["pfmap"] = quantized(made.outputs["pfmap"], scale)
        yield made
    yield from edges(random)
    for text, changed in {
            "poolingH has to be given, 1 or more; found 0": {"poolingH": 0},
            "poolingW has to be given, 1 or more; found -1": {"poolingW": -1},
            "featureStride has to be given, 1 or more; found 0": {"featureStride": 0},
            "preNmsTop has to be given, 1 or more; found 0": {"preNmsTop": 0},
            "nmsMaxOut has to be given, 1 or more; found -3": {"nmsMaxOut": -3},
            "anchorsRatioCount is 1000000000; expected 3, the length of anchorsRatios":
                {"anchorsRatioCount": 10**9},
            "anchorsRatioCount is -1; expected 3, the length of anchorsRatios": {"anchorsRatioCount": -1},
            "anchorsScaleCount is 0; expected 2, the length of anchorsScales": {"anchorsScaleCount": 0},
            "iouThreshold has to be finite, 0 or more; found -0.500000": {"iouThreshold": -0.5},
            "minBoxSize has to be finite, 0 or more; found inf": {"minBoxSize": np.inf},
            "spatialScale has to be finite and above 0; found 0.000000": {"spatialScale": 0.0},
            "anchorsRatios has to be finite and above 0; found 0.000000": {"anchorsRatios": [0.0, 1.0, 2.0]},
            "anchorsScales has to be finite and above 0; found nan": {"anchorsScales": [np.nan, 1.0]},
            "scores has 12 channels; expected 6, 2 for each of 3 anchors (anchorsRatios x anchorsScales)":
                {"anchorsScales": [1.0], "anchorsScaleCount": 1}}.items():
        yield refused(text, {**kFields, **changed}, given)
    yield refused("deltas has 23 channels; expected 24, 4 for each of 6 anchors", kFields,
                  (scores, deltas[:, :23], features, info))
    missing = {name: value for name, value in kFields.items() if name != "anchorsRatios"}
    yield refused("anchorsRatios has to be given", missing, given)
    eight = refused("", kFields, (scores, deltas, features.astype(np.int8), info))
    eight.name, eight.refusal = "refused: INT8 without a scale", "input 'fmap' (fmap) is int8 [2,3,5,7], and its scale is not known"
    eight.flags = ["--stronglyTyped"]
    yield eight


def refused(text, fields, given):
    outputs = case("", kFields, tensors(np.random.default_rng(1))).outputs
    return Case("refused: " + text, "RPROI_TRT", fields, dict(zip(("scores", "deltas", "fmap", "iinfo"), given)),
                outputs, refusal="RPROI_TRT: " + text)
