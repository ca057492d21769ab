#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Times standard plugins in Tenon and in PyTorch or torchvision, in alternating rounds of one run.

plugins.py BUILD_FOLDER [--device cpu] [--threads 1,2] [--rounds 5] [--seconds 1] [--only WORD]

Run it with a Python that has torch, torchvision, numpy and onnx. Each plugin is one node of an ONNX file. Each round runs
both for the same time, one after the other, so that other load affects both alike. Printed are the medians over the rounds of
each one's median time, and their ratio.

With --device cuda both run in CUDA graphs of many calls; a peer that cannot be captured runs without, and is marked so. The
roofline is the time in which the device could copy what goes in and comes out, by the speed of a large copy in the same run,
or could compute the products, by that of a large product, whichever is longer.
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable

import numpy as np
import onnx
import torch
import torchvision
from onnx import helper, numpy_helper
from torch.nn import functional


@dataclass
class Case:
    name: str
    op: str
    attributes: dict
    inputs: dict  # name -> array
    outputs: int
    peer: Callable  # of the inputs as torch tensors, those that are constant behind the others
    constants: dict = field(default_factory=dict)  # inputs whose values are in the file
    products: int = 0  # of two numbers, with a sum each, that a matrix unit could do


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def normalizations():
    x = normal(1, 32, 256, 256)
    ones, zeros = [1.0] * 32, [0.0] * 32
    yield Case("1x32x256x256", "InstanceNormalization_TRT", {"scales": ones, "bias": zeros, "plugin_version": "1"}, {"x": x}, 1,
               lambda x: functional.instance_norm(x, weight=torch.ones(32), bias=torch.zeros(32)))
    wide = normal(2, 320, 64, 64)
    scale, bias = np.ones(320, np.float32), np.zeros(320, np.float32)
    yield Case("2x320x64x64, 32 groups", "GroupNormalizationPlugin", {"num_groups": 32, "eps": 1e-5},
               {"x": wide, "scale": scale, "bias": bias}, 1, lambda x, scale, bias: functional.group_norm(x, 32, scale, bias))
    yield Case("1x512x38x38", "Normalize_TRT", {"weights": [20.0] * 512, "nbWeights": 512}, {"x": normal(1, 512, 38, 38)}, 1,
               lambda x: functional.normalize(x) * torch.full((1, 512, 1, 1), 20.0))


def elementwise():
    x = normal(1, 64, 208, 208)
    yield Case("1x64x208x208", "LReLU_TRT", {"negSlope": 0.1}, {"x": x}, 1, lambda x: functional.leaky_relu(x, 0.1))
    yield Case("1x64x208x208", "Clip_TRT", {"clipMin": 0.0, "clipMax": 6.0}, {"x": x}, 1, lambda x: torch.clamp(x, 0, 6))


def regions():
    random = np.random.default_rng(1)
    features = normal(1, 256, 50, 84)
    corner = random.random((200, 2), dtype=np.float32) * np.float32([1000, 500])
    rois = np.concatenate([corner, corner + random.random((200, 2), dtype=np.float32) * 300 + 16], 1).astype(np.float32)
    batch = np.zeros(200, np.int32)
    yield Case("200 of 256x50x84, 7x7", "ROIAlign_TRT",
               {"output_height": 7, "output_width": 7, "sampling_ratio": 2, "spatial_scale": 0.0625, "plugin_version": "1"},
               {"x": features, "rois": rois, "batch": batch}, 1,
               lambda x, rois, batch: torchvision.ops.roi_align(x, torch.cat([batch[:, None].float(), rois], 1), 7, 0.0625, 2, True))


def sampling():
    random = np.random.default_rng(4)
    x, weight, bias = normal(1, 64, 50, 84), normal(64, 64, 3, 3) * np.float32(0.05), np.zeros(64, np.float32)
    offset, mask = normal(1, 18, 50, 84, seed=5), random.random((1, 9, 50, 84), dtype=np.float32)
    square = {"stride": [1, 1], "padding": [1, 1], "dilation": [1, 1]}
    yield Case("64 to 64 channels, 50x84", "DCNv2", {**square, "deformable_group": 1},
               {"x": x, "offset": offset, "mask": mask, "weight": weight, "bias": bias}, 1,
               lambda x, offset, mask, weight, bias: torchvision.ops.deform_conv2d(x, offset, weight, bias, padding=1, mask=mask))
    grid = random.random((1, 100, 168, 2), dtype=np.float32) * 2 - 1
    yield Case("1x64x100x168", "grid_sampler", {"interpolation_mode": 0, "padding_mode": 0, "align_corners": 0},
               {"x": normal(1, 64, 100, 168), "grid": grid}, 1, lambda x, grid: functional.grid_sample(x, grid, align_corners=False))


