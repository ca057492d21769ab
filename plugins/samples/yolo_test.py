# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The plugins of YOLO and EfficientDet networks in TensorRT's samples and their exporters, in small
networks: yolov3_onnx with LReLU_TRT, ResizeNearest_TRT and a suppression after it, YOLOv2, and efficientdet."""
import numpy as np
from batched_nms.batched_nms_test import expected as batched, fields as batchedFields
from region.region_test import expected as regions
from reorg.reorg_test import expected as reorganized
from resize_nearest.resize_nearest_test import expected as resized
from samples.network import Network, requireClear
from samples.suppression import efficientNms

kClasses = 4


def leaky(net, x, channels, size=3, stride=1):
    """A convolution and LReLU_TRT."""
    x = net.conv(x, net.filters(x, channels, size), stride)
    return net.node("LReLU_TRT", [x], np.where(x.values > 0, x.values, x.values * np.float32(0.1)), negSlope=0.1)


def head(net, x, anchors):
    """Corners [B,N,4] and scores [B,N,C] from a map's features; for each anchor [3,2] it has centre, size, object,
    classes."""
    rows, columns = x.values.shape[2:]
    x = net.reshape(net.conv(x, net.filters(x, 3 * (5 + kClasses), 1, 1 / 4)), 0, 3, 5 + kClasses, rows * columns)
    x = net.reshape(net.transpose(x, 0, 1, 3, 2), 0, 3 * rows * columns, 5 + kClasses)
    places = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(1, -1, 2)
    middle = net.add(net.sigmoid(net.part(x, 2, 0, 2)), net.constant(np.tile(places, (1, 3, 1)).astype(float)))
    middle = net.multiply(middle, net.constant(np.array([1 / columns, 1 / rows])))
    said = net.part(x, 2, 2, 4)
    half = net.multiply(net.node("Exp", [said], np.exp(said.values)),
                        net.constant(np.repeat(np.array(anchors) / 2, rows * columns, 0)[None]))
    corners = [net.node(op, [middle, half], middle.values + sign * half.values) for op, sign in (("Sub", -1), ("Add", 1))]
    sure = net.sigmoid(net.part(x, 2, 4, 5 + kClasses))
    return net.concat(corners, 2), net.multiply(net.part(sure, 2, 0, 1), net.part(sure, 2, 1, 1 + kClasses))


def heads(net):
    """The boxes and scores of YOLOv3, of two maps."""
    x = net.picture(48, 64)
    for channels in (4, 6, 8):
        x = leaky(net, x, channels, stride=2)
    fine, coarse = x, leaky(net, x, 8, stride=2)
    found = [head(net, coarse, [[0.3, 0.2], [0.4, 0.5], [0.8, 0.7]])]
    x = leaky(net, coarse, 4, 1)
    x = net.node("ResizeNearest_TRT", [x], resized(x.values, 2), scale=2.0)
    x = leaky(net, net.concat([x, fine], 1), 8)
    found.append(head(net, x, [[0.1, 0.1], [0.1, 0.2], [0.2, 0.1]]))
    return [net.concat(list(tensors), 1) for tensors in zip(*found)]


def withBatchedNms(pictures, seed=2):
    net = Network(pictures, seed=seed)
    boxes, scores = heads(net)
    fields = batchedFields(numClasses=kClasses, topK=200, keepTopK=30, scoreThreshold=0.3, iouThreshold=0.45, clipBoxes=0)
    boxes = net.reshape(boxes, 0, -1, 1, 4)
    found = batched(boxes.values.astype(np.float32), scores.values.astype(np.float32), 30, 200, iou=0.45, clip=False)
    requireClear(found["nmsed_scores"])
    return net.case("yolov3_onnx, BatchedNMSDynamic_TRT",
                    net.node("BatchedNMSDynamic_TRT", [boxes, scores], list(found.values()), **fields))


def withEfficientNms(pictures, dtype=np.float32, seed=2):
    net = Network(pictures, dtype, seed)
    fields = {"background_class": -1, "box_coding": 0, "iou_threshold": 0.45, "max_output_boxes": 30,
              "score_activation": 0, "score_threshold": 0.25}
    return net.case("yolov3_onnx, EfficientNMS_TRT", efficientNms(net, heads(net), fields))


def second(pictures, dtype=np.float32, seed=2):
    """YOLOv2's end: Reorg_TRT, Region_TRT."""
    net = Network(pictures, dtype, seed)
    x = leaky(net, leaky(net, net.picture(32, 48), 4, stride=2), 8, stride=2)
    route = net.node("Reorg_TRT", [x], reorganized(x.values, 2), stride=2)
    x = net.concat([route, leaky(net, x, 8, stride=2)], 1)
    x = net.conv(x, net.filters(x, 5 * (5 + kClasses), 1, 1 / 4))
    return net.case("YOLOv2", [net.node("Region_TRT", [x], regions(x.values, 5, [kClasses]), num=5, coords=4,
                                        classes=kClasses)])


def efficientdet(pictures, dtype=np.float32, seed=2):
    """Three of its five maps, with three of its nine anchors at each position."""
    net = Network(pictures, dtype, seed)
    x = net.reluConv(net.picture(64, 64), 6, stride=2)
    maps, extents = [], [16, 8, 4]
    for _ in extents:
        x = net.reluConv(x, 6, stride=2)
        maps.append(x)
    found = []
    for numbers in (4, kClasses):
        wide = net.filters(x, 6)
        own = net.filters(x, 3 * numbers, scale=1 / 4)
        said = [net.conv(net.relu(net.conv(x, wide)), own) for x in maps]
        found.append(net.concat([net.reshape(net.transpose(x, 0, 2, 3, 1), 0, -1, numbers) for x in said], 1))
    anchors = [[(y + 0.5) / extent, (x + 0.5) / extent, 2 / extent * high, 2 / extent / high] for extent in extents
               for y in range(extent) for x in range(extent) for high in (0.7, 1, 1.4)]
    fields = {"background_class": -1, "max_output_boxes": 100, "score_threshold": 0.4, "iou_threshold": 0.5,
              "score_activation": 1, "class_agnostic": 0, "box_coding": 1}
    return net.case("efficientdet", efficientNms(net, [*found, net.constant(np.array([anchors]))], fields))


def cases():
    for pictures in (1, 3):
        yield withBatchedNms(pictures)
        yield withEfficientNms(pictures)
        yield second(pictures)
        yield efficientdet(pictures)
    yield withEfficientNms(3, np.float16)
    yield second(3, np.float16)
    yield efficientdet(3, np.float16)
