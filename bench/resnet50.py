#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes ResNet-50 (v1.5) as an ONNX model with random weights: resnet50.py MODEL.onnx [--seed 0]

The nodes are those of common exporters: Conv, BatchNormalization, Relu, MaxPool, Add, GlobalAveragePool, Flatten, Gemm.
Input x [batch,3,224,224], output y [batch,1000]. Values stay within float16's range.
"""
import argparse

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, stride of the first
EXPANSION = 4


class Network:
    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes = []
        self.constants = []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(values.astype(numpy.float32), name))
        return name

    def add(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def normalized(self, x, name, channels, inputs, size, stride=1, gain=1.0):
        """A convolution without bias, followed by batch normalization."""
        deviation = (2 / (inputs * size * size)) ** 0.5
        weights = self.random.normal(0, deviation, (channels, inputs, size, size))
        padding = [size // 2] * 4
        w = self.constant(f"{name}.weight", weights)
        y = self.add("Conv", [x, w], name, kernel_shape=[size, size], strides=[stride, stride], pads=padding)
        spread = {"scale": gain * self.random.uniform(0.8, 1.2, channels), "bias": self.random.normal(0, 0.1, channels),
                  "mean": self.random.normal(0, 0.1, channels), "variance": self.random.uniform(0.8, 1.2, channels)}
        numbers = [self.constant(f"{name}.{key}", values) for key, values in spread.items()]
        return self.add("BatchNormalization", [y, *numbers], f"{name}.normalized", epsilon=1e-5)

    def block(self, x, name, inputs, width, stride):
        """1×1, 3×3, 1×1 with a residual connection: x [N,inputs,H,W] → [N,4 width,H/stride,W/stride]."""
        past = x
        if stride != 1 or inputs != width * EXPANSION:
            past = self.normalized(x, f"{name}.past", width * EXPANSION, inputs, 1, stride)
        y = self.add("Relu", [self.normalized(x, f"{name}.first", width, inputs, 1)], f"{name}.first.relu")
        y = self.add("Relu", [self.normalized(y, f"{name}.second", width, width, 3, stride)], f"{name}.second.relu")
        y = self.normalized(y, f"{name}.third", width * EXPANSION, width, 1, gain=0.25)
        return self.add("Relu", [self.add("Add", [y, past], f"{name}.sum")], f"{name}.relu")

    def model(self):
        y = self.add("Relu", [self.normalized("x", "stem", 64, 3, 7, 2)], "stem.relu")
        y = self.add("MaxPool", [y], "stem.pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        inputs = 64
        for stage, (width, blocks, stride) in enumerate(STAGES):
            for index in range(blocks):
                y = self.block(y, f"stage{stage}.{index}", inputs, width, stride if index == 0 else 1)
                inputs = width * EXPANSION
        y = self.add("Flatten", [self.add("GlobalAveragePool", [y], "pool")], "flat")
        w = self.constant("classes.weight", self.random.normal(0, inputs**-0.5, (1000, inputs)))
        bias = self.constant("classes.bias", self.random.normal(0, 0.1, 1000))
        self.add("Gemm", [y, w, bias], "y", transB=1)
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 224, 224])
        out = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 1000])
        graph = helper.make_graph(self.nodes, "resnet50", [x], [out], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    model = Network(arguments.seed).model()
    onnx.checker.check_model(model)
    onnx.save(model, arguments.model)


if __name__ == "__main__":
    main()
