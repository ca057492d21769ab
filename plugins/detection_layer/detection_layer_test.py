# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of DetectionLayer_TRT and GenerateDetection_TRT, by the formulas of Mask R-CNN in double."""
import numpy as np
from case import Case, shortTypes
from reference import padded, survivors

kFields = {"num_classes": 5, "keep_topk": 20, "score_threshold": 0.3, "iou_threshold": 0.4}
kPicture = [3, 200, 300]
kOps = ("DetectionLayer_TRT", "GenerateDetection_TRT")


def boxesOfShares(rois, deltas):
    """y1, x1, y2, x2 from 0 to 1."""
    d, size = deltas * [0.1, 0.1, 0.2, 0.2], rois[:, 2:] - rois[:, :2]
    center, size = (rois[:, :2] + rois[:, 2:]) / 2 + d[:, :2] * size, size * np.exp(d[:, 2:])
    return np.concatenate([center - size / 2, center + size / 2], axis=1).clip(0, 1)


def boxesOfPixels(rois, deltas, height, width):
    """y1, x1, y2, x2, of pixels that belong to the box."""
    d, size = deltas / [10, 10, 5, 5], rois[:, 2:] - rois[:, :2] + 1
    center, size = rois[:, :2] + size / 2 + d[:, :2] * size, size * np.exp(np.minimum(d[:, 2:], np.log(1000 / 16)))
    last = np.array([height - 1, width - 1])
    return np.concatenate([(center - size / 2).clip(0, last), (center + size / 2 - 1).clip(0, last)], axis=1)


def detections(op, fields, deltas, scores, rois):
    """[keep_topk,6] of one image: deltas [R,4C,1,1], scores [R,C,1,1], rois [R,4]."""
    scores = scores[..., 0, 0].astype(float)
    real = np.where(np.isnan(scores), -1, scores)
    if op == "GenerateDetection_TRT":
        real[:, 0] = -1 # the highest-scoring class that is not background
    labels, every = real.argmax(axis=1), np.arange(len(scores))
    surest, d = real[every, labels], deltas.astype(float).reshape(len(deltas), fields["num_classes"], 4)[every, labels]
    boxes = boxesOfShares(rois.astype(float), d) if op == "DetectionLayer_TRT" else \
        boxesOfPixels(rois.astype(float), d, *fields.get("image_size", [3, 832, 1344])[1:])
    valid = np.flatnonzero((labels > 0) & (surest > 0.01) & (surest >= fields["score_threshold"]))
    kept = valid[survivors(boxes[valid], surest[valid], fields["iou_threshold"], labels=labels[valid],
                           most=fields["keep_topk"])]
    y = padded(np.concatenate([boxes[kept], labels[kept, None], surest[kept, None]], axis=1), fields["keep_topk"], 6)
    y[len(kept):, 4] = -1
    return y


def tensors(random, op, pictures=2, regions=60, classes=5):
    middle, size = random.uniform(0, 1, (pictures, regions, 2)), random.uniform(0.1, 0.5, (pictures, regions, 2))
    rois = np.concatenate([middle - size / 2, middle + size / 2], axis=2).clip(0, 1)
    if op == "GenerateDetection_TRT":
        rois *= [kPicture[1] - 1, kPicture[2] - 1] * 2
    return (random.normal(0, 1, (pictures, regions, 4 * classes, 1, 1)).astype(np.float32),
            random.uniform(0, 1, (pictures, regions, classes, 1, 1)).astype(np.float32), rois.astype(np.float32))


def case(name, op, given, y=None, **options):
    fields = {**kFields, **({"image_size": kPicture} if op == "GenerateDetection_TRT" else {}), **options.pop("fields", {})}
    if y is None:
        y = np.zeros((len(given[0]), fields["keep_topk"], 6), given[0].dtype)
        for i, of in enumerate(zip(*given)):
            y[i] = detections(op, fields, *of) if fields["num_classes"] > 1 else [0, 0, 0, 0, -1, 0]
    return Case(name, op, fields, dict(zip(("delta_bbox", "score", "roi"), given)), {"detections": y}, **options)


