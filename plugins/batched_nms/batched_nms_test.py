# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of BatchedNMS_TRT and BatchedNMSDynamic_TRT; boxes kept by ONNX Runtime's NonMaxSuppression."""
import numpy as np
from case import Case
from onnx import TensorProto, helper
from reference import bestBoxes, realSize

kNames = ["num_detections", "nmsed_boxes", "nmsed_scores", "nmsed_classes"]


def expected(boxes, scores, most, topK, iou=0.5, threshold=0.3, background=-1, clip=True, border=0):
    """boxes [B,N,1 or C,4], scores [B,N,C]; the other arguments as in bestBoxes()."""
    batch = len(scores)
    outputs = [np.zeros((batch, 1), np.int32), np.zeros((batch, most, 4), np.float32),
               np.zeros((batch, most), np.float32), np.full((batch, most), -1, np.float32)]
    for b in range(batch):
        kept = bestBoxes(boxes[b], scores[b], iou, threshold, most, topK, background=background, border=border)
        outputs[0][b] = len(kept)
        for i, (place, label) in enumerate(kept):
            outputs[1][b, i] = boxes[b, place, label % boxes.shape[2]]
            outputs[2][b, i] = scores[b, place, label]
            outputs[3][b, i] = label
    if clip:
        outputs[1] = outputs[1].clip(0, 1)
    return dict(zip(kNames, outputs))


def fields(**changed):
    return {"shareLocation": 1, "backgroundLabelId": -1, "numClasses": 3, "topK": 40, "keepTopK": 20,
            "scoreThreshold": 0.3, "iouThreshold": 0.5, "isNormalized": 1, "clipBoxes": 1, "plugin_version": "1", **changed}


def corners(random, size, *shape):
    center, extent = random.uniform(0, size, (*shape, 2)), random.uniform(size / 8, size / 2, (*shape, 2))
    return np.concatenate([center - extent / 2, center + extent / 2], -1).astype(np.float32)


def case(name, attributes, boxes, scores, outputs, op="BatchedNMSDynamic_TRT", **options):
    return Case(name, op, attributes, {"boxes": boxes, "scores": scores}, outputs, **options)


def oneClassEach(random, *shape):
    """Scores [..., C] of boxes of one class each."""
    scores = np.zeros(shape, np.float32)
    np.put_along_axis(scores, random.integers(0, shape[-1], (*shape[:-1], 1)),
                      random.uniform(0.001, 1, (*shape[:-1], 1)).astype(np.float32), -1)
    return scores


def large(random):
    """More candidates than the original accepts, 4096, and than one block of a GPU sorts or suppresses."""
    def small(*shape):
        return corners(random, 1 / 20, *shape) + np.tile(random.uniform(0, 0.9, (*shape, 2)), 2).astype(np.float32)

    boxes, scores = small(1, 6000, 1), random.uniform(0, 1, (1, 6000, 1)).astype(np.float32)
    yield case("5000 of 6000 boxes of one class", fields(numClasses=1, topK=5000, keepTopK=5000, scoreThreshold=0.0), boxes,
               scores, expected(boxes, scores, 5000, 5000, threshold=0))
    boxes, scores = small(3, 26000, 1), oneClassEach(random, 3, 26000, 5)
    scores[1], scores[1, ..., 3] = 0, scores[1].max(-1)  # all of one class
    yield case("26000 boxes", fields(numClasses=5, topK=26000, keepTopK=9000, scoreThreshold=0.0), boxes, scores,
               expected(boxes, scores, 9000, 26000, threshold=0))


def inBrainFloat(random):
    """bfloat16 inside, which numpy does not support."""
    def rounded(array):
        bits = array.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)

    boxes, scores = (rounded(array) for array in (corners(random, 1, 3, 300, 1), random.uniform(0, 1, (3, 300, 3))))
    outputs = expected(boxes, scores, 20, 40)
    cast = lambda to, *names: helper.make_node("Cast", [names[0]], [names[1]], to=to)
    brain, real = TensorProto.BFLOAT16, TensorProto.FLOAT
    inside = ["num_detections", *[name + "_bf16" for name in kNames[1:]]]
    nodes = [cast(brain, "boxes", "boxes_bf16"), cast(brain, "scores", "scores_bf16"),
             helper.make_node("BatchedNMSDynamic_TRT", ["boxes_bf16", "scores_bf16"], inside, **fields()),
             *[cast(real, name + "_bf16", name) for name in kNames[1:]]]
    return case("bfloat16", {}, boxes, scores, outputs, nodes=nodes, flags=["--stronglyTyped"])


