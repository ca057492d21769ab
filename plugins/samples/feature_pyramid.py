# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Common parts of both samples of Mask R-CNN: the feature pyramid with its plugin, and the regions' pooling and masks."""
import numpy as np
from pyramid_roi_align.pyramid_roi_align_test import pooled
from resize_nearest.resize_nearest_test import expected as resized


def pyramid(net, picture, channels):
    """P2 to P6 of an image, each half as large as the one before."""
    x, bottomUp = net.reluConv(picture, channels, stride=2), []
    for _ in range(4):
        x = net.reluConv(x, channels, stride=2)
        bottomUp.insert(0, x)
    inner, maps = None, []
    for x in bottomUp:
        side = net.conv(x, net.filters(x, channels, 1))
        if inner:
            side = net.add(side, net.node("ResizeNearest_TRT", [inner], resized(inner.values, 2), scale=2.0))
        inner = side
        maps.insert(0, net.conv(inner, net.filters(inner, channels)))
    last = net.node("MaxPool", [maps[-1]], maps[-1].values[:, :, ::2, ::2], kernel_shape=[1, 1], strides=[2, 2])
    return [*maps, last]


def aligned(net, rois, maps, fields):
    """PyramidROIAlign_TRT: [B,R,C,pooled_size,pooled_size]."""
    values = np.array([[pooled(roi, [x.values[i] for x in maps], fields) for roi in rois.values[i]]
                       for i in range(net.batch)])
    return net.node("PyramidROIAlign_TRT", [rois, *maps], values, **fields)


def masks(net, regions, classes):
    """[B*R,classes,2*size,2*size] of regions [B,R,C,size,size]."""
    x = net.reluConv(net.reshape(regions, -1, *regions.values.shape[2:]), 4)
    x = net.relu(net.doubled(x, 4))
    return net.sigmoid(net.conv(x, net.filters(x, classes, 1)))