def transformers():
    x, skip = normal(384, 1, 768, 1, 1), normal(384, 1, 768, 1, 1, seed=6)
    ones, zeros = np.ones(768, np.float32), np.zeros(768, np.float32)
    yield Case("384x768", "CustomSkipLayerNormPluginDynamic", {"ld": 768, "type_id": 0, "gamma": ones.tolist(), "beta": zeros.tolist(),
                                                               "plugin_version": "1"},
               {"x": x, "skip": skip}, 1, lambda x, skip: functional.layer_norm((x + skip).reshape(384, 768), (768,),
                                                                                torch.ones(768), torch.zeros(768)))
    wide = normal(2, 320, 64, 64)
    yield Case("2x320x64x64, with SiLU", "GroupNorm", {"epsilon": 1e-5, "bSwish": 1},
               {"x": wide, "gamma": np.ones(320, np.float32), "beta": np.zeros(320, np.float32)}, 1,
               lambda x, gamma, beta: functional.silu(functional.group_norm(x, 32, gamma, beta)))
    qkv = normal(128, 1, 2304, 1, 1)
    def attention(qkv):
        q, k, v = qkv.reshape(128, 12, 3, 64).permute(2, 1, 0, 3)[:, None]
        return functional.scaled_dot_product_attention(q, k, v)
    yield Case("128 tokens, 12 heads of 64", "CustomQKVToContextPluginDynamic",
               {"type_id": 0, "hidden_size": 768, "num_heads": 12, "has_mask": 0, "plugin_version": "1"}, {"qkv": qkv}, 1, attention)


def deformableAttention(shapes, queries):
    sizes = [height * width for height, width in shapes]
    random = np.random.default_rng(2)
    value = normal(1, sum(sizes), 8, 32)
    locations = random.random((1, queries, 8, 4, 4, 2), dtype=np.float32)
    weights = random.random((1, queries, 8, 4, 4), dtype=np.float32)
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)

    def peer(value, _, start, locations, weights):
        parts = value.split(sizes, dim=1)
        grids, sampled = 2 * locations - 1, []
        for level, (height, width) in enumerate(shapes):
            part = parts[level].flatten(2).transpose(1, 2).reshape(8, 32, height, width)
            grid = grids[:, :, :, level].transpose(1, 2).flatten(0, 1)
            sampled.append(functional.grid_sample(part, grid, align_corners=False))
        weights = weights.transpose(1, 2).reshape(8, 1, queries, 16)
        return (torch.stack(sampled, -2).flatten(-2) * weights).sum(-1).view(1, 256, queries).transpose(1, 2)

    return Case(f"{queries} queries, 8x32, 4 levels of 4 points", "MultiscaleDeformableAttnPlugin_TRT", {"plugin_version": "1"},
                {"value": value, "shapes": np.int32(shapes), "start": start, "locations": locations, "weights": weights}, 1, peer)


def attention():
    yield deformableAttention([(64, 64), (32, 32), (16, 16), (8, 8)], 1000)


def suppressions():
    random = np.random.default_rng(3)
    count, classes = 5000, 80
    corner = random.random((count, 2), dtype=np.float32)
    boxes = np.concatenate([corner, corner + random.random((count, 2), dtype=np.float32) * 0.1], 1).astype(np.float32)
    of = random.integers(0, classes, count)
    scores = np.zeros((1, count, classes), np.float32)
    scores[0, np.arange(count), of] = random.random(count, dtype=np.float32)

    def peer(boxes, scores):
        best, which = scores[0].max(1)
        kept = torchvision.ops.batched_nms(boxes.reshape(-1, 4), best, which, 0.5)
        return kept, best[kept], which[kept]

    yield Case("5000 boxes, 80 classes", "BatchedNMSDynamic_TRT",
               {"numClasses": classes, "topK": count, "keepTopK": count, "scoreThreshold": 0.0, "iouThreshold": 0.5, "clipBoxes": 0},
               {"boxes": boxes.reshape(1, count, 1, 4), "scores": scores}, 4, peer)
    yield Case("5000 boxes, 80 classes", "EfficientNMS_TRT", {"score_threshold": 1e-6, "iou_threshold": 0.5, "max_output_boxes": count},
               {"boxes": boxes.reshape(1, count, 4), "scores": scores}, 4, peer)


FAMILIES = [normalizations, elementwise, regions, sampling, transformers, attention, suppressions]


def half(case):
    """The same in float16."""
    def halves(tensors):
        return {name: values.astype(np.float16) if values.dtype == np.float32 else values for name, values in tensors.items()}
    return replace(case, name=case.name + ", float16", inputs=halves(case.inputs), constants=halves(case.constants))


