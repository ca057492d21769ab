# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Networks written both as Caffe models and as ONNX models, with random weights."""
import caffe_files
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper


class Network:
    def __init__(self, name, *shape):
        self.name, self.random = name, np.random.default_rng(0)
        self.x = self.random.standard_normal(shape, dtype=np.float32)
        self.text, self.blobs, self.nodes, self.outputs = [], {}, [], []
        self.channels = {"data": shape[1]}

    def add(self, name, kind, bottoms, parameters, op, attributes, blobs=(), top=None):
        """The layer `kind` in Caffe is the operator `op` in ONNX; in place if `top` is its bottom."""
        top = top or name
        self.text.append(caffe_files.layer(name, kind, bottoms, [top], parameters))
        if blobs:
            self.blobs[name] = list(blobs)
        weights = [f"{name}_{i}" for i in range(len(blobs))]
        renamed = [self.renamed(bottom) for bottom in bottoms]
        self.nodes.append(helper.make_node(op, [*renamed, *weights], [name], **attributes))
        self.last = getattr(self, "last", {}) | {top: name}
        self.channels.setdefault(top, self.channels[bottoms[0]])
        return top

    def renamed(self, blob):
        """Its name in ONNX, which has no in-place layers."""
        return getattr(self, "last", {}).get(blob, blob)

    def numbers(self, *shape):
        width = np.sqrt(2 / np.prod(shape[1:])) if len(shape) > 1 else 0.1
        return self.random.standard_normal(shape, dtype=np.float32) * np.float32(width)

    def conv(self, name, bottom, count, kernel, stride=1, pad=0, group=1):
        self.channels[name] = count
        w = self.numbers(count, self.channels[bottom] // group, kernel, kernel)
        return self.add(name, "Convolution", [bottom],
                        f"convolution_param {{ num_output: {count} kernel_size: {kernel} stride: {stride} pad: {pad} group: {group} }}",
                        "Conv", {"strides": [stride] * 2, "pads": [pad] * 4, "group": group}, [w, self.numbers(count)])

    def relu(self, bottom):
        return self.add("relu_" + bottom, "ReLU", [bottom], "", "Relu", {}, top=bottom)

    def pool(self, name, bottom, kernel, stride, pad=0, method="MAX"):
        attributes = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4, "ceil_mode": 1}
        if method == "AVE":
            attributes["count_include_pad"] = 1
        return self.add(name, "Pooling", [bottom], f"pooling_param {{ pool: {method} kernel_size: {kernel} stride: {stride} pad: {pad} }}",
                        "MaxPool" if method == "MAX" else "AveragePool", attributes)

    def lrn(self, name, bottom):
        return self.add(name, "LRN", [bottom], "lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 }", "LRN",
                        {"size": 5, "alpha": 0.0001, "beta": 0.75, "bias": 1.0})

    def concat(self, name, bottoms):
        self.channels[name] = sum(self.channels[bottom] for bottom in bottoms)
        return self.add(name, "Concat", bottoms, "", "Concat", {"axis": 1})

    def product(self, name, bottom, count, met):
        """ONNX's convolution whose window is all of X, with the result of TensorRT's layer."""
        self.nodes.append(helper.make_node("Flatten", [self.renamed(bottom)], [name + "_flat"]))
        self.last = getattr(self, "last", {}) | {bottom: name + "_flat"}
        return self.add(name, "InnerProduct", [bottom], f"inner_product_param {{ num_output: {count} }}", "Gemm", {"transB": 1},
                        [self.numbers(count, met), self.numbers(count)])

    def dropout(self, bottom):
        return self.add("drop_" + bottom, "Dropout", [bottom], "dropout_param { dropout_ratio: 0.5 }", "Identity", {}, top=bottom)

    def softmax(self, name, bottom):
        self.outputs.append(name)
        return self.add(name, "Softmax", [bottom], "", "Softmax", {"axis": 1})

    def deploy(self):
        return caffe_files.inputs([("data", self.x)]) + "".join(self.text)

    def weights(self):
        return caffe_files.weights(self.blobs)

    def expected(self, rounded=lambda values: values):
        """By ONNX Runtime. \\param rounded the rounding of each weight"""
        constants = [numpy_helper.from_array(rounded(values), f"{layer}_{i}") for layer, blobs in self.blobs.items()
                     for i, values in enumerate(blobs)]
        float32 = onnx.TensorProto.FLOAT
        graph = helper.make_graph(self.nodes, "g", [helper.make_tensor_value_info("data", float32, self.x.shape)],
                                  [helper.make_tensor_value_info(name, float32, None) for name in self.outputs], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return dict(zip(self.outputs, session.run(self.outputs, {"data": self.x})))


def lenet():
    net = Network("LeNet", 1, 1, 28, 28)
    net.conv("conv1", "data", 20, 5)
    net.pool("pool1", "conv1", 2, 2)
    net.conv("conv2", "pool1", 50, 5)
    net.pool("pool2", "conv2", 2, 2)
    net.relu(net.product("ip1", "pool2", 500, 800))
    net.product("ip2", "ip1", 10, 500)
    net.softmax("prob", "ip2")
    return net


def alexnet():
    net = Network("AlexNet", 1, 3, 227, 227)
    net.relu(net.conv("conv1", "data", 96, 11, 4))
    net.pool("pool1", net.lrn("norm1", "conv1"), 3, 2)
    net.relu(net.conv("conv2", "pool1", 256, 5, pad=2, group=2))
    net.pool("pool2", net.lrn("norm2", "conv2"), 3, 2)
    net.relu(net.conv("conv3", "pool2", 384, 3, pad=1))
    net.relu(net.conv("conv4", "conv3", 384, 3, pad=1, group=2))
    net.relu(net.conv("conv5", "conv4", 256, 3, pad=1, group=2))
    net.pool("pool5", "conv5", 3, 2)
    net.dropout(net.relu(net.product("fc6", "pool5", 512, 9216)))  # 4096 in the paper
    net.dropout(net.relu(net.product("fc7", "fc6", 512, 512)))
    net.softmax("prob", net.product("fc8", "fc7", 1000, 512))
    return net


def inception(net, name, bottom, counts):
    one, reduced3, three, reduced5, five, projected = counts
    parts = [net.relu(net.conv(f"{name}/1x1", bottom, one, 1)),
             net.relu(net.conv(f"{name}/3x3", net.relu(net.conv(f"{name}/3x3_reduce", bottom, reduced3, 1)), three, 3, pad=1)),
             net.relu(net.conv(f"{name}/5x5", net.relu(net.conv(f"{name}/5x5_reduce", bottom, reduced5, 1)), five, 5, pad=2)),
             net.relu(net.conv(f"{name}/pool_proj", net.pool(f"{name}/pool", bottom, 3, 1, 1), projected, 1))]
    return net.concat(f"{name}/output", parts)


def googlenet():
    net = Network("GoogLeNet", 1, 3, 224, 224)
    net.relu(net.conv("conv1/7x7_s2", "data", 64, 7, 2, 3))
    net.lrn("pool1/norm1", net.pool("pool1/3x3_s2", "conv1/7x7_s2", 3, 2))
    net.relu(net.conv("conv2/3x3_reduce", "pool1/norm1", 64, 1))
    net.relu(net.conv("conv2/3x3", "conv2/3x3_reduce", 192, 3, pad=1))
    x = net.pool("pool2/3x3_s2", net.lrn("conv2/norm2", "conv2/3x3"), 3, 2)
    x = inception(net, "inception_3a", x, (64, 96, 128, 16, 32, 32))
    x = net.pool("pool3/3x3_s2", inception(net, "inception_3b", x, (128, 128, 192, 32, 96, 64)), 3, 2)
    for part, counts in {"a": (192, 96, 208, 16, 48, 64), "b": (160, 112, 224, 24, 64, 64), "c": (128, 128, 256, 24, 64, 64),
                         "d": (112, 144, 288, 32, 64, 64), "e": (256, 160, 320, 32, 128, 128)}.items():
        x = inception(net, "inception_4" + part, x, counts)
    x = net.pool("pool4/3x3_s2", x, 3, 2)
    x = inception(net, "inception_5a", x, (256, 160, 320, 32, 128, 128))
    x = inception(net, "inception_5b", x, (384, 192, 384, 48, 128, 128))
    x = net.dropout(net.pool("pool5/7x7_s1", x, 7, 1, method="AVE"))
    net.softmax("prob", net.product("loss3/classifier", x, 1000, 1024))
    return net


def all():
    return [lenet(), alexnet(), googlenet()]
