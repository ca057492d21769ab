# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Proposal and ProposalDynamic, by the formulas of Faster R-CNN in double."""
import numpy as np
from case import Case, shortTypes
from reference import padded, survivors

kFields = {"input_height": 90, "input_width": 120, "rpn_stride": 16, "roi_min_size": 2.0, "nms_iou_threshold": 0.5,
           "pre_nms_top_n": 60, "post_nms_top_n": 12, "anchor_sizes": [20.0, 50.0], "anchor_ratios": [1.0, 0.5, 2.0]}


def regions(fields, scores, deltas):
    """[post_nms_top_n,4] of one image: scores [A,H,W], deltas [4A,H,W]."""
    rows, columns = scores.shape[1:]
    size, ratio, y, x = [axis.reshape(-1) for axis in np.meshgrid(fields["anchor_sizes"], fields["anchor_ratios"],
                                                                  np.arange(rows), np.arange(columns), indexing="ij")]
    width, height, stride = size * np.sqrt(ratio), size / np.sqrt(ratio), fields["rpn_stride"]
    dx, dy, dw, dh = deltas.astype(float).reshape(-1, 4, rows * columns).transpose(1, 0, 2).reshape(4, -1)
    middleX, middleY = (x + 0.5) * stride + dx * width, (y + 0.5) * stride + dy * height
    width, height = width * np.exp(dw), height * np.exp(dh)
    right, bottom = fields["input_width"] - 1, fields["input_height"] - 1
    boxes = np.stack([(middleX - width / 2).clip(0, right), (middleY - height / 2).clip(0, bottom),
                      (middleX + width / 2).clip(0, right), (middleY + height / 2).clip(0, bottom)], axis=1)
    isLarge = np.all(boxes[:, 2:] - boxes[:, :2] > fields["roi_min_size"], axis=1)
    scores = scores.astype(float).reshape(-1)
    valid = np.flatnonzero(isLarge & ~np.isnan(scores))
    kept = survivors(boxes[valid] + [0, 0, 1, 1], scores[valid], fields["nms_iou_threshold"],
                     candidates=fields["pre_nms_top_n"], most=fields["post_nms_top_n"])
    shares = boxes[valid[kept]][:, [1, 0, 3, 2]] / np.array([bottom, right, bottom, right])
    return padded(shares, fields["post_nms_top_n"])


def tensors(random, pictures=2, rows=6, columns=8, anchors=6):
    return (random.uniform(0, 1, (pictures, anchors, rows, columns)).astype(np.float32),
            random.normal(0, 0.3, (pictures, 4 * anchors, rows, columns)).astype(np.float32))


def case(name, given, op="ProposalDynamic", y=None, **options):
    fields = {**kFields, **options.pop("fields", {})}
    if y is None:
        y = np.zeros((len(given[0]), fields["post_nms_top_n"], 4, 1), given[0].dtype)
        for i, of in enumerate(zip(*given)):
            y[i] = regions(fields, *of)[..., None] if of[0].size else 0
    return Case(name, op, fields, dict(zip(("scores", "deltas"), given)), {"rois": y}, **options)


def cases():
    random = np.random.default_rng(11)
    scores, deltas = given = tensors(random)
    yield case("boxes of two images", given)
    yield case("the name without Dynamic", given, op="Proposal")
    yield case("open sizes, three images", tensors(random, 3), open=(0, 2, 3))
    yield case("more rows than boxes, and all boxes considered", given,
               fields={"pre_nms_top_n": 2**31 - 1, "post_nms_top_n": 400})
    yield case("few boxes are considered", given, fields={"pre_nms_top_n": 5})
    yield case("small boxes are none", given, fields={"roi_min_size": 30.0, "post_nms_top_n": 40})
    yield case("boxes that overlap much", given, fields={"nms_iou_threshold": 0.8, "post_nms_top_n": 40})
    yield case("another stride", given, fields={"rpn_stride": 12})
    yield case("of equal scores the first boxes", (scores.round(1), deltas))
    yield case("many boxes", tensors(random, 1, 40, 50), fields={
        "input_height": 640, "input_width": 800, "pre_nms_top_n": 6000, "post_nms_top_n": 1000,
        "nms_iou_threshold": 0.7})
    sizes, ratios = np.linspace(10, 80, 20), np.linspace(0.5, 2, 15)
    yield case("many sizes", tensors(random, 2, 2, 3, 300), fields={"anchor_sizes": sizes.tolist(), "anchor_ratios": ratios.tolist()})
    yield case("no images", (scores[:0], deltas[:0]))
    yield case("maps without pixels", (scores[:, :, :0], deltas[:, :, :0]))
    one = {"anchor_sizes": [20.0], "anchor_ratios": [1.0]}
    yield case("one box", tensors(random, 1, 1, 1, 1), fields=one)
    nans = scores.copy(), deltas.copy()
    nans[0][:, :, 1], nans[1][:, :, :, 3] = np.nan, np.nan
    yield case("boxes and scores that are not numbers are none", nans)
    for name, dtype, options in shortTypes(1e-3):
        yield case(name, [tensor.astype(dtype) for tensor in given], **options)
    yield case("an image of one row has no boxes", given, fields={"input_height": 1, "roi_min_size": 0.0},
               y=np.zeros((2, 12, 4, 1), np.float32))
    y = case("", given).outputs["rois"]
    for text, changed in {
            "input_height has to be given, 1 or more; found 0": {"input_height": 0},
            "input_width has to be given, 1 or more; found -1": {"input_width": -1},
            "rpn_stride has to be given, 1 or more; found 0": {"rpn_stride": 0},
            "pre_nms_top_n has to be given, 1 or more; found 0": {"pre_nms_top_n": 0},
            "post_nms_top_n has to be given, 1 or more; found -2": {"post_nms_top_n": -2},
            "roi_min_size has to be finite, 0 or more; found -1.000000": {"roi_min_size": -1.0},
            "nms_iou_threshold has to be finite and above 0; found 0.000000": {"nms_iou_threshold": 0.0},
            "anchor_sizes has to be finite and above 0; found -1.000000": {"anchor_sizes": [-1.0, 2.0]},
            "anchor_ratios has to be finite and above 0; found inf": {"anchor_ratios": [np.inf, 1.0, 1.0]},
            "scores has 6 channels; expected 1000000, 1 for each of 1000000 anchors (anchor_sizes x anchor_ratios)":
                {"anchor_sizes": [1.0] * 1000, "anchor_ratios": [1.0] * 1000}}.items():
        yield case("refused: " + text, given, fields=changed, y=y, refusal="ProposalDynamic: " + text)
    text = "deltas has 20 channels; expected 24, 4 for each of 6 anchors"
    yield case("refused: " + text, (scores, deltas[:, :20]), op="Proposal", y=y, refusal="Proposal: " + text)
    yield case("refused when it runs: " + text, (scores, deltas[:, :20]), op="Proposal", y=y, open=(1,),
               runRefusal="Proposal: " + text)
    missing = {name: value for name, value in kFields.items() if name != "anchor_ratios"}
    yield Case("refused: no ratios", "Proposal", missing, {"scores": scores, "deltas": deltas}, {"rois": y},
               refusal="Proposal: anchor_sizes and anchor_ratios have to be given")
