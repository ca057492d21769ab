# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The plugins of SSD as in TensorRT's samples sampleSSD (Caffe) and sampleUffSSD, in small networks."""
import numpy as np
from grid_anchor.grid_anchor_test import expected as gridAnchors
from normalize.normalize_test import expected as normalized
from prior_box.prior_box_test import expected as priorBoxes
from samples.network import Network, requireClear
from ssd_nms.ssd_nms_test import decoded, expected as detections


def nms(net, fields, locations, scores, priors):
    """The detections; inputs are in the order of inputOrder."""
    inputs = [locations, scores, priors]
    sure = scores.values.reshape(net.batch, -1, fields["numClasses"])
    if fields["confSigmoid"]:
        sure = 1 / (1 + np.exp(-sure))
    boxes = decoded(locations.values.reshape(net.batch, -1, 1, 4),
                    priors.values[:1].reshape(1, 2, -1, 4), fields.get("codeType", 3))
    found = detections(boxes, sure.astype(np.float32), fields["keepTopK"], fields["topK"], fields["nmsThreshold"],
                       fields["confidenceThreshold"], fields["backgroundLabelId"])
    ordered = [x for _, x in sorted(zip(fields["inputOrder"], inputs), key=lambda pair: pair[0])]
    requireClear(found["detections"][:, 0, :, 2])
    return net.node("NMS_TRT", ordered, list(found.values()), **fields)[0]


def caffe(pictures, seed=4):
    """Five maps of an image of 48 x 48, each half as large as the one before."""
    net, classes, extent = Network(pictures, seed=seed), 6, 48
    picture = net.picture(extent, extent)
    x = net.reluConv(net.reluConv(picture, 6, stride=2), 6, stride=2)
    weights = [20.0] * 6
    first = net.node("Normalize_TRT", [x], normalized(x.values, weights, False), weights=weights, acrossSpatial=0,
                     channelShared=0, nbWeights=6, eps=1e-10)
    maps = [first]
    for _ in range(4):
        x = net.reluConv(x, 6, stride=2)
        maps.append(x)
    sizes, found = [5.0, 10.0, 18.0, 26.0, 34.0, 42.0], [[], [], []]
    for i, x in enumerate(maps):
        step = float(4 << i)
        fields = {"minSize": sizes[i:i + 1], "maxSize": sizes[i + 1:i + 2], "flip": 1, "clip": 0, "offset": 0.5,
                  "aspectRatios": [2.0] if i in (0, 4) else [2.0, 3.0], "variance": [0.1, 0.1, 0.2, 0.2], "imgH": 0,
                  "imgW": 0, "stepH": step, "stepW": step}
        found[2].append(net.node("PriorBox_TRT", [x, picture], priorBoxes(fields, x.values, picture.values), **fields))
        boxes = 2 + 2 * len(fields["aspectRatios"])
        for tensors, numbers in zip(found, (4, classes)):
            said = net.conv(x, net.filters(x, boxes * numbers, scale=1 / 32 if i == 0 else 1))
            tensors.append(net.reshape(net.transpose(said, 0, 2, 3, 1), 0, -1, 1, 1))
    locations, scores, priors = net.concat(found[0], 1), net.concat(found[1], 1), net.concat(found[2], 2)
    scores = net.reshape(net.softmax(net.reshape(scores, 0, -1, classes), 2), 0, -1, 1, 1)
    fields = {"shareLocation": 1, "varianceEncodedInTarget": 0, "backgroundLabelId": 0, "numClasses": classes, "topK": 400,
              "keepTopK": 200, "confidenceThreshold": 0.01, "nmsThreshold": 0.45, "inputOrder": [0, 1, 2],
              "confSigmoid": 0, "isNormalized": 1, "codeType": 1}
    return net.case("sampleSSD", [nms(net, fields, locations, scores, priors)])


def uff(pictures, dtype=np.float32, seed=4):
    """The six maps of the sample, of an image of an eighth of its size."""
    net, classes, extents = Network(pictures, dtype, seed), 7, [19, 10, 5, 3, 2, 1]
    x, maps = net.picture(38, 38), []
    for _ in extents:
        x = net.reluConv(x, 6, stride=2)
        maps.append(x)
    fields = {"numLayers": 6, "minSize": 0.2, "maxSize": 0.95, "aspectRatios": [1.0, 2.0, 0.5, 3.0, 0.33],
              "variance": [0.1, 0.1, 0.2, 0.2], "featureMapShapes": extents}
    anchors = net.node("GridAnchor_TRT", [], list(gridAnchors(fields, [(extent, extent) for extent in extents])),
                       np.float32, **fields)
    flat = []
    for numbers in (4, classes):
        said = [net.conv(x, net.filters(x, (3 if x is maps[0] else 6) * numbers, 1)) for x in maps]
        rows = [net.transpose(each, 0, 2, 3, 1) for each in said]
        values = np.concatenate([each.values.reshape(pictures, -1) for each in rows], 1)[..., None, None]
        flat.append(net.node("FlattenConcat_TRT", rows, values, axis=1, ignoreBatch=0))
    fields = {"shareLocation": 1, "varianceEncodedInTarget": 0, "backgroundLabelId": 0, "confidenceThreshold": 1e-8,
              "nmsThreshold": 0.6, "topK": 100, "keepTopK": 100, "numClasses": classes, "inputOrder": [0, 2, 1],
              "confSigmoid": 1, "isNormalized": 1}
    return net.case("sampleUffSSD", [nms(net, fields, *flat, net.cast(net.concat(anchors, 2), dtype))])


def cases():
    for pictures in (1, 3):
        yield caffe(pictures)
        yield uff(pictures)
    yield uff(3, np.float16)
