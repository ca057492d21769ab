# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of EfficientNMS_TRT and the plugins of its family; boxes kept by ONNX Runtime's NonMaxSuppression."""
import numpy as np
from case import Case, bfloat16
from reference import bestBoxes, realSize

kNames = ["num_detections", "detection_boxes", "detection_scores", "detection_classes"]


def kept(corners, scores, most, iou=0.5, threshold=0.5, agnostic=False, background=-1, perClass=None):
    """For each image, [(box, class)]; corners [B,N,4] or [B,N,C,4], scores [B,N,C]."""
    batch, places, classes = scores.shape
    perBox = corners if corners.ndim == 4 else corners[:, :, None]
    if not agnostic:
        return [bestBoxes(perBox[b], scores[b], iou, threshold, most, perClass=perClass, background=background)
                for b in range(batch)]
    flat = [(place, label) for place in range(places) for label in range(classes) if label != background]
    each = [np.array([values[b, place, label % values.shape[2]] for place, label in flat], np.float32)
            for b in range(batch) for values in (perBox, scores)]
    return [[flat[box] for box, _ in bestBoxes(boxes.reshape(-1, 1, 4), of.reshape(-1, 1), iou, threshold, most)]
            for boxes, of in zip(each[::2], each[1::2])]


def expected(corners, scores, most, **options):
    """The same options as kept()."""
    batch = len(scores)
    outputs = [np.zeros((batch, 1), np.int32), np.zeros((batch, most, 4), np.float32),
               np.zeros((batch, most), np.float32), np.zeros((batch, most), np.int32)]
    perBox = corners if corners.ndim == 4 else corners[:, :, None]
    for b, found in enumerate(kept(corners, scores, most, **options)):
        outputs[0][b] = len(found)
        for i, (place, label) in enumerate(found):
            outputs[1][b, i] = perBox[b, place, label % perBox.shape[2]]
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
    yield case("classes compete", fields(class_agnostic=1), [corners, scores],
               expected(corners, scores, 20, agnostic=True))
    many, sure = toCorners(centers(random, 1, 900)), values(random, 1, 900, 2)  # several blocks of them
    spread = many * np.float32(0.4) + 40 * values(random, 1, 900, 1).repeat(4, 2)
    for most in (1500, 90):
        yield case(f"{most} of one image, classes compete",
                   fields(class_agnostic=1, max_output_boxes=most, score_threshold=0.1), [spread, sure],
                   expected(spread, sure, most, threshold=0.1, agnostic=True))
    yield case("the background is not an object", fields(background_class=1, max_output_boxes=60), [corners, scores],
               expected(corners, scores, 60, background=1))
    yield case("defaults", {}, [corners, scores], expected(corners, scores, 100))
    yield case("nothing is sure enough", fields(score_threshold=1.0), [corners, scores], expected(corners, scores, 20,
                                                                                                 threshold=1.0))
    for axis, what in enumerate(["pictures", "boxes"]):
        none = [array.take(range(0), axis) for array in (corners, scores)]
        yield case(f"no {what}", fields(), none, expected(*none, 20))
        yield case(f"no {what}, classes compete", fields(class_agnostic=1), none, expected(*none, 20))
    own = toCorners(centers(random, 2, 50, 3))
    yield case("a box for each class", fields(iou_threshold=0.3), [own, scores], expected(own, scores, 20, iou=0.3))
    yield case("one box for all classes in four dimensions", fields(), [corners[:, :, None], scores[..., None]],
               expected(corners, scores, 20))
    raw = np.log(scores / (1 - scores))
    yield case("a sigmoid on the scores", fields(score_activation=1, score_threshold=0.6), [corners, raw],
               expected(corners, scores, 20, threshold=0.6))
    yield from anchored(random, scores)
    short = [corners.astype(bfloat16), scores.astype(bfloat16)]
    wide = expected(*[array.astype(np.float32) for array in short], 20)
    yield case("bfloat16", fields(), short,
               {name: array.astype(bfloat16) if array.dtype == np.float32 else array for name, array in wide.items()},
               flags=["--stronglyTyped"])
    halves = [corners.astype(np.float16), scores.astype(np.float16)]
    wide = expected(*[half.astype(np.float32) for half in halves], 20)
    yield case("half precision", fields(), halves,
               {name: array.astype(np.float16) if array.dtype == np.float32 else array for name, array in wide.items()},
               flags=["--stronglyTyped"])
    yield from large(random)
    yield from refusals(corners, scores, expected(corners, scores, 20))
    yield from thresholds()
    yield from indices(random, boxes, scores)
    yield from real(corners, scores)
    yield from combined(random, scores)


