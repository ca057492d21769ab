#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Times standard plugins in Tenon and in PyTorch or torchvision, in alternating rounds of one run.

plugins.py BUILD_FOLDER [--device cpu] [--threads 1,2] [--rounds 5] [--seconds 1] [--only WORD] [--check]

Run it with a Python that has torch, torchvision, numpy and onnx. Each plugin is one node of an ONNX file; plugin_cases/ has
the cases, each in float32 for the CPU and, if the plugin supports it, in float16 for a GPU. A computation without a single
operation in torch is composed of several, as the case's name says. Before a case is timed, its results are compared with the
peer's: loosely, since both compute in the type of the case.

Each round runs both for the same time, one after the other, so that other load affects both equally. Prints the medians
over the rounds of each one's median time, and their ratio. --only selects the cases whose plugin's name has that word,
--check times nothing.

With --device cuda both run in CUDA graphs of many calls; calls that cannot be captured run without, and are marked. The
roofline is the larger of two times: that of copying the inputs and outputs, by the speed of a large copy in the same run, and
that of the products, by the speed of a large product.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import torch
import torchvision
from onnx import helper, numpy_helper

from plugin_cases import casesFor
from plugin_cases.case import Device


class Tenon:
    def __init__(self, arguments, case, folder, threads):
        build = Path(arguments.build).resolve()
        self.isOnGpu, self.isCaptured, self.folder, self.case = arguments.device == "cuda", True, folder, case
        self.bin, self.library = build / "bin", build / "lib" / "libtenon_plugins.so"
        self.environment = {**os.environ, "TENON_THREADS": str(threads), "TENON_DEVICE": arguments.device}
        self.save()
        self.call([self.bin / "trtexec", f"--onnx={folder / 'model'}", f"--saveEngine={folder / 'engine'}", "--skipInference",
                   *(["--stronglyTyped"] if case.isHalf else []), *self.formats()])

    def formats(self):
        """The flags for non-linear formats; all tensors have the type of the case."""
        case, kind = self.case, "fp16" if self.case.isHalf else "fp32"
        if not case.channelsLast:
            return []
        names = {"input": case.inputs, "output": [f"y{i}" for i in range(case.outputs)]}
        lie = lambda name: f"{kind}:{'hwc8' if name in case.channelsLast else 'chw'}"
        return [f"--{end}IOFormats={','.join(map(lie, names[end]))}" for end in names]

    def save(self):
        case = self.case
        info = lambda name, values: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(values.dtype), values.shape)
        outputs = [f"y{i}" for i in range(case.outputs)]
        node = helper.make_node(case.op, [*case.inputs, *case.constants], outputs, name="node", domain=case.domain,
                                **case.attributes)
        graph = helper.make_graph([node], "g", [info(*one) for one in case.inputs.items()],
                                  [helper.make_empty_tensor_value_info(name) for name in outputs],
                                  [numpy_helper.from_array(values, name) for name, values in case.constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "model")
        for name, values in case.inputs.items():
            isLast = name in case.channelsLast  # which requires channels to be a multiple of 8
            (self.folder / name).write_bytes((values.transpose(0, 2, 3, 1) if isLast else values).tobytes())

    def call(self, words):
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stdout)
        return done.stdout

    def results(self):
        return self.exported() if self.case.channelsLast else self.saved()

    def exported(self):
        """In row-major order, whatever the formats are."""
        given = ",".join(f"{name}:{self.folder / name}" for name in self.case.inputs)
        self.call([self.bin / "trtexec", f"--loadEngine={self.folder / 'engine'}", f"--loadInputs={given}", "--iterations=1",
                   "--duration=0", "--warmUp=0", f"--exportOutput={self.folder / 'out.json'}"])
        tensors = {tensor["name"]: tensor for tensor in json.loads((self.folder / "out.json").read_text())}
        return [np.float32(tensors[f"y{i}"]["values"]) for i in range(self.case.outputs)]

    def saved(self):
        np.savez(self.folder / "in.npz", **self.case.inputs)
        self.call([self.bin / "tenon", "run", self.folder / "engine", "--plugins", self.library, "--inputs",
                   self.folder / "in.npz", "--save", self.folder / "out.npz"])
        with np.load(self.folder / "out.npz") as outputs:
            return [outputs[f"y{i}"] for i in range(self.case.outputs)]

    def run(self, seconds):
        """Milliseconds; on a GPU, microseconds."""
        files = {name: self.folder / name for name in self.case.inputs}
        if not self.isOnGpu:
            return self.runAlone(files, seconds)
        if self.isCaptured:
            try:
                return self.runInGraph(files, seconds)
            except RuntimeError:  # it synchronizes with the device, as it computes on the CPU
                self.isCaptured = False
        return self.runAlone(files, seconds) * 1e3

    def runInGraph(self, files, seconds):
        """Microseconds."""
        words = [self.bin / "bench_graph_time", self.folder / "engine", str(seconds), self.library]
        return float(self.call([*words, *(f"{name}:{path}" for name, path in files.items())]).split()[-1])

    def runAlone(self, files, seconds):
        """Milliseconds."""
        given = ",".join(f"{name}:{path}" for name, path in files.items())
        said = self.call([self.bin / "trtexec", f"--loadEngine={self.folder / 'engine'}", "--noDataTransfers",
                          *([f"--loadInputs={given}"] if given else []), f"--duration={seconds}"])
        return float(re.search(r"GPU Compute Time:.* median = ([\d.e-]+) ms", said)[1])