def gpuCases():
    x = normal(1, 32, 256, 256)
    ones, zeros = torch.ones(32).half(), torch.zeros(32).half()
    yield half(Case("1x32x256x256", "InstanceNormalization_TRT", {"scales": [1.0] * 32, "bias": [0.0] * 32, "plugin_version": "1"},
                    {"x": x}, 1, lambda x: functional.instance_norm(x, weight=ones, bias=zeros)))
    gamma, beta = np.ones(320, np.float32), np.zeros(320, np.float32)
    yield replace(half(Case("2x320x64x64, 32 groups, SiLU", "GroupNorm", {"epsilon": 1e-5, "bSwish": 1}, {"x": normal(2, 320, 64, 64)}, 1,
                            lambda x, gamma, beta: functional.silu(functional.group_norm(x, 32, gamma.half(), beta.half())))),
                  constants={"gamma": gamma, "beta": beta})
    wide, narrow = torch.ones(768).half(), torch.zeros(768).half()
    yield half(Case("8x128x768", "CustomSkipLayerNormPluginDynamic",
                    {"ld": 768, "type_id": 1, "gamma": [1.0] * 768, "beta": [0.0] * 768, "plugin_version": "1"},
                    {"x": normal(128, 8, 768, 1, 1), "skip": normal(128, 8, 768, 1, 1, seed=6)}, 1,
                    lambda x, skip: functional.layer_norm((x + skip).reshape(1024, 768), (768,), wide, narrow)))
    random = np.random.default_rng(1)
    corner = random.random((1000, 2), dtype=np.float32) * np.float32([1000, 500])
    rois = np.concatenate([corner, corner + random.random((1000, 2), dtype=np.float32) * 300 + 16], 1).astype(np.float32)
    yield half(Case("1000 of 256x50x84, 7x7", "ROIAlign_TRT",
                    {"output_height": 7, "output_width": 7, "sampling_ratio": 2, "spatial_scale": 0.0625, "plugin_version": "1"},
                    {"x": normal(1, 256, 50, 84), "rois": rois, "batch": np.zeros(1000, np.int32)}, 1,
                    lambda x, rois, batch: torchvision.ops.roi_align(x, torch.cat([batch[:, None].half(), rois], 1), 7, 0.0625, 2,
                                                                     True)))
    square = {"stride": [1, 1], "padding": [1, 1], "dilation": [1, 1]}
    yield half(Case("256 to 256 channels, 100x168", "DCNv2", {**square, "deformable_group": 1},
                    {"x": normal(1, 256, 100, 168), "offset": normal(1, 18, 100, 168, seed=5),
                     "mask": random.random((1, 9, 100, 168), dtype=np.float32)}, 1,
                    lambda x, offset, mask, weight, bias: torchvision.ops.deform_conv2d(x, offset, weight, bias, padding=1, mask=mask),
                    {"weight": normal(256, 256, 3, 3) * np.float32(0.05), "bias": np.zeros(256, np.float32)},
                    products=100 * 168 * 256 * 256 * 9))
    yield half(deformableAttention([(100, 167), (50, 84), (25, 42), (13, 21)], 22223))
    yield from suppressions()


class Tenon:
    def __init__(self, arguments, case, folder, threads):
        build = Path(arguments.build).resolve()
        self.isOnGpu, self.folder, self.case = arguments.device == "cuda", folder, case
        self.bin, self.library = build / "bin", build / "lib" / "libtenon_plugins.so"
        self.environment = {**os.environ, "TENON_THREADS": str(threads), "TENON_DEVICE": arguments.device}
        self.save()
        self.call([self.bin / "trtexec", f"--onnx={folder / 'model'}", f"--saveEngine={folder / 'engine'}", "--skipInference",
                   *(["--stronglyTyped"] if self.isOnGpu else [])])

    def save(self):
        case = self.case
        info = lambda name, values: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(values.dtype), values.shape)
        outputs = [f"y{i}" for i in range(case.outputs)]
        node = helper.make_node(case.op, [*case.inputs, *case.constants], outputs, name="node", **case.attributes)
        graph = helper.make_graph([node], "g", [info(*one) for one in case.inputs.items()],
                                  [helper.make_empty_tensor_value_info(name) for name in outputs],
                                  [numpy_helper.from_array(values, name) for name, values in case.constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "model")
        for name, values in case.inputs.items():
            (self.folder / name).write_bytes(values.tobytes())

    def call(self, words):
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stdout)
        return done.stdout

    def run(self, seconds):
        """Milliseconds; on a GPU, microseconds."""
        files = [f"{name}:{self.folder / name}" for name in self.case.inputs]
        if self.isOnGpu:
            return float(self.call([self.bin / "bench_graph_time", self.folder / "engine", str(seconds), self.library, *files]).split()[-1])
        said = self.call([self.bin / "trtexec", f"--loadEngine={self.folder / 'engine'}", "--noDataTransfers",
                          f"--loadInputs={','.join(files)}", f"--duration={seconds}"])
        return float(re.search(r"GPU Compute Time:.* median = ([\d.e-]+) ms", said)[1])