def large(random):
    """As many boxes as a YOLO network has, in images with few or many objects."""
    boxes, scores = centers(random, 3, 25200), values(random, 3, 25200, 3)
    boxes[..., :2] *= 10
    scores[1, ::3], scores[2] = scores[1, ::3].round(2), 0
    corners = toCorners(boxes)
    for threshold, most in ((0.95, 300), (0.25, 9)):
        yield case(f"25200 boxes, the threshold is {threshold}", fields(score_threshold=threshold, max_output_boxes=most),
                   [corners, scores], expected(corners, scores, most, threshold=threshold))
    scores = values(random, 3, 25200, 3)
    yield case("25200 boxes, classes compete", fields(score_threshold=0.9, max_output_boxes=300, class_agnostic=1),
               [corners, scores], expected(corners, scores, 300, threshold=0.9, agnostic=True))


def real(corners, scores):
    """Versions real_size."""
    def each(name, corners, scores, options=None, **changed):
        padded = expected(corners.astype(np.float32), scores.astype(np.float32), 20, agnostic=bool(changed))
        return case("rows without padding: " + name, fields(plugin_version="real_size", **changed), [corners, scores],
                    realSize(padded, "num_detections"), **(options or {}))

    sure = scores * np.array([0.45, 1], np.float32)[:, None, None]  # none of the first image
    yield each("two images", corners, scores, {"open": (0, 1)})
    yield each("classes compete", corners, scores, class_agnostic=1)
    yield each("one image has none", corners, sure)
    for axis, what in enumerate(["pictures", "boxes"]):
        yield each(f"no {what}", *[array.take(range(0), axis) for array in (corners, scores)])
    yield each("half precision in, float out", corners.astype(np.float16), scores.astype(np.float16),
               {"flags": ["--stronglyTyped"]})
    for name, of, most in (("indices", scores, 5), ("indices of one image alone", sure, 100)):
        found = [(b, label, place) for b, picture in enumerate(kept(corners, of, None, perClass=most))
                 for place, label in picture]
        attributes = {"score_threshold": 0.5, "iou_threshold": 0.5, "max_output_boxes_per_class": most,
                      "plugin_version": "real_size"}
        yield Case("rows without padding: " + name, "EfficientNMS_ONNX_TRT", attributes, {"boxes": corners, "scores": of},
                   {"selected_indices": np.array(found, np.int32), "rows": np.array(len(found), np.int32)})


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
    yield case("corners relative to anchors of each image, in any order", fields(), [offsets, scores, own],
               expected(ordered(offsets) + ordered(own), scores, 20))
    far = ordered(offsets * 100)  # moved by more than their own size
    yield case("corners relative to the same anchors in all images", fields(iou_threshold=0.3),
               [far, scores, own[:1]], expected(far + ordered(own[:1]), scores, 20, iou=0.3))


def refusals(corners, scores, outputs):
    def refused(text, attributes, inputs):
        return case("refused: " + text, attributes, inputs, outputs, refusal="EfficientNMS_TRT: " + text)

    yield refused("input 'scores' is [2,49,3]; expected [B,N,C] or [B,N,C,1] with B = 2, N = 50", fields(),
                  [corners, scores[:, 1:]])
    yield refused("has 1 inputs; expected 2 to 3: boxes [B,N,4] or [B,N,1,4] or [B,N,C,4], scores", fields(), [corners])
    yield refused("max_output_boxes has to be 1 or more", fields(max_output_boxes=0), [corners, scores])
    yield refused("box_coding has to be 0, corners, or 1, center and size", fields(box_coding=2), [corners, scores])
    yield refused("field 'iou_threshold' has to be of type FLOAT32; found type INT32, length 1", fields(iou_threshold=1),
                  [corners, scores])


