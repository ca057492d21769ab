# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The plugins of Mask R-CNN as in TensorRT's sampleUffMaskRCNN, in a small network."""
import numpy as np
from detection_layer.detection_layer_test import detections
from proposal_layer.proposal_layer_test import regions
from samples.feature_pyramid import aligned, masks, pyramid
from samples.network import Network, requireClear, surest

kExtent, kClasses = 128, 5
kProposals = {"prenms_topk": 1024, "keep_topk": 16, "iou_threshold": 0.7, "image_size": [3, kExtent, kExtent]}
kDetections = {"num_classes": kClasses, "keep_topk": 5, "score_threshold": 0.3, "iou_threshold": 0.3}


def proposals(net, maps):
    """For the anchors of all maps, with shared filters."""
    wide = net.filters(maps[0], 8)
    shared = [net.relu(net.conv(x, wide)) for x in maps]
    found = []
    for numbers in (2, 4):
        own = net.filters(shared[0], 3 * numbers, 1, scale=1 / 4)
        rows = [net.reshape(net.transpose(net.conv(x, own), 0, 2, 3, 1), 0, -1, numbers) for x in shared]
        if numbers == 2:
            rows = [net.softmax(x, 2) for x in rows]
        found.append(net.reshape(net.concat(rows, 1), 0, -1, numbers, 1))
    requireClear(surest(found[0].values[:, :, 1, 0], 4 * kProposals["keep_topk"]))
    values = np.stack([regions(kProposals, *of) for of in zip(*(x.values for x in found))])
    return net.node("ProposalLayer_TRT", found, values, **kProposals)


def detected(net, rois, features):
    """DetectionLayer_TRT after the layers that compute classes."""
    count, size = rois.values.shape[1], features.values.shape[-1]
    x = net.reluConv(net.reshape(features, -1, *features.values.shape[2:]), 12, size, pad=0)
    x = net.reshape(net.reluConv(x, 12, 1), -1, 12)
    scores = net.reshape(net.softmax(net.dense(x, kClasses), 1), -1, count, kClasses, 1, 1)
    deltas = net.reshape(net.dense(x, 4 * kClasses), -1, count, 4 * kClasses, 1, 1)
    values = [detections("DetectionLayer_TRT", kDetections, *of) for of in zip(deltas.values, scores.values, rois.values)]
    values = np.array(values)
    requireClear(values[..., 5])
    return net.node("DetectionLayer_TRT", [deltas, scores, rois], values, **kDetections)


def network(pictures, dtype=np.float32, seed=2):
    net = Network(pictures, dtype, seed)
    maps = pyramid(net, net.picture(kExtent, kExtent), 4)
    rois = proposals(net, maps)
    found = detected(net, rois, aligned(net, rois, maps[:4], {"pooled_size": 7, "legacy": 1}))
    boxes = net.node("SpecialSlice_TRT", [found], found.values[..., :4])
    return net.case("sampleUffMaskRCNN",
                    [found, masks(net, aligned(net, boxes, maps[:4], {"pooled_size": 14, "legacy": 1}), kClasses)])


def cases():
    for pictures in (1, 3):
        yield network(pictures)
    yield network(3, np.float16)
