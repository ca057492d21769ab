# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of YoloLayer_TRT in all its forms, by the formulas of the YOLO releases, in double."""
import numpy as np
from case import Case

kAnchors = [10.0, 13.0, 16.0, 30.0, 33.0, 23.0]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def best(scores):
    """Class and score; for NaN, class 0 and score 0."""
    return (0, 0.0) if np.isnan(scores).all() else (np.nanargmax(scores), np.nanmax(scores))


def places(maps, picture, anchors):
    """Row, column, anchor and elements of each candidate of [B,A*N,H,W], in their order."""
    _, channels, height, width = maps.shape
    numbers = maps[picture].astype(np.float64).reshape(anchors, channels // anchors, height, width)
    for row, column, anchor in np.ndindex(height, width, anchors):
        yield row, column, anchor, numbers[anchor, :, row, column]


def anchored(candidate, anchors, step, classes, size):
    row, column, anchor, t = candidate
    s = sigmoid(t)
    index, score = best(s[5:5 + classes])
    centre = (np.array([column, row]) - 0.5 + 2 * s[:2]) * step
    extent = (2 * s[2:4]) ** 2 * np.array(anchors).reshape(-1, 2)[anchor]
    box = [*centre, *extent, s[4] * score, index, *t[5 + classes:]]
    return s[4], np.pad(box, (0, size - len(box)))


def keypoints(candidate, stride, threshold, corners, numbers):
    row, column = candidate
    found = []
    for x, y, seen in numbers.reshape(-1, 3):
        x, y, seen = (2 * x + column) * stride, (2 * y + row) * stride, sigmoid(seen)
        inside = corners[0] <= x <= corners[2] and corners[1] <= y <= corners[3]
        found += [x, y, seen] if inside and seen >= threshold else [-1, -1, -1]
    return found


def anchorFree(candidate, stride, info):
    row, column, _, t = candidate
    index, score = best(sigmoid(t[4:4 + info["classes"]]))
    centre = np.array([column + 0.5, row + 0.5])
    corners = np.concatenate([centre - t[:2], centre + t[2:4]]) * stride
    rest, what = t[4 + info["classes"]:], info.get("what")
    behind = np.zeros(info["mask"] + 3 * info["points"] + info["angle"])
    box = corners
    if what == "mask":
        behind[:32] = rest
    if what == "points":
        behind[info["mask"]:info["mask"] + 3 * info["points"]] = keypoints((row, column), stride, info["threshold"], corners,
                                                                           rest)
    if what == "angle":
        angle = behind[-1] = (sigmoid(rest[0]) - 0.25) * np.pi
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        box = np.concatenate([centre + turn @ ((t[2:4] - t[:2]) / 2), t[:2] + t[2:4]]) * stride
    return score, np.concatenate([box, [score, index], behind])


def counted(pictures, most, size):
    """Lists of (confidence, box) of each image → [B,1+most*size,1,1]."""
    out = np.zeros((len(pictures), 1 + most * size), np.float32)
    for row, candidates in zip(out, pictures):
        boxes = [box for confidence, box in candidates if confidence >= 0.1][:most]
        row[0] = len(boxes)
        row[1:1 + len(boxes) * size] = np.array(boxes).reshape(-1)
    return out[..., None, None]


def case(name, fields, maps, outputs, **options):
    if not isinstance(outputs, dict):
        outputs = {"output": outputs}
    return Case(name, "YoloLayer_TRT", fields, {f"map_{i}": each for i, each in enumerate(maps)}, outputs, **options)


# ---- netinfo and kernels: YOLOv5 to v7

def withAnchors(name, maps, most=60, masks=None, bits=False, **options):
    """For an image of 64 x 48."""
    classes = maps[0].shape[1] // 3 - 5 - 32 * (masks == 1)
    netinfo = [classes, 64, 48, most] + ([] if masks is None else [masks])
    size, kernels = 6 + 32 * (masks is not None), []
    for i, each in enumerate(maps):
        kernels += [each.shape[3], each.shape[2], *np.array(kAnchors) * (i + 1)]
    if bits: # integers where floats are expected, as in tensorrtx
        netinfo = np.array(netinfo, np.int32).view(np.float32).tolist()
        for i in range(0, len(kernels), 8):
            kernels[i:i + 2] = np.array(kernels[i:i + 2], np.int32).view(np.float32).tolist()
    fields = {"netinfo": [float(n) for n in netinfo], "kernels": [float(k) for k in kernels]}
    pictures = [[anchored(each, np.array(kAnchors) * (i + 1), np.array([64 / m.shape[3], 48 / m.shape[2]]), classes, size)
                 for i, m in enumerate(maps) for each in places(m, n, 3)] for n in range(maps[0].shape[0])]
    return case(name, fields, maps, counted(pictures, most, size), **options)


def anchorCases(random):
    def maps(batch, numbers, sizes=((6, 8), (3, 4))):
        return [random.normal(0, 1.5, (batch, 3 * numbers, *size)).astype(np.float32) for size in sizes]
    three = maps(3, 9)
    yield withAnchors("anchors, three images, more boxes than fit", three)
    yield withAnchors("anchors, room for all", three, 1000)
    yield withAnchors("anchors, an open batch", three, open=(0,))
    yield withAnchors("anchors, integers by their bits", three, bits=True)
    yield withAnchors("anchors, room for masks", three, 30, masks=0)
    yield withAnchors("anchors, masks", maps(1, 7 + 32), 30, masks=1)
    yield withAnchors("anchors, one class, four maps", maps(1, 6, ((6, 8), (3, 4), (2, 2), (1, 1))))
    yield withAnchors("anchors, many positions", maps(2, 7, ((40, 50), (20, 25))), 3000)
    yield withAnchors("anchors, no images", [each[:0] for each in three])
    yield withAnchors("anchors, no box is good enough", [np.full_like(each, -9) for each in three])
    ties = [np.ones_like(each) for each in three]
    yield withAnchors("anchors, ties: the smaller class, in the order of positions", ties, 1000)
    unknown = [each.copy() for each in three]
    unknown[0][0, 4, 0, 0] = np.nan # not a confidence
    unknown[0][0, [5, 7], :, 1] = np.nan # no class
    yield withAnchors("anchors, NaN", unknown, 1000)
    y = withAnchors("", three).outputs["output"]
    good = withAnchors("", three).attributes
    size = "netinfo has 3 numbers; expected 4, classes, width, height and the maximum number of boxes, or 5, whether there are masks"
    structures = ("kernels has 2 numbers; expected 8 for each map: its width, its height, three anchors. Give the field's "
                  "length in numbers, not in structures")
    for text, fields in [
            ("kernels is of 13 maps; expected at most 12", {"kernels": good["kernels"][:8] * 13}),
            (size, {"netinfo": [4.0, 64.0, 48.0]}), (structures, {"kernels": good["kernels"][:2]}),
            ("netinfo: the number of classes has to be 1 to 16777216; found 0", {"netinfo": [0.0, 64.0, 48.0, 60.0]}),
            ("netinfo: the maximum number of boxes has to be 1 to 16777216; found -1", {"netinfo": [4.0, 64.0, 48.0, -1.0]}),
            ("netinfo has to be integers; found 0.5", {"netinfo": [4.0, 64.0, 48.0, 0.5]}),
            ("netinfo[4], whether there are masks, has to be 0 or 1", {"netinfo": [4.0, 64.0, 48.0, 60.0, 2.0]}),
            ("kernels: a map's width has to be 1 to 16777216; found 0", {"kernels": [0.0, *good["kernels"][1:]]}),
            ("input 'map_0' is [3,27,6,8]; expected [B,30,6,8]", {"netinfo": [5.0, 64.0, 48.0, 60.0]}),
            ("has 2 inputs; expected 1: map_0 [B,27,6,8]", {"kernels": good["kernels"][:8]})]:
        yield case("refused: " + text, {**good, **fields}, three, y, refusal="YoloLayer_TRT: " + text)


# ---- netinfo alone, and combinedInfo: YOLOv8 on

def withoutAnchors(name, fields, maps, strides, info, most, **options):
    """For an image of 64 x 32; maps are [B,elements,positions]."""
    info = {"mask": 0, "points": 0, "angle": 0, **info}
    size = 6 + info["mask"] + 3 * info["points"] + info["angle"]
    def candidates(n):
        for each, stride in zip(maps, strides):
            grid = each.reshape(*each.shape[:2], 32 // stride, 64 // stride)
            yield from (anchorFree(candidate, stride, info) for candidate in places(grid, n, 1))
    pictures = [list(candidates(n)) for n in range(maps[0].shape[0])]
    return case(name, fields, maps, counted(pictures, most, size), **options)


def anchorFreeCases(random):
    def maps(batch, numbers, strides=(8, 16, 32)):
        return [random.normal(0, 1, (batch, numbers, 2048 // stride ** 2)).astype(np.float32) for stride in strides]
    three, six = (8, 16, 32), {"classes": 6}
    yield withoutAnchors("netinfo", {"netinfo": [6.0, 64.0, 32.0, 20.0]}, maps(3, 10), three, six, 20)
    yield withoutAnchors("netinfo, room for masks", {"netinfo": [6.0, 64.0, 32.0, 20.0, 0.0]}, maps(1, 10), three,
                         {**six, "mask": 32}, 20)
    bits = np.array([6, 64, 32, 20, 1], np.int32).view(np.float32).tolist()
    yield withoutAnchors("netinfo, masks", {"netinfo": bits}, maps(1, 42), three, {**six, "mask": 32, "what": "mask"}, 20)
    inputs = maps(3, 10)
    four = {"combinedInfo": [6, 64, 32, 100, *three]}
    yield withoutAnchors("combinedInfo, 4 before the strides", four, inputs, three, six, 100)
    yield withoutAnchors("combinedInfo, an open batch", four, inputs, three, six, 100, open=(0,))
    yield withoutAnchors("combinedInfo, one map", {"combinedInfo": [6, 64, 32, 7, 16]}, maps(2, 10, (16,)), (16,), six, 7)
    yield withoutAnchors("combinedInfo, four maps", {"combinedInfo": [6, 64, 32, 99, 4, *three]},
                         maps(1, 10, (4, *three)), (4, *three), six, 99)
    for masks in (0, 1):
        yield withoutAnchors(f"combinedInfo, 5 before the strides, masks {masks}",
                             {"combinedInfo": [6, 64, 32, 20, masks, *three]}, maps(1, 10 + 32 * masks), three,
                             {**six, "mask": 32, "what": "mask" if masks else ""}, 20)
    points = {"classes": 1, "mask": 32, "points": 5, "threshold": 0, "what": "points"}
    pose = maps(2, 5 + 15)
    for threshold in (0, 1):
        yield withoutAnchors(f"combinedInfo, keypoints, those that are {threshold}",
                             {"combinedInfo": [1, 5, threshold, 64, 32, 40, 0, 1, *three]}, pose, three,
                             {**points, "threshold": threshold}, 40)
    yield withoutAnchors("combinedInfo, 9, nothing more", {"combinedInfo": [6, 5, 0, 64, 32, 40, 0, 0, 0, *three]}, inputs,
                         three, {**points, **six, "angle": 1, "what": ""}, 40)
    yield withoutAnchors("combinedInfo, angles", {"combinedInfo": [3, 5, 0, 64, 32, 40, 0, 0, 1, *three]}, maps(2, 8), three,
                         {**points, "classes": 3, "angle": 1, "what": "angle"}, 40)
    unknown = [each.copy() for each in inputs]
    unknown[0][0, 4:, 3] = np.nan
    unknown[0][0, 4:6, 4] = np.nan
    yield withoutAnchors("combinedInfo, NaN", four, unknown, three, six, 100)
    y = withoutAnchors("", four, inputs, three, six, 100).outputs["output"]
    head = ("combinedInfo has no known form: expected 4, 5, 8 or 9 numbers, those from the fifth or the seventh on 0 or 1, "
            "then the strides of 1 to 12 maps, 2 or more, each larger than the one before")
    for text, numbers in [
            (head, [6, 64, 32]), (head, [6, 64, 32, 100, 2, 1]), (head, [6, 64, 32, 100, 8, 8]),
            ("combinedInfo: boxes have either masks, keypoints or angles", [6, 5, 0, 64, 32, 40, 1, 1, 0, *three]),
            ("combinedInfo: the number of keypoints has to be 1 to 16777216; found 0", [6, 0, 0, 64, 32, 40, 0, 1, *three]),
            ("combinedInfo: the image's width has to be 1 to 16777216; found 0", [6, 0, 32, 100, *three]),
            ("the image is smaller than a stride of its maps", [6, 64, 16, 100, *three]),
            ("the output would have more numbers than fit in 32 bits", [6, 1 << 24, 0, 64, 32, 1 << 24, 0, 0, *three])]:
        yield case("refused: " + text, {"combinedInfo": numbers}, inputs, y, refusal="YoloLayer_TRT: " + text)
    for text, fields in {"0": {}, "2": {**four, "netinfo": [6.0, 64.0, 32.0, 20.0]}}.items():
        yield case(f"refused: {text} forms", fields, inputs, y,
                   refusal="YoloLayer_TRT: of netinfo, combinedInfo, max_stride and yoloWidth, which tell the forms apart, "
                           f"{text} are given; expected one")


# ---- max_stride: YOLOv5 in four tensors

def fourTensors(name, maps, fields=None, **options):
    fields = {"max_stride": 32, "num_classes": maps[0].shape[1] // 3 - 5, "prenms_score_threshold": 0.25,
              "anchors": [a * (i + 1) for i in range(len(maps)) for a in kAnchors], **(fields or {})}
    picture = np.array(maps[-1].shape[:1:-1]) * fields["max_stride"] # width, height
    batch, room = maps[0].shape[0], sum(each.shape[2] * each.shape[3] * 3 for each in maps)
    counts, boxes = np.zeros((batch, 1), np.int32), np.zeros((batch, room, 4), np.float32)
    scores, classes = np.zeros((batch, room), np.float32), np.zeros((batch, room), np.int32)
    for n in range(batch):
        for i, each in enumerate(maps):
            for row, column, anchor, t in places(each, n, 3):
                if not t[4] >= fields["prenms_score_threshold"]:
                    continue
                step = picture / each.shape[:1:-1]
                centre = (2 * t[:2] - 0.5 + [column, row]) * step
                extent = (2 * t[2:4]) ** 2 * np.array(kAnchors).reshape(3, 2)[anchor] * (i + 1)
                index, score = best(t[5:])
                at = (n, counts[n, 0])
                boxes[at] = [*centre - extent / 2, *centre + extent / 2]
                scores[at], classes[at] = (t[4] * score, index) if score > 0 else (0, -1)
                counts[n, 0] += 1
    names = ["num_detections", "detection_boxes", "detection_scores", "detection_classes"]
    return case(name, fields, maps, dict(zip(names, [counts, boxes, scores, classes])), **options)


def fourTensorCases(random):
    def maps(batch, classes, sizes=((8, 12), (4, 6), (2, 3))):
        return [random.uniform(0, 1, (batch, 3 * (5 + classes), *size)).astype(np.float32) for size in sizes]
    three = maps(3, 4)
    yield fourTensors("four tensors", three)
    yield fourTensors("four tensors, open sizes", three, open=(0, 2, 3))
    yield fourTensors("four tensors, no threshold", three, {"prenms_score_threshold": 0.0})
    yield fourTensors("four tensors, no box is good enough", three, {"prenms_score_threshold": 1.5})
    yield fourTensors("four tensors, one map, one class", maps(1, 1, ((3, 5),)), {"max_stride": 8})
    nothing = [each.copy() for each in three]
    for each in nothing:
        each[:, 5:9] = [[[[np.nan]], [[0]], [[np.nan]], [[0]]]] # of the first anchor: no class
    yield fourTensors("four tensors, NaN and no class", nothing)
    yield fourTensors("four tensors, no images", [each[:0] for each in three])
    good = fourTensors("", three)
    for text, fields in [
            ("max_stride has to be 1 to 16777216; found -1", {"max_stride": -1}),
            ("num_classes has to be 1 to 16777216; found 0", {"num_classes": 0}),
            ("anchors has 17 numbers; expected width and height of three for each of 1 to 12 maps",
             {"anchors": good.attributes["anchors"][:17]}),
            ("input 'map_0' is [3,27,8,12]; expected [B,30,C,D]", {"num_classes": 5})]:
        yield case("refused: " + text, {**good.attributes, **fields}, three, good.outputs,
                   refusal="YoloLayer_TRT: " + text)


# ---- yoloWidth: YOLOv3 and v4, all positions

def allPlaces(name, each, fields=None, sizes=kAnchors, **options):
    anchors = len(sizes) // 2
    fields = {"yoloWidth": each.shape[3], "yoloHeight": each.shape[2], "inputMultiplier": 16, "numAnchors": anchors,
              "numClasses": each.shape[1] // anchors - 5, "anchors": sizes, **(fields or {})}
    scale, isNew = fields.get("scaleXY", 1.0), fields.get("newCoords", 0)
    size = np.array([fields["yoloWidth"], fields["yoloHeight"]])
    out = np.zeros((each.shape[0], anchors, *each.shape[2:], 7))
    for n in range(each.shape[0]):
        for row, column, anchor, t in places(each, n, anchors):
            part = t if isNew else sigmoid(t)
            index, score = best(part[5:])
            extent = (4 * t[2:4] ** 2 if isNew else np.exp(t[2:4])) * np.array(sizes).reshape(-1, 2)[anchor]
            extent /= size * fields["inputMultiplier"]
            centre = ([column, row] + scale * part[:2] - (scale - 1) / 2) / size
            out[n, anchor, row, column] = [*centre - extent / 2, *extent, part[4], index, score]
    shape = (each.shape[0], 7 * anchors * size.prod(), 1, 1)
    return case(name, fields, [each], out.reshape(shape).astype(np.float32), **options)


def allPlaceCases(random):
    each = random.normal(0, 1, (3, 3 * 9, 4, 6)).astype(np.float32)
    yield allPlaces("all positions", each)
    yield allPlaces("all positions, an open batch, stretched", each, {"scaleXY": 1.2}, open=(0,))
    yield allPlaces("all positions, coordinates that need no sigmoid", random.uniform(0, 1, each.shape).astype(np.float32),
                    {"newCoords": 1, "scaleXY": 2.0, "inputMultiplier": 64})
    yield allPlaces("all positions, five anchors", random.normal(0, 1, (2, 5 * 7, 3, 4)).astype(np.float32),
                    sizes=[*kAnchors, 62.0, 45.0, 59.0, 119.0])
    unknown = each.copy()
    unknown[0, 5:9, 1, 1] = np.nan
    yield allPlaces("all positions, NaN", unknown)
    yield allPlaces("all positions, no images", each[:0])
    good = allPlaces("", each)
    for text, fields in [
            ("yoloHeight has to be 1 to 16777216; found 0", {"yoloHeight": 0}),
            ("numClasses has to be 1 to 16777216; found 0", {"numClasses": 0}),
            ("inputMultiplier has to be 1 to 16777216; found 0", {"inputMultiplier": 0}),
            ("anchors has 6 numbers; expected width and height of each of numAnchors, 2", {"numAnchors": 2}),
            ("yoloWidth times yoloHeight has to be at most 102261126, for the output to have no more numbers than fit in "
             "32 bits; found 16777216 x 16777216", {"yoloWidth": 1 << 24, "yoloHeight": 1 << 24}),
            ("scaleXY has to be 1 or more", {"scaleXY": 0.5}), ("newCoords has to be 0 or 1", {"newCoords": 2}),
            ("input 'map_0' is [3,27,4,6]; expected [B,27,4,7]", {"yoloWidth": 7})]:
        yield case("refused: " + text, {**good.attributes, **fields}, [each], good.outputs["output"],
                   refusal="YoloLayer_TRT: " + text)


def cases():
    random = np.random.default_rng(26)
    for some in (anchorCases, anchorFreeCases, fourTensorCases, allPlaceCases):
        yield from some(random)