def casesOf(op):
    random = np.random.default_rng(23)
    deltas, scores, rois = given = tensors(random, op)
    yield case("objects in two images", op, given)
    yield case("open sizes, three images", op, tensors(random, op, 3), open=(0, 1) if op == kOps[0] else (0,))
    yield case("more rows than objects", op, given, fields={"keep_topk": 100})
    yield case("few objects stay", op, given, fields={"keep_topk": 3})
    yield case("few objects are sure enough", op, given, fields={"score_threshold": 0.95})
    yield case("a score of at most 0.01 is not an object", op, (deltas, scores * np.float32(0.015), rois),
               fields={"score_threshold": 0.0, "keep_topk": 100})
    yield case("objects that overlap much", op, given, fields={"iou_threshold": 0.8, "keep_topk": 100})
    yield case("of equal scores the smaller class, then the first region", op, (deltas, scores.round(1), rois),
               fields={"keep_topk": 50})
    yield case("many regions, classes and numbers that stretch far", op,
               [tensor * scale for tensor, scale in zip(tensors(random, op, 1, 5000, 91), np.float32([8, 1, 1]))],
               fields={"num_classes": 91, "keep_topk": 3000}, tolerance=1e-4)
    yield case("no images", op, [tensor[:0] for tensor in given])
    yield case("no regions", op, [tensor[:, :0] for tensor in given])
    yield case("one region", op, tensors(random, op, 1, 1))
    yield case("of the background alone is not an object", op, tensors(random, op, classes=1), fields={"num_classes": 1})
    nans = [tensor.copy() for tensor in given]
    nans[0][:, ::5], nans[1][:, 1::5, 2], nans[1][:, 2::5], nans[2][:, 3::5, 1] = np.nan, np.nan, np.nan, np.nan
    yield case("regions and scores that are not numbers are none", op, nans, fields={"keep_topk": 60})
    for name, dtype, options in shortTypes(1e-3):
        yield case(name, op, [tensor.astype(dtype) for tensor in given], **options)
    y = case("", op, given).outputs["detections"]
    for text, changed in {
            "num_classes has to be given, 1 or more; found 0": {"num_classes": 0},
            "keep_topk has to be given, 1 or more; found -1": {"keep_topk": -1},
            "score_threshold has to be finite, 0 or more; found nan": {"score_threshold": np.nan},
            "iou_threshold has to be finite and above 0; found 0.000000": {"iou_threshold": 0.0},
            "score is of 5 classes, num_classes is 2147483647": {"num_classes": 2**31 - 1}}.items():
        yield case("refused: " + text, op, given, fields=changed, y=y, refusal=f"{op}: {text}")
    text = "delta_bbox has 16 numbers for a region; expected 20, 4 for each of num_classes"
    yield case("refused: " + text, op, (deltas[:, :, :16], scores, rois), y=y, refusal=f"{op}: {text}")


def cases():
    for op in kOps:
        yield from casesOf(op)
    op, random = kOps[1], np.random.default_rng(29)
    given = tensors(random, op)
    usual = case("the usual image", op, given, fields={"image_size": [3, 832, 1344]})
    del usual.attributes["image_size"]
    yield usual
    deltas, scores, rois = [tensor.copy() for tensor in given]
    deltas[:, :, 2::4] += 30
    rois[..., 2:] = rois[..., :2] + 2
    yield case("what is stretched very much ends at 62.5 times", op, (deltas, scores, rois),
               fields={"image_size": [3, 832, 1344]})
    text = "image_size has to be three numbers, channels, height and width, 1 or more"
    yield case("refused: " + text, op, given, fields={"image_size": [3, -1, 5]}, y=usual.outputs["detections"],
               refusal=f"{op}: {text}")