def thresholds():
    """Scores and overlaps equal to the threshold: such a box is a candidate, and is dropped."""
    boxes = np.array([[[0, 0, 0.5, 1], [0, 0, 1, 1], [0.75, 0, 1, 0.5]]], np.float32)
    scores = np.array([[[0.875], [0.75], [0.5]]], np.float32)
    stay = expected(boxes[:, [0, 2]], scores[:, [0, 2]], 3, threshold=0.25)
    yield case("thresholds that are met", fields(max_output_boxes=3), [boxes, scores], stay)
    tied = np.full((1, 3, 2), 0.75, np.float32)
    apart = np.array([[[0, 0, 1, 1], [2, 0, 3, 1], [4, 0, 5, 1]]], np.float32)
    yield case("of boxes as sure as each other, the smaller class and the first box", fields(max_output_boxes=4),
               [apart, tied], expected(apart, tied, 4))
    unknown = tied.copy()
    unknown[0, 0] = np.nan
    yield case("scores that are not numbers", fields(), [apart, unknown], expected(apart[:, 1:], tied[:, 1:], 20))
    none = np.zeros((1, 3, 0), np.float32)
    for agnostic in (0, 1):
        yield case(f"no classes, class_agnostic {agnostic}", fields(class_agnostic=agnostic), [apart, none],
                   expected(apart, none, 20))


def indices(random, boxes, scores):
    """Of EfficientNMS_ONNX_TRT, boxes as center and size."""
    def rows(*inputs, **options):
        found = [(b, label, place) for b, picture in enumerate(kept(*inputs, 12, **options)) for place, label in picture]
        found += [found[-1] if found else (-1, -1, -1)] * (12 * len(inputs[0]) - len(found))
        return np.array(found, np.int32).reshape(-1, 3)

    def onnx(name, inputs, outputs, **changed):
        attributes = {"score_threshold": 0.5, "iou_threshold": 0.5, "max_output_boxes_per_class": 12,
                      "center_point_box": 0, "plugin_version": "1", **changed}
        options = {"refusal": "EfficientNMS_ONNX_TRT: " + name} if name.endswith("more") or "size" in name else {}
        return Case(name, "EfficientNMS_ONNX_TRT", attributes, dict(zip(["boxes", "scores"], inputs)),
                    {"selected_indices": outputs}, **options)

    corners = toCorners(boxes)
    yield onnx("indices", [corners, scores], rows(corners, scores))
    yield onnx("indices of boxes given by their centre", [boxes, scores], rows(corners, scores),
               center_point_box=1)
    own = toCorners(centers(random, 3, 9, 3))
    few = values(random, 3, 9, 3)
    yield onnx("indices of few boxes, one for each class", [own, few], rows(own, few))
    yield onnx("indices of no box", [own, few], rows(own, few, threshold=1), score_threshold=1.0)
    yield onnx("indices among no boxes", [own[:, :0], few[:, :0]], rows(own[:, :0], few[:, :0]))
    yield onnx("max_output_boxes_per_class has to be given, 1 or more", [corners, scores], rows(corners, scores),
               max_output_boxes_per_class=-1)
    yield onnx("center_point_box has to be 0, corners, or 1, center and size", [corners, scores], rows(corners, scores),
               center_point_box=2)


def combined(random, scores):
    """Of the plugins for TensorFlow's operator."""
    boxes = (toCorners(centers(random, 2, 50, 1)) / 40 - 0.25).astype(np.float32)  # some of them partly outside

    def tensorflow(name, op, most, of=boxes, options=None, **changed):
        attributes = {"max_output_size_per_class": 4, "max_total_size": 9, "iou_threshold": 0.5, "score_threshold": 0.5,
                      "pad_per_class": 0, "clip_boxes": 0, "plugin_version": "1", **changed}
        perClass = attributes["max_output_size_per_class"]
        outputs = expected(of, scores, most, perClass=None if perClass < 0 else perClass)
        if attributes["clip_boxes"]:
            outputs["detection_boxes"] = outputs["detection_boxes"].clip(0, 1)
        if "Implicit" in op:
            outputs["num_detections"] = outputs["num_detections"][:, 0]
        return Case(name, op, attributes, {"boxes": of, "scores": scores}, outputs, **(options or {}))

    for op in ("EfficientNMS_Explicit_TF_TRT", "EfficientNMS_Implicit_TF_TRT"):
        yield tensorflow("few of each class", op, 9, options={"open": (0, 1)})
        yield tensorflow("none of any class", op, 9, max_output_size_per_class=0)
        yield tensorflow("any number of a class, a box for each", op, 30, toCorners(centers(random, 2, 50, 3)),
                         max_output_size_per_class=-1, max_total_size=30)
        yield tensorflow("no more room than all classes may fill", op, 6, max_output_size_per_class=2, pad_per_class=1)
        yield tensorflow("less room than all classes may fill", op, 9, pad_per_class=1, clip_boxes=1)
        yield tensorflow("refused: no room", op, 9, max_total_size=0,
                         options={"refusal": op + ": max_total_size has to be 1 or more"})