def real(random, boxes, scores):
    """Version real_size."""
    def each(name, boxes, scores, most=20, options=None, **changed):
        rules = {name: changed[field] for name, field in (("threshold", "scoreThreshold"),) if field in changed}
        padded = expected(boxes.astype(np.float32), scores.astype(np.float32), most, changed.get("topK", 40), **rules)
        return case("rows without padding: " + name, fields(plugin_version="real_size", keepTopK=most, **changed), boxes,
                    scores, realSize(padded, "num_detections"), **(options or {}))

    yield each("two images", boxes, scores, 30, {"open": (0,)}, scoreThreshold=0.8)
    yield each("none of the first image", boxes, scores * np.array([0, 1], np.float32)[:, None, None])
    yield each("nothing is sure enough", boxes, scores, scoreThreshold=1.0)
    yield each("no images", boxes[:0], scores[:0])
    yield each("no boxes", boxes[:, :0], scores[:, :0])
    yield each("more rows than boxes", boxes[:1], scores[:1], 400, topK=400)
    halves = [array.astype(np.float16) for array in (boxes, scores)]
    yield each("half precision in, float out", *halves, options={"flags": ["--stronglyTyped"]})
    many, sure = corners(random, 1 / 4, 3, 3000, 1), oneClassEach(random, 3, 3000, 3)
    yield each("many boxes", many, sure, 2000, topK=3000, scoreThreshold=0.5)
    count = each("the number of rows is not asked for", boxes, scores)
    del count.outputs["rows"]
    yield count


def cases():
    random = np.random.default_rng(3)
    shared, own = corners(random, 1, 2, 50, 1), corners(random, 1, 2, 50, 3)
    scores = random.uniform(0, 1, (2, 50, 3)).astype(np.float32)
    yield case("one box for all classes", fields(), shared, scores, expected(shared, scores, 20, 40), open=(0,))
    yield case("the name without Dynamic", fields(), shared, scores, expected(shared, scores, 20, 40),
               op="BatchedNMS_TRT")
    yield case("a box for each class", fields(shareLocation=0), own, scores, expected(own, scores, 20, 40))
    yield case("few go into the suppression, the background none", fields(topK=10, keepTopK=10, backgroundLabelId=0),
               shared, scores, expected(shared, scores, 10, 10, background=0))
    yield case("more rows than boxes", fields(topK=150, keepTopK=150), shared, scores,
               expected(shared, scores, 150, 150))
    yield case("more of an image than of a class", fields(topK=4, keepTopK=10), shared, scores,
               expected(shared, scores, 10, 4))
    yield case("few rows for many boxes", fields(keepTopK=3), shared, scores, expected(shared, scores, 3, 40))
    many, most = corners(random, 1, 3, 700, 1), 900  # more than a sort of few keys holds, and more than one vector
    sure = random.choice(np.linspace(0.25, 1, 40, dtype=np.float32), (3, 700, 3))
    sure[:, ::50], sure[:, 7::50] = np.nan, -0.0
    yield case("many boxes, many of them as sure as another, some not known", fields(topK=5000, keepTopK=most), many,
               sure, expected(many, np.nan_to_num(sure), most, 5000))
    halfOfBoth = np.array([[[0, 0, 0.5, 1], [0, 0, 1, 1], [0, 0, 1, 0.5]]], np.float32)[:, :, None]
    falling = np.array([[[0.9], [0.8], [0.7]]], np.float32)
    yield case("an overlap that is the threshold", fields(numClasses=1, keepTopK=3), halfOfBoth, falling,
               expected(halfOfBoth, falling, 3, 40))
    yield case("any overlap is too much", fields(numClasses=1, keepTopK=3, iouThreshold=-1.0), halfOfBoth, falling,
               expected(halfOfBoth, falling, 3, 1))
    yield case("no boxes", fields(), shared[:, :0], scores[:, :0], expected(shared[:, :0], scores[:, :0], 20, 40))
    yield case("no images", fields(), shared[:0], scores[:0], expected(shared[:0], scores[:0], 20, 40))
    pixels = np.round(corners(random, 60, 2, 50, 1))
    yield case("boxes of pixels", fields(isNormalized=0, clipBoxes=0, iouThreshold=0.35), pixels, scores,
               expected(pixels, scores, 20, 40, iou=0.35, clip=False, border=1))
    halves = [array.astype(np.float16) for array in (shared, scores)]
    wide = expected(*[half.astype(np.float32) for half in halves], 20, 40)
    yield case("half precision", fields(), *halves, {name: array.astype(np.float16) if array.dtype == np.float32 else array
                                                     for name, array in wide.items()}, flags=["--stronglyTyped"])
    yield from large(random)
    yield inBrainFloat(random)
    yield from real(random, shared, scores)
    for text, attributes in {
            "numClasses has to be given, 1 or more": fields(numClasses=0),
            "keepTopK has to be given, 1 or more": fields(keepTopK=0),
            "the scores are of 3 classes, numClasses is 4": fields(numClasses=4),
            "there are 1 boxes at each position; expected 3, because shareLocation is 0": fields(shareLocation=0)}.items():
        yield case("refused: " + text, attributes, shared, scores, expected(shared, scores, 20, 40),
                   refusal="BatchedNMSDynamic_TRT: " + text)