class Torch:
    def __init__(self, peer, inputs, threads):
        self.peer, self.inputs, self.threads = peer, inputs, threads

    def run(self, seconds):
        torch.set_num_threads(self.threads)
        times = []
        with torch.inference_mode():
            start = time.perf_counter()
            while time.perf_counter() - start < seconds + 0.2 or len(times) < 10:  # 0.2: trtexec's warm up
                before = time.perf_counter()
                self.peer(*self.inputs)
                times.append((time.perf_counter() - before) * 1e3)
        return statistics.median(times[len(times) // 6:])


class TorchOnGpu:
    """Microseconds, of many calls in a CUDA graph if they can be captured."""
    kCalls = 20

    def __init__(self, peer, inputs):
        count = self.kCalls
        self.calls = lambda: [peer(*inputs) for _ in range(count)]  # without self: a graph must not end in the capture of another
        self.graph = None
        with torch.inference_mode():
            self.calls()
            torch.cuda.synchronize()
            try:
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    self.kept = self.calls()
                self.graph = graph
            except RuntimeError:  # it synchronizes with the device
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
        moved = sum(values.nbytes for values in [*case.inputs.values(), *case.constants.values(), *outputs])
        return max(moved / self.bytesPerMicrosecond, case.products / self.productsPerMicrosecond)


def rounds(arguments, own, peer):
    times = [(own.run(arguments.seconds), peer.run(arguments.seconds)) for _ in range(arguments.rounds)]
    return (statistics.median(column) for column in zip(*times))


def tensorsOf(case):
    """The peer's arguments, on the default device."""
    return [torch.from_numpy(np.ascontiguousarray(values)).to(torch.get_default_device()) for values in case.peerArrays()]


def require(case, own, peers):
    """Checks that both compute the same."""
    wrong = case.alike(own, peers, case.tolerance)
    if wrong:
        raise RuntimeError(wrong)


def resultsOf(peer, inputs):
    """In float32, without the peer's own rounding: deform_conv2d also computes positions in float16."""
    with torch.inference_mode():
        outputs = peer(*[values.float() if values.dtype == torch.float16 else values for values in inputs])
    return [output.cpu().numpy() for output in (outputs if isinstance(outputs, tuple) else (outputs,))]


def compare(arguments, case, folder):
    inputs = tensorsOf(case)
    require(case, Tenon(arguments, case, folder, 2).results(), resultsOf(case.peer, inputs))
    for threads in map(int, arguments.threads.split(",") if not arguments.check else []):
        mine, theirs = rounds(arguments, Tenon(arguments, case, folder, threads), Torch(case.peer, inputs, threads))
        print(f"| {case.op} | {case.name} | {threads} | {mine:.3f} | {theirs:.3f} | {mine / theirs:.2f} |", flush=True)


def compareOnGpu(arguments, case, folder, roofline):
    inputs, own = tensorsOf(case), Tenon(arguments, case, folder, 1)
    results = own.results()
    require(case, results, resultsOf(case.peer, inputs))
    if arguments.check:
        return
    peer, least = TorchOnGpu(case.peer, inputs), roofline.of(case, results)
    mine, theirs = rounds(arguments, own, peer)
    texts = [f"{time:.1f}{'' if isCaptured else ', no graph'}" for time, isCaptured in ((mine, own.isCaptured), (theirs, peer.graph))]
    print(f"| {case.op} | {case.name} | {texts[0]} | {texts[1]} | {mine / theirs:.2f} | {least:.1f} | {least / mine:.2f} |",
          flush=True)


def compareAll(arguments, compareOne):
    """The number of cases that could not be compared; their reasons are printed."""
    failed = 0
    for case in casesFor(Device(arguments.device == "cuda")):
        if arguments.only in case.op:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    compareOne(arguments, case, Path(folder))
                except RuntimeError as error:
                    failed += 1
                    print(f"FAILED: {case.op}, {case.name}: {error}", file=sys.stderr, flush=True)
    return failed


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
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    where = torch.cuda.get_device_name() if arguments.device == "cuda" else processor()
    print(f"{where}, torch {torch.__version__}, torchvision {torchvision.__version__}, {arguments.rounds} alternating rounds of "
          f"{arguments.seconds} s\n")
    if arguments.device == "cuda":
        torch.set_default_device("cuda")
        roofline = Roofline()
        print("| plugin | case | Tenon us | torch us | ratio | roofline us | share of it |\n|---|---|---|---|---|---|---|")
        return compareAll(arguments, lambda *case: compareOnGpu(*case, roofline))
    print("| plugin | case | threads | Tenon ms | torch ms | ratio |\n|---|---|---|---|---|---|")
    return compareAll(arguments, compare)


if __name__ == "__main__":
    sys.exit(main() > 0)
