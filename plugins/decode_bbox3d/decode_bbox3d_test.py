# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of DecodeBbox3DPlugin, by the formula of the residuals in double."""
import numpy as np
from case import Case

kFields = {"point_cloud_range": [0.0, -40.0, -3.0, 70.0, 40.0, 1.0],
           "anchors": [3.9, 1.6, 1.56, 0.0, 3.9, 1.6, 1.56, 1.57, 0.8, 0.6, 1.73, 0.0, 0.8, 0.6, 1.73, 1.57],
           "anchor_bottom_height": [-1.78, -0.6], "score_thresh": 0.6}
kNames = ["cls_preds", "box_preds", "dir_cls_preds"]


def decode(place, residual, anchor, bottom):
    dx, dy, dz = anchor[:3]
    centre = residual[:3] * [np.hypot(dx, dy), np.hypot(dx, dy), dz] + [*place, dz / 2 + bottom]
    return [*centre, *(np.exp(residual[3:6]) * anchor[:3])]


def rotation(angle, directions, fields):
    offset, limit = fields.get("dir_offset", 0.78539), fields.get("dir_limit_offset", 0)
    period = 2 * np.pi / len(directions)
    within = angle - offset - np.floor((angle - offset) / period + limit) * period
    last = len(directions) - 1 - np.argmax(directions[::-1]) # of equal scores
    return within + offset + period * last


def expected(inputs, fields):
    scores, residuals, directions = [array.astype(np.float64) for array in inputs]
    batch, height, width = scores.shape[:3]
    anchors = np.array(fields["anchors"]).reshape(-1, 4)
    classes = len(fields["anchor_bottom_height"])
    boxes, counts = np.zeros((batch, height * width * len(anchors), 9)), np.zeros(batch, np.int32)
    least, most = np.array(fields["point_cloud_range"]).reshape(2, 3)
    for n, y, x, a in np.ndindex(batch, height, width, len(anchors)):
        own = 1 / (1 + np.exp(-scores[n, y, x].reshape(-1, classes)[a]))
        if np.isnan(own).all() or np.nanmax(own) < fields.get("score_thresh", 0):
            continue
        step = (most - least)[:2] / np.maximum([width - 1, height - 1], 1)
        residual = residuals[n, y, x].reshape(-1, 7)[a]
        box = decode(least[:2] + step * [x, y], residual, anchors[a], fields["anchor_bottom_height"][a // 2])
        turned = rotation(residual[6] + anchors[a, 3], directions[n, y, x].reshape(len(anchors), -1)[a], fields)
        boxes[n, counts[n]] = [*box, turned, np.nanargmax(own), np.nanmax(own)]
        counts[n] += 1
    return boxes.astype(np.float32), counts


def case(name, inputs, fields=None, outputs=None, **options):
    fields = {**kFields, **(fields or {})}
    outputs = expected(inputs, fields) if outputs is None else outputs
    return Case(name, "DecodeBbox3DPlugin", fields, dict(zip(kNames, inputs)),
                dict(zip(["output_boxes", "num_boxes"], outputs)), **options)


def cases():
    random = np.random.default_rng(22)
    def some(*shape):
        return random.normal(0, 1, shape).astype(np.float32)
    inputs = [some(3, 5, 6, 8), some(3, 5, 6, 28), some(3, 5, 6, 8)]
    yield case("three frames", inputs)
    yield case("open sizes", inputs, open=(0, 1, 2))
    yield case("no threshold: all boxes", inputs, {"score_thresh": 0.0})
    yield case("a threshold that no box reaches", inputs, {"score_thresh": 2.0})
    yield case("directions", inputs, {"dir_offset": 0.25, "dir_limit_offset": 0.5})
    three = [inputs[0], inputs[1], some(3, 5, 6, 12)]
    yield case("three directions", three, {"num_dir_bins": 3})
    one = {"anchors": kFields["anchors"][:8], "anchor_bottom_height": [-1.78]}
    yield case("one class, one row and one column", [some(1, 1, 1, 2), some(1, 1, 1, 14), some(1, 1, 1, 4)],
               {**one, "score_thresh": 0.0})
    many = {"anchors": list(np.resize(kFields["anchors"], 2 * 65 * 4)), "anchor_bottom_height": [-1.0] * 65}
    yield case("65 classes", [some(1, 2, 3, 130 * 65), some(1, 2, 3, 130 * 7), some(1, 2, 3, 130 * 2)],
               {**many, "score_thresh": 0.9})
    yield case("many positions", [some(2, 9, 70, 8), some(2, 9, 70, 28), some(2, 9, 70, 8)])
    ties = [np.ones_like(array) for array in inputs]
    yield case("ties: the smaller class, and the last direction", ties)
    unknown = [inputs[0].copy(), *inputs[1:]]
    unknown[0][0, 0, 0, :] = np.nan
    unknown[0][0, 1, 0, 0] = np.nan
    yield case("NaN is not a score", unknown, {"score_thresh": 0.0})
    yield case("no positions", [array[:, :0].copy() for array in inputs])
    yield case("no frames", [array[:0].copy() for array in inputs])
    outputs = expected(inputs, kFields)
    for text, fields in [
            ("point_cloud_range has to be given, six numbers: the minimum x, y, z, then the maximum",
             {"point_cloud_range": [0.0]}),
            ("anchors has 8 numbers; expected 16, for each class two anchors of dx, dy, dz and rotation",
             {"anchors": kFields["anchors"][:8]}),
            ("num_dir_bins has to be 1 or more", {"num_dir_bins": 0}),
            ("dir_cls_preds has 8 numbers at each position; expected 12: 3 for each of 4 anchors", {"num_dir_bins": 3}),
            ("cls_preds has 8 numbers at each position; expected 2: 1 for each of 2 anchors", one)]:
        yield case(f"refused: {text}", inputs, fields, outputs, refusal="DecodeBbox3DPlugin: " + text)
    missing = case("refused: no classes", inputs, {}, outputs,
                   refusal="DecodeBbox3DPlugin: anchor_bottom_height has to be given, one for each class")
    del missing.attributes["anchor_bottom_height"]
    yield missing
