# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""EfficientNMS_TRT at the end of networks."""
import numpy as np
from efficient_nms.efficient_nms_test import expected, toCorners
from samples.network import requireClear


def decoded(boxes, anchors):
    """Boxes [B,N,4] or [B,N,C,4] relative to anchors [1 or B,N,4], all center and size."""
    own = anchors[:, :, None] if boxes.ndim == 4 else anchors
    return np.concatenate([boxes[..., :2] * own[..., 2:] + own[..., :2], np.exp(boxes[..., 2:]) * own[..., 2:]], -1)


def efficientNms(net, inputs, fields):
    """Counts, boxes, scores and classes of boxes, scores and, if box_coding is 1, anchors."""
    boxes, scores = (x.values for x in inputs[:2])
    if fields["box_coding"]:
        boxes = toCorners(decoded(boxes, inputs[2].values))
    if fields["score_activation"]:
        scores = 1 / (1 + np.exp(-scores))
    found = expected(boxes.astype(np.float32), scores.astype(np.float32), fields["max_output_boxes"],
                     iou=fields["iou_threshold"], threshold=fields["score_threshold"])
    requireClear(found["detection_scores"])
    return net.node("EfficientNMS_TRT", inputs, list(found.values()), plugin_version="1", **fields)