class Torch:
    def __init__(self, case, threads):
        self.threads = threads
        self.inputs = [torch.from_numpy(values) for values in [*case.inputs.values(), *case.constants.values()]]
        self.peer = case.peer

    def run(self, seconds):
        torch.set_num_threads(self.threads)
        times = []
        with torch.inference_mode():
            start = time.perf_counter()
            while time.perf_counter() - start < seconds + 0.2 or len(times) < 10:  # 0.2: as trtexec warms up
                before = time.perf_counter()
                self.peer(*self.inputs)
                times.append((time.perf_counter() - before) * 1e3)
        return statistics.median(times[len(times) // 6:])


class TorchOnGpu:
    """Microseconds, of many calls in a CUDA graph where they can be captured."""
    kCalls = 20

    def __init__(self, peer, inputs):
        self.calls = lambda: [peer(*inputs) for _ in range(self.kCalls)]
        self.graph = None
        with torch.inference_mode():
            self.calls()
            torch.cuda.synchronize()
            try:
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    self.kept = self.calls()
                self.graph = graph
            except RuntimeError:  # it waits for the device
                torch.cuda.synchronize()

    def run(self, seconds):
        times, start = [], time.perf_counter()
        while time.perf_counter() - start < seconds or len(times) < 10:
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            with torch.inference_mode():
                self.graph.replay() if self.graph else self.calls()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / self.kCalls)
        return statistics.median(times)


class Roofline:
    def __init__(self):
        source, target = torch.zeros(1 << 30, dtype=torch.uint8), torch.zeros(1 << 30, dtype=torch.uint8)
        self.bytesPerMicrosecond = 2 * (1 << 30) / TorchOnGpu(target.copy_, [source]).run(0.3)
        size = 8192
        factor = torch.randn(size, size).half()
        self.productsPerMicrosecond = size ** 3 / TorchOnGpu(torch.matmul, [factor, factor]).run(0.5)

    def of(self, case, outputs):
        moved = sum(values.nbytes for values in [*case.inputs.values(), *case.constants.values()])
        moved += sum(output.nbytes for output in outputs)
        return max(moved / self.bytesPerMicrosecond, case.products / self.productsPerMicrosecond)


def rounds(arguments, own, peer):
    times = [(own.run(arguments.seconds), peer.run(arguments.seconds)) for _ in range(arguments.rounds)]
    return (statistics.median(column) for column in zip(*times))


def compare(arguments, case, threads):
    with tempfile.TemporaryDirectory() as folder:
        mine, theirs = rounds(arguments, Tenon(arguments, case, Path(folder), threads), Torch(case, threads))
    print(f"| {case.op} | {case.name} | {threads} | {mine:.3f} | {theirs:.3f} | {mine / theirs:.2f} |", flush=True)


def compareOnGpu(arguments, case, roofline):
    inputs = [torch.from_numpy(values).cuda() for values in [*case.inputs.values(), *case.constants.values()]]
    outputs = case.peer(*inputs)
    least = roofline.of(case, outputs if isinstance(outputs, tuple) else (outputs,))
    peer = TorchOnGpu(case.peer, inputs)
    with tempfile.TemporaryDirectory() as folder:
        mine, theirs = rounds(arguments, Tenon(arguments, case, Path(folder), 1), peer)
    print(f"| {case.op} | {case.name} | {mine:.1f} | {theirs:.1f}{'' if peer.graph else ', no graph'} | {mine / theirs:.2f} | "
          f"{least:.1f} | {least / mine:.2f} |", flush=True)


def compareAllOnGpu(arguments):
    torch.set_default_device("cuda")
    roofline = Roofline()
    print("| plugin | case | Tenon us | torch us | ratio | roofline us | share of it |\n|---|---|---|---|---|---|---|")
    for case in gpuCases():
        if arguments.only in case.op:
            compareOnGpu(arguments, case, roofline)


def processor():
    with open("/proc/cpuinfo") as info:
        return next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    where = torch.cuda.get_device_name() if arguments.device == "cuda" else processor()
    print(f"{where}, torch {torch.__version__}, torchvision {torchvision.__version__}, {arguments.rounds} alternating rounds of "
          f"{arguments.seconds} s\n")
    if arguments.device == "cuda":
        return compareAllOnGpu(arguments)
    print("| plugin | case | threads | Tenon ms | torch ms | ratio |\n|---|---|---|---|---|---|")
    for family in FAMILIES:
        for case in family():
            for threads in map(int, arguments.threads.split(",")):
                if arguments.only in case.op:
                    compare(arguments, case, threads)


if __name__ == "__main__":
    main()
