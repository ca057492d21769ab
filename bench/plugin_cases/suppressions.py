# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Plugins for non-maximum suppression."""
import math

import numpy as np
import torch
import torchvision

from plugin_cases.case import Case, corners, filled, normal, sameBoxes, uniform


def ofClasses():
    """One nonzero class per box; float16 scores are too coarse for more."""
    random = np.random.default_rng(3)
    count, classes = 5000, 80
    corner = random.random((count, 2), dtype=np.float32)
    boxes = np.concatenate([corner, corner + random.random((count, 2), dtype=np.float32) * 0.1], 1).astype(np.float32)
    scores = np.zeros((1, count, classes), np.float32)
    scores[0, np.arange(count), random.integers(0, classes, count)] = random.random(count, dtype=np.float32)

    def peer(boxes, scores):
        boxes, (best, which) = boxes.reshape(-1, 4), scores[0].max(1)
        kept = torchvision.ops.batched_nms(boxes, best, which, 0.5)
        return boxes[kept], best[kept], which[kept]
    counted = sameBoxes(lambda own: own[1][0, :int(own[0].item())])
    yield Case("5000 boxes, 80 classes", "BatchedNMSDynamic_TRT",
               {"numClasses": classes, "topK": count, "keepTopK": count, "scoreThreshold": 0.0, "iouThreshold": 0.5, "clipBoxes": 0},
               {"boxes": boxes.reshape(1, count, 1, 4), "scores": scores}, peer, outputs=4, isReal=False, alike=counted)
    yield Case("5000 boxes, 80 classes", "EfficientNMS_TRT", {"score_threshold": 1e-6, "iou_threshold": 0.5, "max_output_boxes": count},
               {"boxes": boxes.reshape(1, count, 4), "scores": scores}, peer, outputs=4, isReal=False, alike=counted)


def decoded(anchors, deltas, scale, most=math.log(1000 / 16)):
    """Boxes of corners; the order of both axes is that of the anchors."""
    size, moves = anchors[:, 2:] - anchors[:, :2], deltas * scale
    middle = (anchors[:, :2] + anchors[:, 2:]) / 2 + moves[:, :2] * size
    half = size * moves[:, 2:].clamp(max=most).exp() / 2
    return torch.cat([middle - half, middle + half], 1)


def ofSsd():
    """SSD300's, as in torchvision's SSD: the highest-scoring of each class, then suppression."""
    count, classes, threshold, most, kept = 8732, 21, 0.01, 400, 200
    priors = corners(count, 1, 1, least=0.05, most=0.5)
    scores = np.exp(3 * normal(count, classes, seed=2))
    scores /= scores.sum(1, keepdims=True)
    variance = np.broadcast_to(np.float32([0.1, 0.1, 0.2, 0.2]), priors.shape)

    def peer(locations, scores, priors):
        theirs = priors.view(2, count, 4)
        boxes = decoded(theirs[0], locations.view(count, 4), theirs[1]).clamp(0, 1)
        chosen, values, labels = [], [], []
        for label in range(1, classes):
            score = scores.view(count, classes)[:, label]
            sure = torch.where(score > threshold)[0]
            best = score[sure].topk(min(most, len(sure)))
            chosen.append(boxes[sure[best.indices]])
            values.append(best.values)
            labels.append(torch.full_like(best.indices, label))
        chosen, values, labels = torch.cat(chosen), torch.cat(values), torch.cat(labels)
        first = torchvision.ops.batched_nms(chosen, values, labels, 0.45)[:kept]
        return torch.cat([chosen[first], values[first, None], labels[first, None].to(values.dtype)], 1)
    fields = {"shareLocation": 1, "varianceEncodedInTarget": 0, "backgroundLabelId": 0, "numClasses": classes, "topK": most,
              "keepTopK": kept, "confidenceThreshold": threshold, "nmsThreshold": 0.45, "inputOrder": [0, 1, 2],
              "confSigmoid": 0, "isNormalized": 1, "codeType": 1}
    yield Case("8732 boxes, 21 classes, composed", "NMSDynamic_TRT", fields,
               {"locations": normal(1, count * 4, 1, 1), "scores": scores.reshape(1, -1, 1, 1).astype(np.float32),
                "priors": np.stack([priors, variance]).reshape(1, 2, -1, 1).astype(np.float32)}, peer, outputs=2,
               alike=sameBoxes(lambda own: filled(own[0])[:, [3, 4, 5, 6, 2, 1]]))


