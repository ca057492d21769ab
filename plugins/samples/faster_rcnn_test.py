# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The plugin of Faster R-CNN as in TensorRT's sampleFasterRCNN, in a small network."""
import numpy as np
from rproi.rproi_test import pooled, regions
from samples.network import Network, requireClear, surest

kFields = {"poolingH": 7, "poolingW": 7, "featureStride": 16, "preNmsTop": 600, "nmsMaxOut": 20, "anchorsRatioCount": 3,
           "anchorsScaleCount": 3, "iouThreshold": 0.7, "minBoxSize": 16.0, "spatialScale": 0.0625,
           "anchorsRatios": [0.5, 1.0, 2.0], "anchorsScales": [8.0, 16.0, 32.0]}


def network(pictures, seed=9):
    """Of images of 240 x 320."""
    net, anchors, classes = Network(pictures, seed=seed), 9, 5
    x = net.picture(240, 320)
    information = net.input("im_info", np.tile(np.array([240.0, 320.0, 1.0]), (pictures, 1, 1, 1)))
    for _ in range(4):
        x = net.reluConv(x, 6, stride=2)
    rpn = net.reluConv(x, 8)
    scores = net.conv(rpn, net.filters(rpn, 2 * anchors, 1, 1 / 2))
    deltas = net.conv(rpn, net.filters(rpn, 4 * anchors, 1, 1 / 8))
    scores = net.softmax(net.reshape(scores, 0, 2, -1, x.values.shape[3]), 1)
    scores = net.reshape(scores, 0, 2 * anchors, -1, x.values.shape[3])
    requireClear(surest(scores.values[:, anchors:].reshape(pictures, -1), 4 * kFields["nmsMaxOut"]))
    rois = np.stack([regions(kFields, *of, np.array([240, 320, 1.0])) for of in zip(scores.values, deltas.values)])
    features = pooled(kFields, rois, x.values)
    rois, features = net.node("RPROI_TRT", [scores, deltas, x, information], [rois[:, None], features], **kFields)
    x = net.reshape(features, -1, int(np.prod(features.values.shape[2:])))
    for _ in range(2):
        x = net.relu(net.dense(x, 16))
    return net.case("sampleFasterRCNN", [rois, net.softmax(net.dense(x, classes), 1), net.dense(x, 4 * classes)])


def cases():
    for pictures in (1, 3):
        yield network(pictures)
