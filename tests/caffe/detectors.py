# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The networks that compare the standard plugins of SSD and Faster R-CNN with formulas, written as Caffe models."""
import sys
from pathlib import Path

import caffe_files
import numpy as np
from onnx import helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "plugins"))
from samples import faster_rcnn_test, ssd_test  # noqa: E402

kCodes = ["CORNER", "CENTER_SIZE", "CORNER_SIZE"]


def words(**fields):
    """`name: value` of each; lists are repeated."""
    return " ".join(f"{name}: {value}" for name, values in fields.items() for value in (values if isinstance(values, list) else [values]))


class Writer:
    """From ONNX nodes."""
    def __init__(self, case):
        self.case, self.text, self.blobs, self.constants = case, [], {}, {}
        self.shapes = {name: values.shape for name, values in case.inputs.items()}
        for node in case.nodes:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "Constant":
                self.constants[node.output[0]] = numpy_helper.to_array(attributes["value"])
            else:
                getattr(self, node.op_type)(node, attributes)

    def layer(self, node, kind, parameters="", blobs=(), bottoms=None):
        name = node.output[0]
        bottoms = bottoms or [x for x in node.input if x not in self.constants]
        self.text.append(caffe_files.layer(name, kind, bottoms, list(node.output), parameters))
        if blobs:
            self.blobs[name] = list(blobs)

    def constantsOf(self, node):
        return [self.constants[x] for x in node.input if x in self.constants]

    def Conv(self, node, attributes):
        w, bias = self.constantsOf(node)
        self.layer(node, "Convolution", f"convolution_param {{ {words(num_output=w.shape[0], kernel_size=w.shape[2], stride=attributes['strides'][0], pad=attributes['pads'][0])} }}", [w, bias])

    def Relu(self, node, _):
        self.layer(node, "ReLU")

    def Softmax(self, node, attributes):
        # after a product of regions the channels are three axes from the end, as without the parameter
        isOfRegions = node.input[0].startswith("Gemm")
        self.layer(node, "Softmax", "" if isOfRegions else f"softmax_param {{ axis: {attributes['axis']} }}")

    def Transpose(self, node, attributes):
        self.layer(node, "Permute", f"permute_param {{ {words(order=list(attributes['perm']))} }}")

    def Concat(self, node, attributes):
        self.layer(node, "Concat", f"concat_param {{ axis: {attributes['axis']} }}")

    def Reshape(self, node, _):
        shape, = self.constantsOf(node)
        if node.input[0].startswith("RPROI"):  # a product reads the regions unchanged
            return self.layer(node, "Power")
        self.layer(node, "Reshape", f"reshape_param {{ shape {{ {words(dim=[int(x) for x in shape])} }} }}")

    def Gemm(self, node, _):
        w, bias = self.constantsOf(node)
        self.layer(node, "InnerProduct", f"inner_product_param {{ num_output: {w.shape[0]} }}", [w, bias])

    def Normalize_TRT(self, node, a):
        self.layer(node, "Normalize", f"norm_param {{ across_spatial: {'true' if a['acrossSpatial'] else 'false'} channel_shared: false }}",
                   [np.float32(a["weights"])])

    def PriorBox_TRT(self, node, a):
        fields = words(min_size=a["minSize"], max_size=a["maxSize"], aspect_ratio=a["aspectRatios"], variance=a["variance"],
                       step_h=a["stepH"], step_w=a["stepW"], offset=a["offset"])
        self.layer(node, "PriorBox", f"prior_box_param {{ {fields} flip: true clip: false }}")

    def NMS_TRT(self, node, a):
        ordered = [node.input[i] for i in a["inputOrder"]]
        fields = words(num_classes=a["numClasses"], background_label_id=a["backgroundLabelId"], keep_top_k=a["keepTopK"],
                       confidence_threshold=a["confidenceThreshold"], code_type=kCodes[a["codeType"]])
        suppression = words(nms_threshold=a["nmsThreshold"], top_k=a["topK"])
        self.layer(node, "DetectionOutput", f"detection_output_param {{ {fields} nms_param {{ {suppression} }} }}", bottoms=ordered)

    def RPROI_TRT(self, node, a):
        pool = words(pooled_h=a["poolingH"], pooled_w=a["poolingW"], spatial_scale=a["spatialScale"])
        region = words(prenms_top=a["preNmsTop"], nms_max_out=a["nmsMaxOut"], iou_threshold=a["iouThreshold"], min_box_size=a["minBoxSize"],
                       feature_stride=a["featureStride"], anchor_ratio_count=a["anchorsRatioCount"],
                       anchor_scale_count=a["anchorsScaleCount"], anchor_ratio=a["anchorsRatios"], anchor_scale=a["anchorsScales"])
        self.layer(node, "RPROI", f"roi_pooling_param {{ {pool} }} region_proposal_param {{ {region} }}")


def all():
    """(name, deploy file, weights, inputs, expected)"""
    for name, case in (("SSD", ssd_test.caffe(1)), ("Faster R-CNN", faster_rcnn_test.network(1))):
        written = Writer(case)
        yield (name, caffe_files.inputs(case.inputs.items()) + "".join(written.text), caffe_files.weights(written.blobs),
               list(case.inputs.values()), case.outputs)
