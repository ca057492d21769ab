# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The first stages of detectors: anchors, and the regions made from them."""
import numpy as np
import torch
import torchvision

from plugin_cases.case import Case, filled, normal, sameBoxes, uniform
from plugin_cases.suppressions import decoded


def chosen(boxes, scores, iou, most):
    return boxes[torchvision.ops.nms(boxes, scores, iou)[:most]]


def placed(shapes, rows, columns, stride, offset):
    """Anchors [len(shapes)*rows*columns,4] x1, y1, x2, y2 of shapes [N,2], width and height, at the positions of a map."""
    y, x = np.meshgrid(np.arange(rows) * stride + offset, np.arange(columns) * stride + offset, indexing="ij")
    middle, half = np.stack([x, y], -1)[None], np.reshape(shapes, (-1, 1, 1, 2)) / 2
    return np.concatenate([middle - half, middle + half], -1).reshape(-1, 4).astype(np.float32)


def fasterRcnn():
    """Of VGG-16, fused with the pooling; and of TAO."""
    rows, columns, scales, ratios = 38, 63, [8.0, 16.0, 32.0], [0.5, 1.0, 2.0]
    width = np.floor(np.sqrt(256 / np.array(ratios)) + 0.5)
    shapes = [[w * scale, np.floor(w * ratio + 0.5) * scale] for w, ratio in zip(width, ratios) for scale in scales]
    anchors = placed(shapes, rows, columns, 16, 7.5)
    unit = np.ones(4, np.float32)

    def regions(scores, deltas, anchors, unit, least, iou):
        boxes = decoded(anchors, deltas.view(9, 4, rows * columns).transpose(1, 2).reshape(-1, 4), unit)
        boxes = torchvision.ops.clip_boxes_to_image(boxes, (600, 1000))
        large = torchvision.ops.remove_small_boxes(boxes, least)
        best = scores.reshape(-1)[large].topk(6000)
        return chosen(boxes[large[best.indices]], best.values, iou, 300)

    def pooled(scores, deltas, features, info, anchors, unit):
        rois = regions(scores[0, 9:], deltas, anchors, unit, 16, 0.7)
        return rois, torchvision.ops.roi_pool(features, [rois.to(features.dtype)], 7, 0.0625)
    fields = {"poolingH": 7, "poolingW": 7, "featureStride": 16, "preNmsTop": 6000, "nmsMaxOut": 300, "anchorsRatioCount": 3,
              "anchorsScaleCount": 3, "iouThreshold": 0.7, "minBoxSize": 16.0, "spatialScale": 0.0625,
              "anchorsRatios": ratios, "anchorsScales": scales}
    scores, deltas = uniform(1, 18, rows, columns), normal(1, 36, rows, columns) * np.float32(0.3)
    yield Case("600x1000, 512 channels, composed", "RPROI_TRT", fields,
               {"scores": scores, "deltas": deltas, "features": normal(1, 512, rows, columns),
                "info": np.float32([[600, 1000, 1]])}, pooled, outputs=2, isReal=False, parameters=[anchors, unit],
               alike=sameBoxes(lambda own: filled(own[0])))
    sizes = [64.0, 128.0, 256.0]
    shapes = [[size * ratio ** 0.5, size / ratio ** 0.5] for size in sizes for ratio in ratios]
    anchors = placed(shapes, rows, columns, 16, 8)
    pixels = np.float32([1000, 600, 1000, 600]) - 1
    yield Case("600x1000, composed", "ProposalDynamic",
               {"input_height": 600, "input_width": 1000, "rpn_stride": 16, "roi_min_size": 1.0, "nms_iou_threshold": 0.7,
                "pre_nms_top_n": 6000, "post_nms_top_n": 300, "anchor_sizes": sizes, "anchor_ratios": ratios},
               {"scores": scores[:, :9], "deltas": deltas},
               lambda scores, deltas, anchors, unit, pixels: regions(scores, deltas, anchors, unit, 1, 0.7) / pixels,
               parameters=[anchors, unit, pixels], isReal=False,
               alike=sameBoxes(lambda own: filled(own[0][..., 0])[:, [1, 0, 3, 2]]))


def matterport():
    """Of all levels together, in fractions of the image."""
    picture, most = 1024, 1000
    levels = [placed([[scale * root, scale / root] for root in np.sqrt([0.5, 1, 2])], picture // stride, picture // stride,
                     stride, 0).reshape(3, -1, 4).transpose(1, 0, 2).reshape(-1, 4)
              for stride, scale in zip((4, 8, 16, 32, 64), (32, 64, 128, 256, 512))]
    anchors = ((np.concatenate(levels) - [0, 0, 1, 1]) / (picture - 1)).astype(np.float32)

    def peer(scores, deltas, anchors, scale):
        best = scores[0, :, 1, 0].topk(1024)
        boxes = decoded(anchors[best.indices], deltas[0, best.indices, :, 0][:, [1, 0, 3, 2]], scale).clamp(0, 1)
        return chosen(boxes, best.values, 0.7, most)
    yield Case("261888 boxes, 1024x1024, composed", "ProposalLayer_TRT",
               {"prenms_topk": 1024, "keep_topk": most, "iou_threshold": 0.7, "image_size": [3, picture, picture]},
               {"scores": uniform(1, len(anchors), 2, 1), "deltas": normal(1, len(anchors), 4, 1)}, peer, isReal=False,
               parameters=[anchors, np.float32([0.1, 0.1, 0.2, 0.2])],
               alike=sameBoxes(lambda own: filled(own[0])[:, [1, 0, 3, 2]]))


