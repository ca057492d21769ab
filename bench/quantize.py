#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Quantizes an ONNX model with ONNX Runtime's own tool: quantize.py MODEL.onnx QUANTIZED.onnx INPUT=SHAPE [--signed]

Writes QuantizeLinear and DequantizeLinear around every operator that has kernels of int8: weights in int8 with a scale for
each output channel, activations in uint8 with a zero point, or with --signed in int8 without. Ranges come from 8
random inputs, like those of bench/compare.py.
"""
import argparse
import tempfile

import numpy
import onnx
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process


kOpset = 13  # the first with per-channel scales


class Inputs(quantization.CalibrationDataReader):
    def __init__(self, feeds):
        self.left = list(feeds)

    def get_next(self):
        return self.left.pop() if self.left else None


def atLeastOpset(model):
    opset = next(one.version for one in model.opset_import if one.domain in ("", "ai.onnx"))
    return model if opset >= kOpset else onnx.version_converter.convert_version(model, kOpset)


def quantize(model, quantized, feeds, signed):
    """feeds: inputs by name, which determine the ranges of the activations."""
    with tempfile.TemporaryDirectory() as folder:
        newEnough, prepared = f"{folder}/new_enough.onnx", f"{folder}/prepared.onnx"
        onnx.save(atLeastOpset(onnx.load(model)), newEnough)
        quant_pre_process(newEnough, prepared, skip_symbolic_shape=True)  # folds batch normalizations
        quantization.quantize_static(
            prepared,
            quantized,
            Inputs(feeds),
            quant_format=quantization.QuantFormat.QDQ,
            per_channel=True,
            activation_type=quantization.QuantType.QInt8 if signed else quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
            extra_options={"ActivationSymmetric": signed, "WeightSymmetric": True, "QDQDisableWeightAdjustForInt32Bias": True},
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("quantized")
    parser.add_argument("input")
    parser.add_argument("--signed", action="store_true")
    arguments = parser.parse_args()
    name, shape = arguments.input.split("=")
    random = numpy.random.default_rng(1)
    shape = [int(extent) for extent in shape.split("x")]
    feeds = [{name: random.random(shape, dtype=numpy.float32) - 0.5} for _ in range(8)]
    quantize(arguments.model, arguments.quantized, feeds, arguments.signed)


if __name__ == "__main__":
    main()
