#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Quantizes an ONNX model with ONNX Runtime's own tool: quantize.py MODEL.onnx QUANTIZED.onnx INPUT=SHAPE [--signed]

Writes QuantizeLinear and DequantizeLinear around every operator that has kernels of int8: weights in int8 with a scale for
each output channel, activations in uint8 with a zero point, or with --signed in int8 without. Ranges come from 8 random
inputs, as those of bench/compare.py.
"""
import argparse
import tempfile

import numpy
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process


class RandomInputs(quantization.CalibrationDataReader):
    def __init__(self, name, shape):
        random = numpy.random.default_rng(1)
        self.left = [{name: random.random(shape, dtype=numpy.float32) - 0.5} for _ in range(8)]

    def get_next(self):
        return self.left.pop() if self.left else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("quantized")
    parser.add_argument("input")
    parser.add_argument("--signed", action="store_true")
    arguments = parser.parse_args()
    name, shape = arguments.input.split("=")
    with tempfile.TemporaryDirectory() as folder:
        prepared = f"{folder}/prepared.onnx"  # batch normalizations are folded
        quant_pre_process(arguments.model, prepared, skip_symbolic_shape=True)
        quantize(prepared, name, shape, arguments)


def quantize(model, name, shape, arguments):
    quantization.quantize_static(
        model,
        arguments.quantized,
        RandomInputs(name, [int(extent) for extent in shape.split("x")]),
        quant_format=quantization.QuantFormat.QDQ,
        per_channel=True,
        activation_type=quantization.QuantType.QInt8 if arguments.signed else quantization.QuantType.QUInt8,
        weight_type=quantization.QuantType.QInt8,
        extra_options={"ActivationSymmetric": arguments.signed, "WeightSymmetric": True},
    )


if __name__ == "__main__":
    main()