def tao():
    """Of each level separately, and the highest-scoring of all."""
    height, width, most, inputs, levels = 832, 1344, 1000, {}, []
    for level in range(2, 7):
        stride = 2 ** level
        shapes = np.array([[1, 1], [1.4, 0.7], [0.7, 1.4]]) * 8 * stride
        anchors = placed(shapes, height // stride, width // stride, stride, stride / 2)
        levels.append(anchors.reshape(3, -1, 4).transpose(1, 0, 2).reshape(-1, 4).copy())
        inputs[f"delta{level}"] = normal(1, len(anchors), 4, 1, seed=level) * np.float32(0.3)
        inputs[f"score{level}"] = uniform(1, len(anchors), 1, 1, seed=level)

    def peer(*tensors):
        given, anchors, unit = tensors[:10], tensors[10:15], tensors[15]
        boxes, scores = [], []
        for i in range(5):
            best = given[2 * i + 1].flatten().topk(min(2000, len(anchors[i])))
            each = decoded(anchors[i][best.indices], given[2 * i][0, best.indices, :, 0][:, [1, 0, 3, 2]], unit)
            each = torchvision.ops.clip_boxes_to_image(each, (height, width))
            kept = torchvision.ops.nms(each, best.values, 0.7)[:most]
            boxes.append(each[kept])
            scores.append(best.values[kept])
        boxes, scores = torch.cat(boxes), torch.cat(scores)
        return boxes[scores.topk(min(most, len(scores))).indices]
    yield Case("267869 boxes, 832x1344, composed", "MultilevelProposeROI_TRT",
               {"prenms_topk": 2000, "keep_topk": most, "fg_threshold": 0.0, "iou_threshold": 0.7,
                "image_size": [3, height, width]}, inputs, peer, isReal=False, parameters=[*levels, np.ones(4, np.float32)],
               alike=sameBoxes(lambda own: filled(own[0])[:, [1, 0, 3, 2]]))


def priors():
    """SSD300's: of one map as in Caffe, of all six as in TensorFlow."""
    def grid(height, width, sizes, variance):
        y, x = [(torch.arange(extent, device=sizes.device) + 0.5) / extent for extent in (height, width)]
        middle = torch.stack(torch.meshgrid(y, x, indexing="ij")[::-1], -1)[:, :, None]
        boxes = torch.cat([middle - sizes / 2, middle + sizes / 2], -1)
        return torch.stack([boxes, variance.expand(boxes.shape)]).reshape(1, 2, -1, 1)
    wide, variance = np.float32([30, 60]), np.float32([0.1, 0.1, 0.2, 0.2])
    sizes = np.float32([[30, 30], [1800 ** 0.5] * 2, [30 * 2 ** 0.5, 30 / 2 ** 0.5], [30 / 2 ** 0.5, 30 * 2 ** 0.5]]) / 300
    yield Case("38x38 of 300x300, composed", "PriorBox_TRT",
               {"minSize": wide[:1], "maxSize": wide[1:], "aspectRatios": [2.0], "variance": variance},
               {"features": normal(1, 512, 38, 38), "picture": normal(1, 3, 300, 300)},
               lambda features, picture, sizes, variance: grid(*features.shape[2:], sizes, variance), isReal=False,
               parameters=[sizes, variance])
    maps, ratios = [19, 10, 5, 3, 2, 1], np.array([1.0, 2.0, 0.5, 3.0, 0.33])
    scales, shapes = [*np.linspace(0.2, 0.95, 6), 1.0], []
    for i in range(6):
        scale = np.array([0.1, 0.2, 0.2]) if i == 0 else np.append(np.full(5, scales[i]), np.sqrt(scales[i] * scales[i + 1]))
        roots = np.sqrt(ratios[:3] if i == 0 else np.append(ratios, 1))
        shapes.append(np.stack([scale * roots, scale / roots], -1).astype(np.float32))
    yield Case("six maps, 19x19 to 1x1, composed", "GridAnchor_TRT",
               {"numLayers": 6, "featureMapShapes": maps, "aspectRatios": ratios, "variance": variance}, {},
               lambda *tensors: tuple(grid(size, size, sizes, tensors[6]) for size, sizes in zip(maps, tensors)),
               outputs=6, isReal=False, parameters=[*shapes, variance])


def cases(_):
    yield from fasterRcnn()
    yield from matterport()
    yield from tao()
    yield from priors()
