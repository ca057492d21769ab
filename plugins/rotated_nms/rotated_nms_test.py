# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of NMSRotated and TRTBatchedRotatedNMS; intersections by clipping polygons in double."""
import numpy as np
from case import Case, shortTypes, withNan


def corners(box):
    """[4,2] of (x, y, width, height, angle)."""
    x, y, width, height, angle = np.asarray(box, np.float64)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.array([x, y]) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 * [width, height] @ turn


def area(polygon):
    x, y = np.array(polygon).reshape(-1, 2).T
    return abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


def clipped(polygon, window):
    """The part of a polygon to the left of each edge of the window."""
    for start, end in zip(window, np.roll(window, -1, 0)):
        edge, kept = end - start, []
        sides = [edge[0] * (point - start)[1] - edge[1] * (point - start)[0] for point in polygon]
        for i, (point, side) in enumerate(zip(polygon, sides)):
            if side >= 0:
                kept.append(point)
            following, its = polygon[(i + 1) % len(polygon)], sides[(i + 1) % len(polygon)]
            if (side >= 0) != (its >= 0):
                kept.append(point + (following - point) * side / (side - its))
        polygon = kept
    return polygon


def overlap(a, b):
    areFar = np.hypot(a[0] - b[0], a[1] - b[1]) > (np.hypot(a[2], a[3]) + np.hypot(b[2], b[3])) / 2
    if areFar or min(a[2], a[3], b[2], b[3]) <= 0:
        return 0
    both = area(clipped(list(corners(a)), corners(b)))
    return both / (float(a[2]) * float(a[3]) + float(b[2]) * float(b[3]) - both)


def stay(boxes, scores, iou, threshold, topK=None):
    """The indices of the kept boxes of a class, by falling score."""
    kept = []
    for place in [place for place in np.argsort(-scores, kind="stable") if scores[place] > threshold][:topK]:
        if all(overlap(boxes[surer], boxes[place]) <= iou for surer in kept):
            kept.append(place)
    return kept


def indices(boxes, scores, iou, threshold):
    """Rows of NMSRotated; boxes [B,N,5], scores [B,C,N]."""
    rows = [(b, label, place) for b in range(len(scores)) for label in range(scores.shape[1])
            for place in stay(boxes[b], scores[b, label], iou, threshold)]
    return np.array(rows, np.int64).reshape(-1, 3)


def detections(boxes, scores, most, iou=0.3, threshold=0.2, topK=None, background=-1, clip=False):
    """boxes [B,N,1 or C,5], scores [B,N,C]."""
    dets, labels = np.zeros((len(scores), most, 6), np.float32), np.full((len(scores), most), -1, np.int32)
    for b, of in enumerate(scores):
        kept = [(place, label) for label in range(of.shape[1]) if label != background
                for place in stay(boxes[b, :, label % boxes.shape[2]], of[:, label], iou, threshold, topK)]
        for i, (place, label) in enumerate(sorted(kept, key=lambda pair: -of[pair])[:most]):
            box = boxes[b, place, label % boxes.shape[2]]
            dets[b, i] = [*(box.clip(0, 1) if clip else box), of[place, label]]
            labels[b, i] = label
    return {"dets": dets, "labels": labels}


def some(random, *shape):
    return np.concatenate([random.uniform(0, 40, (*shape, 2)), random.uniform(4, 25, (*shape, 2)),
                           random.uniform(-4, 4, (*shape, 1))], -1).astype(np.float32)


def rotated(name, boxes, scores, iou=0.3, threshold=0.2, rows=None, **options):
    return Case(name, "NMSRotated", {"iou_threshold": iou, "score_threshold": threshold, "plugin_version": "1"},
                {"boxes": boxes, "scores": scores},
                {"selected_indices": indices(boxes, scores, iou, threshold) if rows is None else rows}, **options)


def batched(name, boxes, scores, outputs, refusal="", options=None, **changed):
    attributes = {"background_label_id": -1, "num_classes": 3, "topk": 40, "keep_topk": 20, "score_threshold": 0.2,
                  "iou_threshold": 0.3, "is_normalized": 0, "clip_boxes": 0, "plugin_version": "1", **changed}
    return Case(name, "TRTBatchedRotatedNMS", attributes, {"boxes": boxes, "scores": scores}, outputs,
                refusal=refusal and "TRTBatchedRotatedNMS: " + refusal, **(options or {}))


