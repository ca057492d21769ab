# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Reference values from ONNX Runtime."""
import numpy as np
import onnxruntime
from onnx import helper


def onnxNodes(op, inputs, count, **attributes):
    """The outputs of a node of ONNX, `count` of them; inputs are arrays, None for one that is left out."""
    given = {f"input_{i}": array for i, array in enumerate(inputs) if array is not None}
    names = ["" if array is None else f"input_{i}" for i, array in enumerate(inputs)]
    infos = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
             for name, array in given.items()]
    outputs = [f"y_{i}" for i in range(count)]
    graph = helper.make_graph([helper.make_node(op, names, outputs, **attributes)], "g", infos,
                              [helper.make_empty_tensor_value_info(name) for name in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, given)


def onnxNode(op, inputs, **attributes):
    """The first output of a node of ONNX; inputs are arrays."""
    return onnxNodes(op, inputs, 1, **attributes)[0]


def suppression(boxes, scores, iou, threshold):
    """[image, class, box] of all kept boxes; boxes are corners [B,N,4], scores [B,C,N]."""
    limits = [np.array([boxes.shape[1]], np.int64), np.array([iou], np.float32), np.array([threshold], np.float32)]
    return onnxNode("NonMaxSuppression", [boxes, np.ascontiguousarray(scores), *limits])


def bestBoxes(boxes, scores, iou, threshold, most, topK=None, perClass=None, background=-1, border=0):
    """[(box, class)] of an image by falling score: suppression in each class, and the `most` highest-scoring kept ones.

    boxes are corners [N,1 or C,4], scores [N,C]. `topK` of a class enter the suppression, `perClass` are kept. With a
    border, boxes are of pixels: 1 larger than corner minus corner.
    """
    kept = []
    for label in [label for label in range(scores.shape[1]) if label != background]:
        first = np.argsort(-scores[:, label], kind="stable")[:topK]
        grown = boxes[first, label % boxes.shape[1]] + np.array([0, 0, border, border], np.float32)
        stay = suppression(grown[None], scores[first, label][None, None], iou, threshold)
        kept += [(first[box], label) for _, _, box in stay[:perClass]]
    return sorted(kept, key=lambda pair: -scores[pair])[:most]


def realSize(padded, count):
    """The outputs of version real_size: the valid rows of each image; `count` is the output with their number.

    Padded outputs [B,most,...] become float32 [D,...]; `rows` is D.
    """
    counts = padded[count].view(np.int32).reshape(-1)
    def rows(array):
        flat = [picture[:of] for picture, of in zip(array, counts)]
        return np.concatenate([*flat, array.reshape(-1, *array.shape[2:])[:0]])
    real = {name: array if name == count else rows(array) for name, array in padded.items()}
    return {**{name: array if array.dtype == np.int32 else array.astype(np.float32) for name, array in real.items()},
            "rows": np.array(counts.sum(), np.int32)}


def bilinear(plane, y, x):
    """The value of a plane [H,W] at a position between pixels, in double; outside, that of the nearest position inside."""
    height, width = plane.shape
    y, x = min(max(y, 0.0), height - 1.0), min(max(x, 0.0), width - 1.0)
    return sum(float(plane[i, j]) * (1 - abs(y - i)) * (1 - abs(x - j))
               for i in range(height) if abs(y - i) < 1 for j in range(width) if abs(x - j) < 1)


def survivors(boxes, scores, iou, labels=None, candidates=None, most=None):
    """Indices of the boxes [N,4], two corners each, that do not overlap a higher-scoring one of their class, by
    falling score; in double. Ties: the smaller class comes first, then the earlier box. The `candidates` highest-scoring
    are considered, `most` are kept; a box with NaN is none."""
    labels = np.zeros(len(scores)) if labels is None else labels
    area = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    kept = []
    for i in np.lexsort((np.arange(len(scores)), labels, -scores))[:candidates]:
        if np.isnan(boxes[i]).any():
            continue
        both = np.prod(np.maximum(np.minimum(boxes[i, 2:], boxes[kept, 2:]) - np.maximum(boxes[i, :2], boxes[kept, :2]), 0),
                       axis=1)
        shares = both / np.maximum(area[i] + area[kept] - both, 1e-300)
        if not np.any((shares > iou) & (labels[kept] == labels[i])):
            kept.append(i)
    return kept[:most]


def padded(rows, most, width=4):
    """The first `most` rows; missing rows are zeros."""
    return np.concatenate([np.reshape(rows, (-1, width)), np.zeros((most, width))])[:most]
