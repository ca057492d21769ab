# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of MultilevelProposeROI_TRT, by the formulas of TAO's Mask R-CNN in double."""
import numpy as np
from case import Case, shortTypes
from reference import padded, survivors

kFields = {"prenms_topk": 60, "keep_topk": 12, "fg_threshold": 0.2, "iou_threshold": 0.5, "image_size": [3, 100, 150]}
kLevels = range(2, 7)


def anchors(level, height, width):
    """[N,4] y1, x1, y2, x2 of one level, in pixels."""
    stride = 2**level
    return np.reshape([[y - h * stride * 4, x - w * stride * 4, y + h * stride * 4, x + w * stride * 4]
                       for y in range(stride // 2, height, stride) for x in range(stride // 2, width, stride)
                       for w, h in ((1, 1), (1.4, 0.7), (0.7, 1.4))], (-1, 4)).astype(float)


def regionsOfLevel(fields, level, deltas, scores):
    """The kept boxes [N,4] and scores of one level; deltas [N,4,1], scores [N,1,1]."""
    height, width = fields["image_size"][1:]
    boxes, d, scores = anchors(level, height, width), deltas[..., 0].astype(float), scores[:, 0, 0].astype(float)
    size = boxes[:, 2:] - boxes[:, :2] + 1
    center = boxes[:, :2] + size / 2 + d[:, :2] * size
    size = size * np.exp(np.minimum(d[:, 2:], np.log(1000 / 16)))
    last = np.array([height - 1, width - 1])
    boxes = np.concatenate([(center - size / 2).clip(0, last), (center + size / 2 - 1).clip(0, last)], axis=1)
    valid = np.flatnonzero((scores >= fields["fg_threshold"]) & (scores > 0))
    kept = valid[survivors(boxes[valid], scores[valid], fields["iou_threshold"], candidates=fields["prenms_topk"],
                           most=fields["keep_topk"])]
    return boxes[kept], scores[kept]


def regions(fields, tensors):
    """[keep_topk,4] of one image."""
    levels = [regionsOfLevel(fields, level, *tensors[2 * i:2 * i + 2]) for i, level in enumerate(kLevels)]
    boxes, scores = [np.concatenate(parts) for parts in zip(*levels)]
    return padded(boxes[np.argsort(-scores, kind="stable")], fields["keep_topk"])


def tensors(random, pictures=2, size=(100, 150)):
    all = []
    for level in kLevels:
        count = len(anchors(level, *size))
        all += [random.normal(0, 0.3, (pictures, count, 4, 1)).astype(np.float32),
                random.uniform(0, 1, (pictures, count, 1, 1)).astype(np.float32)]
    return all


def case(name, given, y=None, **options):
    fields = {**kFields, **options.pop("fields", {})}
    if y is None:
        y = np.zeros((len(given[0]), fields["keep_topk"], 4), given[0].dtype)
        for i, of in enumerate(zip(*given)):
            y[i] = regions(fields, of)
    names = [what + str(level) for level in kLevels for what in ("delta", "score")]
    return Case(name, "MultilevelProposeROI_TRT", fields, dict(zip(names, given)), {"proposals": y}, **options)


def changed(given, change):
    """With the scores changed by `change`."""
    return [change(tensor) if i % 2 else tensor for i, tensor in enumerate(given)]


def cases():
    random = np.random.default_rng(17)
    given = tensors(random)
    yield case("boxes of two images", given)
    yield case("an open batch of three", tensors(random, 3), open=(0,))
    yield case("more rows than boxes, and all boxes considered", given,
               fields={"prenms_topk": 2**31 - 1, "keep_topk": 6000})
    yield case("few boxes of each level are considered", given, fields={"prenms_topk": 3, "keep_topk": 20})
    yield case("few boxes are sure enough", given, fields={"fg_threshold": 0.97, "keep_topk": 60})
    yield case("a score of 0 is not a box, also where the threshold is 0", changed(given, lambda x: x.round()),
               fields={"fg_threshold": 0.0, "keep_topk": 3000, "iou_threshold": 1.0}, tolerance=5e-5)  # of 24,000 edges
    yield case("boxes that overlap at all are one", given, fields={"iou_threshold": 0.0})
    yield case("of equal scores the finest level, and there the first boxes", changed(given, lambda x: x.round(1)),
               fields={"iou_threshold": 0.8})
    stretched = tensors(random, 1, (8, 4500)) # the 35 pixels of the finest level's anchors become 2000
    for i in range(0, 10, 2):
        stretched[i][:, :, 2:] += 5
    yield case("what is stretched very much ends at 62.5 times", stretched,
               fields={"image_size": [3, 8, 4500], "iou_threshold": 0.99, "keep_topk": 300})
    yield case("an image with positions of the finest levels only", tensors(random, 1, (3, 9)),
               fields={"image_size": [3, 3, 9]})
    yield case("an image without positions", tensors(random, 1, (1, 1)), fields={"image_size": [1, 1, 1]})
    usual = {"prenms_topk": 5000, "keep_topk": 1000, "fg_threshold": 0.0, "iou_threshold": 0.7}
    whole = tensors(random, 1, (832, 1344))
    y = regions({**usual, "image_size": [3, 832, 1344]}, [tensor[0] for tensor in whole])
    usualCase = case("the usual image", whole, y=y[None].astype(np.float32))
    usualCase.attributes = usual
    yield usualCase
    yield case("no images", [tensor[:0] for tensor in given])
    nans = [tensor.copy() for tensor in given]
    nans[0][:, ::3], nans[1][:, 1::3] = np.nan, np.nan
    yield case("boxes and scores that are not numbers are none", nans)
    for name, dtype, options in shortTypes(1e-3):
        yield case(name, [tensor.astype(dtype) for tensor in given], **options)
    y = case("", given).outputs["proposals"]
    for text, fields in {
            "prenms_topk has to be given, 1 or more; found 0": {"prenms_topk": 0},
            "keep_topk has to be given, 1 or more; found -1": {"keep_topk": -1},
            "fg_threshold has to be finite, 0 or more; found -0.100000": {"fg_threshold": -0.1},
            "iou_threshold has to be finite, 0 or more; found inf": {"iou_threshold": np.inf},
            "image_size has to be three numbers, channels, height and width, 1 or more": {"image_size": [3, 0, 5]},
            f"delta_P2 has {len(anchors(2, 100, 150))} boxes; expected 3000, the anchors in an image of image_size, 100 x 160":
                {"image_size": [3, 100, 160]}}.items():
        yield case("refused: " + text, given, fields=fields, y=y, refusal="MultilevelProposeROI_TRT: " + text)