def cases():
    random = np.random.default_rng(5)
    boxes, scores = some(random, 3, 40), random.uniform(0, 1, (3, 2, 40)).astype(np.float32)
    yield rotated("indices of images and classes", boxes, scores, open=(0, 1))
    yield rotated("one image", boxes[:1], scores[:1], iou=0.1, threshold=0.0)
    for axis, what in ((0, "pictures"), (1, "boxes")):
        yield rotated(f"no {what}", boxes.take(range(0), axis), scores.take(range(0), 2 * axis))
    yield rotated("no classes", boxes, scores[:, :0])
    yield rotated("nothing is sure enough", boxes, scores, threshold=1.0)
    # The same box in four forms; one beside it; a half of it; one without an area; NaN.
    turns = [[0, 0, 4, 2, 0], [0, 0, 2, 4, np.pi / 2], [0, 0, 4, 2, np.pi], [0, 0, 2, 4, -np.pi / 2], [4, 0, 4, 2, 0],
             [1, 0, 2, 2, 0], [0, 0, 0, 2, 0], [np.nan, 0, 4, 2, 0], [0, 0, 4, 2, np.nan]]
    alike = np.array([turns], np.float32)
    falling = np.linspace(0.9, 0.5, len(turns), dtype=np.float32)[None, None]
    for iou, places in ((0.5625, [0, 4, 5, 6, 7, 8]), (0.4375, [0, 4, 6, 7, 8])):
        yield rotated(f"boxes that are alike, {iou}", alike, falling, iou,
                      rows=np.array([(0, 0, place) for place in places], np.int64))
    unknown = np.full_like(falling, 0.5)
    unknown[..., 4:] = np.nan
    yield rotated("scores that are alike, and ones that are not numbers", alike, unknown,
                  rows=np.array([(0, 0, 0)], np.int64))
    for name, dtype, options in shortTypes():
        yield rotated(name, boxes.astype(dtype), scores.astype(dtype), **options)
    wide, sure = some(random, 3, 700), random.uniform(0, 1, (3, 2, 700)).astype(np.float32)
    wide[..., :2] *= 20
    sure[:, 1, 20:] = 0
    yield rotated("more boxes than one block of a GPU takes, and few of another class", wide, sure)
    yield from batches(random)


def batches(random):
    boxes, scores = some(random, 2, 50, 1), random.uniform(0, 1, (2, 50, 3)).astype(np.float32)
    yield batched("a box for all classes", boxes, scores, detections(boxes, scores, 20))
    own = some(random, 1, 50, 3)
    yield batched("a box for each class", own, scores[:1], detections(own, scores[:1], 20))
    yield batched("all go into the suppression", boxes, scores, detections(boxes, scores, 150), topk=-1, keep_topk=150)
    yield batched("few of a class, more of an image", boxes, scores, detections(boxes, scores, 10, topK=4), topk=4,
                  keep_topk=10)
    yield batched("the background is not an object", boxes, scores, detections(boxes, scores, 20, background=1),
                  background_label_id=1)
    small = boxes / 30 - np.float32(0.2)
    yield batched("clipped", small, scores, detections(small, scores, 20, clip=True), clip_boxes=1, is_normalized=1)
    yield batched("no boxes", boxes[:, :0], scores[:, :0], detections(boxes[:, :0], scores[:, :0], 20))
    for count in (1, 3):
        more = np.concatenate([boxes, boxes + 1])[:count], np.concatenate([scores, scores[::-1]])[:count]
        yield batched(f"open sizes, {count} images", *more, detections(*more, 20), options={"open": {
            "boxes": (0, 1), "scores": (0, 1), "dets": (0,), "labels": (0,)}})
    yield batched("one box", boxes[:, :1], scores[:, :1], detections(boxes[:, :1], scores[:, :1], 20))
    yield batched("no classes", boxes, scores[..., :0], detections(boxes, scores[..., :0], 20), num_classes=0)
    tied = scores.round(1)
    yield batched("of equal scores the smaller class, then the first box, and there are fewer than topk", boxes, tied,
                  detections(boxes, tied, 20), topk=2**31 - 1)
    unknown = withNan(scores, (0, slice(None, None, 3)), (1, slice(None), 2))
    yield batched("scores that are not numbers are not objects", boxes, unknown,
                  detections(boxes, np.nan_to_num(unknown, nan=-1), 20))
    for name, dtype, options in shortTypes():
        short = boxes.astype(dtype), scores.astype(dtype)
        wide = detections(*(array.astype(np.float32) for array in short), 20)
        yield batched(name, *short, {**wide, "dets": wide["dets"].astype(dtype)}, options=options)
    yield batched("refused: no room", boxes, scores, detections(boxes, scores, 20),
                  "keep_topk has to be given, 1 or more", keep_topk=0)
    yield batched("refused: another number of classes", boxes, scores, detections(boxes, scores, 20),
                  "the scores are of 3 classes, num_classes is 4", num_classes=4)
