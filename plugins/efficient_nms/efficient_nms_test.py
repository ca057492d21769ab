# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of EfficientNMS_TRT; which boxes stay is what ONNX Runtime's NonMaxSuppression says."""
import numpy as np
from case import Case
from reference import suppression

kNames = ["num_detections", "detection_boxes", "detection_scores", "detection_classes"]


def expected(corners, scores, most, iou=0.5, threshold=0.5, agnostic=False, background=-1):
    """corners [B,N,4] or [B,N,C,4], scores [B,N,C]."""
    batch, places, classes = scores.shape
    perClass = np.broadcast_to(corners if corners.ndim == 4 else corners[:, :, None], (batch, places, classes, 4))
    labels = [label for label in range(classes) if label != background]
    outputs = [np.zeros((batch, 1), np.int32), np.zeros((batch, most, 4), np.float32),
               np.zeros((batch, most), np.float32), np.zeros((batch, most), np.int32)]
    for b in range(batch):
        if agnostic:
            flat = [(place, label) for place in range(places) for label in labels]
            boxes = np.array([perClass[b, p, l] for p, l in flat], np.float32).reshape(1, -1, 4)
            values = np.array([scores[b, p, l] for p, l in flat], np.float32).reshape(1, 1, -1)
            kept = [flat[box] for _, _, box in suppression(boxes, values, iou, threshold)]
        else:
            kept = [(box, label) for label in labels for _, _, box in suppression(
                np.ascontiguousarray(perClass[b:b + 1, :, label]), scores[b:b + 1, :, label][:, None], iou, threshold)]
        kept = sorted(kept, key=lambda pair: -scores[b, pair[0], pair[1]])[:most]
        outputs[0][b] = len(kept)
        for i, (place, label) in enumerate(kept):
            outputs[1][b, i] = perClass[b, place, label]
            outputs[2][b, i] = scores[b, place, label]
            outputs[3][b, i] = label
    return dict(zip(kNames, outputs))


def centers(random, *shape):
    """Boxes [..., 4] as center and size, many of which overlap."""
    return np.concatenate([random.uniform(0, 60, (*shape, 2)), random.uniform(10, 30, (*shape, 2))],
                          -1).astype(np.float32)


def toCorners(boxes):
    return np.concatenate([boxes[..., :2] - boxes[..., 2:] / 2, boxes[..., :2] + boxes[..., 2:] / 2], -1)


def ordered(corners):
    """The smaller coordinates first."""
    return np.concatenate([np.minimum(corners[..., :2], corners[..., 2:]),
                           np.maximum(corners[..., :2], corners[..., 2:])], -1)


def values(random, *shape):
    return random.uniform(0, 1, shape).astype(np.float32)


def fields(**changed):
    """As the exporters of YOLO networks write them."""
    return {"background_class": -1, "box_coding": 0, "iou_threshold": 0.5, "max_output_boxes": 20,
            "plugin_version": "1", "score_activation": 0, "score_threshold": 0.5, **changed}


def case(name, attributes, inputs, outputs, **options):
    names = ["boxes", "scores", "anchors"]
    return Case(name, "EfficientNMS_TRT", attributes, dict(zip(names, inputs)), outputs, **options)


def cases():
    random = np.random.default_rng(1)
    boxes, scores = centers(random, 2, 50), values(random, 2, 50, 3)
    corners = toCorners(boxes)
    yield case("corners, a batch of any size", fields(), [corners, scores], expected(corners, scores, 20), open=(0, 1))
    yield case("center and size come out as corners", fields(box_coding=1), [boxes, scores],
               expected(corners, scores, 20))
    yield case("no class is told from another", fields(class_agnostic=1), [corners, scores],
               expected(corners, scores, 20, agnostic=True))
    yield case("the background is no object", fields(background_class=1, max_output_boxes=60), [corners, scores],
               expected(corners, scores, 60, background=1))
    yield case("defaults", {}, [corners, scores], expected(corners, scores, 100))
    yield case("nothing is sure enough", fields(score_threshold=1.0), [corners, scores], expected(corners, scores, 20,
                                                                                                 threshold=1.0))
    for axis, what in enumerate(["pictures", "boxes"]):
        none = [array.take(range(0), axis) for array in (corners, scores)]
        yield case(f"no {what}", fields(), none, expected(*none, 20))
        yield case(f"no {what}, no class is told from another", fields(class_agnostic=1), none, expected(*none, 20))
    own = toCorners(centers(random, 2, 50, 3))
    yield case("a box for each class", fields(iou_threshold=0.3), [own, scores], expected(own, scores, 20, iou=0.3))
    yield case("one box for all classes in four dimensions", fields(), [corners[:, :, None], scores[..., None]],
               expected(corners, scores, 20))
    raw = np.log(scores / (1 - scores))
    yield case("a sigmoid on the scores", fields(score_activation=1, score_threshold=0.6), [corners, raw],
               expected(corners, scores, 20, threshold=0.6))
    yield from anchored(random, scores)
    halves = [corners.astype(np.float16), scores.astype(np.float16)]
    wide = expected(*[half.astype(np.float32) for half in halves], 20)
    yield case("half precision", fields(), halves,
               {name: array.astype(np.float16) if array.dtype == np.float32 else array for name, array in wide.items()},
               flags=["--stronglyTyped"])
    yield from refusals(corners, scores, expected(corners, scores, 20))


def anchored(random, scores):
    anchors = centers(random, 1, 50)
    offsets = random.uniform(-0.3, 0.3, (2, 50, 4)).astype(np.float32)
    decoded = np.concatenate([offsets[..., :2] * anchors[..., 2:] + anchors[..., :2],
                              np.exp(offsets[..., 2:]) * anchors[..., 2:]], -1)
    yield case("centers relative to anchors", fields(box_coding=1), [offsets, scores, anchors],
               expected(toCorners(decoded), scores, 20))
    own = toCorners(centers(random, 2, 50))
    own[:, ::3] = own[:, ::3, [2, 1, 0, 3]]  # the right corner first
    own[:, ::5] = own[:, ::5, [0, 3, 2, 1]]
    yield case("corners relative to anchors of each picture, in any order", fields(), [offsets, scores, own],
               expected(ordered(offsets) + ordered(own), scores, 20))
    far = ordered(offsets * 100)  # moved by more than their own size
    yield case("corners relative to the same anchors in all pictures", fields(iou_threshold=0.3),
               [far, scores, own[:1]], expected(far + ordered(own[:1]), scores, 20, iou=0.3))


def refusals(corners, scores, outputs):
    def refused(text, attributes, inputs):
        return case("refused: " + text, attributes, inputs, outputs, refusal="EfficientNMS_TRT: " + text)

    yield refused("input 'scores' is [2,49,3]; expected [B,N,C] or [B,N,C,1] with B = 2, N = 50", fields(),
                  [corners, scores[:, 1:]])
    yield refused("has 1 inputs; expected 2 to 3: boxes [B,N,4] or [B,N,1,4] or [B,N,C,4], scores", fields(), [corners])
    yield refused("max_output_boxes has to be 1 or more", fields(max_output_boxes=0), [corners, scores])
    yield refused("box_coding has to be 0, corners, or 1, center and size", fields(box_coding=2), [corners, scores])
    yield refused("field 'iou_threshold' has to be of type FLOAT32; found type 5, length 1", fields(iou_threshold=1),
                  [corners, scores])