def ofRegions():
    """Mask R-CNN's second stage, as in Matterport and in TAO."""
    count, classes, most = 1000, 81, 100
    scores = np.exp(4 * normal(1, count, classes, seed=3))
    scores = (scores / scores.sum(2, keepdims=True)).astype(np.float32)[..., None, None]
    inputs = {"deltas": normal(1, count, 4 * classes, 1, 1), "scores": scores,
              "rois": corners(count, 1, 1, least=0.05, most=0.5)[None]}
    every, scale = np.arange(count), np.float32([0.1, 0.1, 0.2, 0.2])

    def peer(deltas, scores, rois, every, scale):
        best, labels = scores[0, :, :, 0, 0].max(1)
        boxes = decoded(rois[0], deltas.view(count, classes, 4)[every, labels], scale).clamp(0, 1)
        sure = torch.where((labels > 0) & (best >= 0.3))[0]
        kept = sure[torchvision.ops.batched_nms(boxes[sure], best[sure], labels[sure], 0.3)[:most]]
        return torch.cat([boxes[kept], labels[kept, None].to(best.dtype), best[kept, None]], 1)
    yield Case("1000 regions, 81 classes, composed", "DetectionLayer_TRT",
               {"num_classes": classes, "keep_topk": most, "score_threshold": 0.3, "iou_threshold": 0.3}, inputs, peer,
               parameters=[every, scale], alike=sameBoxes(lambda own: own[0][own[0][..., 4] > 0]))


def turned(boxes):
    """Corners [N,4,2] of boxes [N,5]."""
    signs = torch.tensor([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=boxes.dtype, device=boxes.device) / 2
    local, cosine, sine = signs * boxes[:, None, 2:4], boxes[:, 4].cos(), boxes[:, 4].sin()
    turn = torch.stack([torch.stack([cosine, sine], -1), torch.stack([-sine, cosine], -1)], 1)
    return boxes[:, None, :2] + local @ turn


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def inside(points, polygon):
    """Of points [...,P,2] and polygons [...,4,2]: [...,P]."""
    edges = polygon.roll(-1, -2) - polygon
    sides = cross(edges[..., None, :, :], points[..., :, None, :] - polygon[..., None, :, :])
    return (sides >= 0).all(-1)


def rotatedOverlaps(boxes):
    """[N,N]; the common algorithm without loops: corners inside of the other, and intersections of edges, sorted by angle."""
    polygons = turned(boxes)
    shape = (len(boxes), len(boxes), 4, 2)
    first, second = polygons[:, None].expand(shape), polygons[None].expand(shape)
    edges, others = first.roll(-1, 2) - first, second.roll(-1, 2) - second
    between = second[:, :, None] - first[:, :, :, None]
    sine = cross(edges[:, :, :, None], others[:, :, None])
    along, across = cross(between, others[:, :, None]) / sine, cross(between, edges[:, :, :, None]) / sine
    meet = (along >= 0) & (along <= 1) & (across >= 0) & (across <= 1)
    points = torch.cat([first, second, (first[:, :, :, None] + along[..., None] * edges[:, :, :, None]).flatten(2, 3)], 2)
    isCorner = torch.cat([inside(first, second), inside(second, first), meet.flatten(2)], 2)
    middle = torch.where(isCorner[..., None], points, 0).sum(2) / isCorner.sum(2, keepdim=True).clamp(min=1)
    points = torch.where(isCorner[..., None], points - middle[:, :, None], 0)
    angle = torch.where(isCorner, torch.atan2(points[..., 1], points[..., 0]), 9)
    order = angle.argsort(2)
    points = points.gather(2, order[..., None].expand(points.shape))
    count = isCorner.sum(2, keepdim=True)
    isLast = torch.arange(24, device=boxes.device) >= count
    points = torch.where(isLast[..., None], points[:, :, :1], points)  # the first closes the polygon
    both = cross(points, points.roll(-1, 2)).sum(2) / 2
    area = boxes[:, 2] * boxes[:, 3]
    return both / (area[:, None] + area - both)


def ofRotated():
    """On the CPU torch needs seconds for a thousand."""
    count = 300
    boxes = corners(count, 600, 600, least=20, most=150)
    middle, size = (boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]
    boxes = np.concatenate([middle, size, uniform(count, 1, seed=2) * np.float32(3)], 1)

    def peer(boxes, scores):
        order = scores[0, 0].argsort(descending=True)
        overlaps = (rotatedOverlaps(boxes[0, order].float()) > 0.3).cpu()
        stays = torch.ones(count, dtype=torch.bool, device="cpu")
        for i in range(count):
            if stays[i]:
                stays[i + 1:] &= ~overlaps[i, i + 1:]
        return boxes[0, order[stays.to(order.device)]]
    numbers = boxes.astype(np.float32)
    yield Case("300 boxes, composed", "NMSRotated", {"iou_threshold": 0.3, "score_threshold": 0.0},
               {"boxes": numbers[None], "scores": uniform(1, 1, count, seed=3)}, peer,
               alike=sameBoxes(lambda own: numbers[own[0][:, 2]]))


def cases(_):
    yield from ofClasses()
    yield from ofSsd()
    yield from ofRegions()
    yield from ofRotated()
