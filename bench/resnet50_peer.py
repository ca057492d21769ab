#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Times ResNet-50 in PyTorch on a GPU, as fast as possible without a compiler: resnet50_peer.py [--batches 1,8,32,128]

Batch normalization is folded, all is float16 with the channels last, and bias, sum and ReLU are fused into cuDNN's
convolutions, whose algorithms it times itself. A run is one CUDA graph with its input on the device. Weights are random.
Prints a line of JSON for each batch: the median milliseconds of --replays replays, each between two events.
"""
import argparse
import json
import statistics

import torch

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, stride of the first
EXPANSION = 4


def on_device(*shape, scale):
    return (torch.randn(*shape) * scale).to("cuda", torch.float16)


class Convolution:
    def __init__(self, channels, inputs, size, stride=1, gain=1.0):
        weights = on_device(channels, inputs, size, size, scale=gain * (2 / (inputs * size * size)) ** 0.5)
        self.weights = weights.to(memory_format=torch.channels_last)
        self.bias = on_device(channels, scale=0.1)
        self.stride = (stride, stride)
        self.padding = (size // 2, size // 2)

    def plain(self, x):
        return torch.nn.functional.conv2d(x, self.weights, self.bias, self.stride, self.padding)

    def relu(self, x):
        return torch.cudnn_convolution_relu(x, self.weights, self.bias, self.stride, self.padding, (1, 1), 1)

    def add_relu(self, x, z):
        return torch.cudnn_convolution_add_relu(x, self.weights, z, 1.0, self.bias, self.stride, self.padding, (1, 1), 1)


class Block:
    def __init__(self, inputs, width, stride):
        changes = stride != 1 or inputs != width * EXPANSION
        self.past = Convolution(width * EXPANSION, inputs, 1, stride) if changes else None
        self.first = Convolution(width, inputs, 1)
        self.second = Convolution(width, width, 3, stride)
        self.third = Convolution(width * EXPANSION, width, 1, gain=0.25)

    def __call__(self, x):
        past = self.past.plain(x) if self.past else x
        return self.third.add_relu(self.second.relu(self.first.relu(x)), past)


class ResNet50:
    def __init__(self):
        self.stem = Convolution(64, 3, 7, 2)
        self.blocks = []
        inputs = 64
        for width, blocks, stride in STAGES:
            for index in range(blocks):
                self.blocks.append(Block(inputs, width, stride if index == 0 else 1))
                inputs = width * EXPANSION
        self.classes = on_device(1000, inputs, scale=inputs**-0.5)
        self.bias = on_device(1000, scale=0.1)

    def __call__(self, x):
        y = torch.nn.functional.max_pool2d(self.stem.relu(x), 3, 2, 1)
        for block in self.blocks:
            y = block(y)
        return torch.nn.functional.linear(y.mean((2, 3)), self.classes, self.bias)


def recorded(network, x):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):  # cuDNN times its algorithms
            network(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = network(x)
    return graph, y


def median_milliseconds(graph, replays):
    for _ in range(20):
        graph.replay()
    times = []
    for _ in range(replays):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", default="1,8,32,128")
    parser.add_argument("--replays", type=int, default=200)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    with torch.inference_mode():
        network = ResNet50()
        for batch in map(int, arguments.batches.split(",")):
            x = on_device(batch, 3, 224, 224, scale=1).to(memory_format=torch.channels_last)
            graph, y = recorded(network, x)
            milliseconds = median_milliseconds(graph, arguments.replays)
            assert torch.isfinite(y).all(), "the numbers left what float16 holds"
            print(json.dumps({
                "engine": f"PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}",
                "device": torch.cuda.get_device_name(), "model": "ResNet-50 float16", "batch": batch,
                "milliseconds": round(milliseconds, 4), "images_per_second": round(batch / milliseconds * 1e3, 1),
            }), flush=True)


if __name__ == "__main__":
    main()
