# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The plugins of Mask R-CNN as in TensorRT's sample detectron2, in a small network."""
import numpy as np
from samples.feature_pyramid import aligned, masks, pyramid
from samples.network import Network
from samples.suppression import efficientNms

kExtent, kClasses = 64, 4
kFirst = {"background_class": -1, "max_output_boxes": 24, "score_threshold": 0.01, "iou_threshold": 0.7,
          "score_activation": 0, "box_coding": 1}
kSecond = {**kFirst, "max_output_boxes": 4, "score_threshold": 0.05, "iou_threshold": 0.5}
kAlign = {"fpn_scale": 40, "image_size": [kExtent, kExtent], "roi_coords_absolute": 0, "roi_coords_swap": 0,
          "roi_coords_transform": 2, "sampling_ratio": 0}
kToCenters = np.array([[0.5, 0, -1, 0], [0, 0.5, 0, -1], [0.5, 0, 1, 0], [0, 0.5, 0, 1]])


def anchors():
    """[1,N,4], center and size, in fractions of the image: three shapes at each position of each map."""
    def shape(stride, ratio):
        return np.array([np.sqrt(ratio), 1 / np.sqrt(ratio)]) * 8 * stride / kExtent
    return np.array([[*(np.array([x, y]) + stride / 2) / kExtent, *shape(stride, ratio)] for stride in (4, 8, 16, 32, 64)
                     for y in range(0, kExtent, stride) for x in range(0, kExtent, stride) for ratio in (0.5, 1, 2)])[None]


def proposals(net, maps):
    wide = net.filters(maps[0], 8)
    shared = [net.relu(net.conv(x, wide)) for x in maps]
    said = []
    for numbers in (4, 1):
        own = net.filters(shared[0], 3 * numbers, 1, scale=1 / 4)
        each = []
        for x in shared:
            rows, columns = x.values.shape[2:]
            y = net.transpose(net.reshape(net.conv(x, own), -1, 3, numbers, rows, columns), 0, 3, 4, 1, 2)
            each.append(net.reshape(y, -1, rows * columns * 3, numbers))
        said.append(net.concat(each, 1))
    return efficientNms(net, [*said, net.constant(anchors())], kFirst)[1]


def detected(net, rois, features):
    count = rois.values.shape[1]
    x = net.reshape(features, -1, int(np.prod(features.values.shape[2:])))
    for _ in range(2):
        x = net.relu(net.dense(x, 16))
    scores = net.reshape(net.softmax(net.dense(x, kClasses + 1), 1), -1, count, kClasses + 1)
    deltas = net.reshape(net.dense(x, 4 * kClasses), -1, count, kClasses, 4)
    deltas = net.multiply(deltas, net.constant(np.reshape([0.1, 0.1, 0.2, 0.2], (1, 1, 4))))
    matrix = net.constant(kToCenters)
    around = net.node("MatMul", [rois, matrix], rois.values @ matrix.values)
    return efficientNms(net, [deltas, net.part(scores, 2, 0, kClasses), around], kSecond)


def network(pictures, dtype=np.float32, seed=2):
    net = Network(pictures, dtype, seed)
    maps = pyramid(net, net.picture(kExtent, kExtent), 4)
    rois = proposals(net, maps)
    found = detected(net, rois, aligned(net, rois, maps[:4], {**kAlign, "pooled_size": 7}))
    return net.case("detectron2",
                    [*found, masks(net, aligned(net, found[1], maps[:4], {**kAlign, "pooled_size": 14}), kClasses)])


def cases():
    for pictures in (1, 3):
        yield network(pictures)
    yield network(3, np.float16)
