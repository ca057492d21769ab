# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of ProposalLayer_TRT, by the formulas of Matterport's Mask R-CNN in double."""
import numpy as np
from case import Case, shortTypes
from reference import padded, survivors

kFields = {"prenms_topk": 60, "keep_topk": 12, "iou_threshold": 0.5, "image_size": [3, 128, 150]}


def anchors(height, width):
    """[N,4] y1, x1, y2, x2, normalized to the distance from the first pixel to the last."""
    return np.array([[(y - scale / root / 2) / (height - 1), (x - scale * root / 2) / (width - 1),
                      (y + scale / root / 2 - 1) / (height - 1), (x + scale * root / 2 - 1) / (width - 1)]
                     for stride, scale in zip((4, 8, 16, 32, 64), (32, 64, 128, 256, 512))
                     for y in range(0, height, stride) for x in range(0, width, stride)
                     for root in np.sqrt([0.5, 1, 2])])


def regions(fields, scores, deltas):
    """[keep_topk,4] of one image: scores [N,2,1], deltas [N,4,1]."""
    boxes, d = anchors(*fields["image_size"][1:]), deltas[..., 0].astype(float) * [0.1, 0.1, 0.2, 0.2]
    size = boxes[:, 2:] - boxes[:, :2]
    center, size = boxes[:, :2] + size / 2 + d[:, :2] * size, size * np.exp(d[:, 2:])
    boxes = np.concatenate([center - size / 2, center + size / 2], axis=1).clip(0, 1)
    objects = scores[:, 1, 0].astype(float)
    valid = np.flatnonzero(objects > 0.01)
    kept = survivors(boxes[valid], objects[valid], fields["iou_threshold"], candidates=fields["prenms_topk"],
                     most=fields["keep_topk"])
    return padded(boxes[valid[kept]], fields["keep_topk"])


def tensors(random, pictures=2, size=(128, 150)):
    count = len(anchors(*size))
    return (random.uniform(0, 1, (pictures, count, 2, 1)).astype(np.float32),
            random.normal(0, 1, (pictures, count, 4, 1)).astype(np.float32))


def case(name, given, y=None, **options):
    fields = {**kFields, **options.pop("fields", {})}
    if y is None:
        y = np.zeros((len(given[0]), fields["keep_topk"], 4), given[0].dtype)
        for i, of in enumerate(zip(*given)):
            y[i] = regions(fields, *of)
    return Case(name, "ProposalLayer_TRT", fields, dict(zip(("object_score", "object_delta"), given)),
                {"proposals": y}, **options)


def cases():
    random = np.random.default_rng(13)
    scores, deltas = given = tensors(random)
    yield case("boxes of two images", given)
    yield case("an open batch of three", tensors(random, 3), open=(0,))
    yield case("more rows than boxes, and all boxes considered", given,
               fields={"prenms_topk": 2**31 - 1, "keep_topk": 8000})
    yield case("few boxes are considered", given, fields={"prenms_topk": 5})
    yield case("boxes that overlap much", given, fields={"iou_threshold": 0.8, "keep_topk": 40})
    yield case("one pixel more than the positions of the coarsest level", tensors(random, 1, (65, 129)),
               fields={"image_size": [3, 65, 129]})
    yield case("the smallest image", tensors(random, 1, (2, 2)), fields={"image_size": [3, 2, 2]})
    yield case("of equal scores the first boxes", (scores.round(1), deltas))
    yield case("a score of 0.01 is too low, of less, too", (scores.round(2) * np.float32(0.02), deltas),
               fields={"keep_topk": 3000, "prenms_topk": 4000})
    whole = tensors(random, 1, (1024, 1024))
    yield Case("the usual image", "ProposalLayer_TRT", {"prenms_topk": 6000, "keep_topk": 1000, "iou_threshold": 0.7},
               {"object_score": whole[0], "object_delta": whole[1]},
               {"proposals": regions({"prenms_topk": 6000, "keep_topk": 1000, "iou_threshold": 0.7,
                                      "image_size": [3, 1024, 1024]}, whole[0][0], whole[1][0])[None].astype(np.float32)})
    yield case("no images", (scores[:0], deltas[:0]))
    nans = scores.copy(), deltas.copy()
    nans[0][:, ::3], nans[1][:, 1::3] = np.nan, np.nan
    yield case("boxes and scores that are not numbers are none", nans)
    for name, dtype, options in shortTypes(1e-3):
        yield case(name, [tensor.astype(dtype) for tensor in given], **options)
    y = case("", given).outputs["proposals"]
    sizes = "image_size has to be three numbers, channels, height and width, 1 or more"
    pictures = "image_size has to be 3 channels, and a height and a width of 2 or more"
    for text, changed in {
            "prenms_topk has to be given, 1 or more; found 0": {"prenms_topk": 0},
            "keep_topk has to be given, 1 or more; found -1": {"keep_topk": -1},
            "iou_threshold has to be finite and above 0; found nan": {"iou_threshold": np.nan},
            sizes: {"image_size": [3, 128]}, sizes + " ": {"image_size": [3, 0, 128]},
            pictures: {"image_size": [1, 128, 150]}, pictures + " ": {"image_size": [3, 128, 1]},
            f"object_score has {len(anchors(128, 150))} boxes; expected 1151795604700004352, the anchors in an image of image_size, "
            "2147483647 x 2147483647": {"image_size": [3, 2**31 - 1, 2**31 - 1]}}.items():
        yield case("refused: " + text, given, fields=changed, y=y, refusal="ProposalLayer_TRT: " + text.strip())
