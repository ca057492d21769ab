#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Times models in Tenon, ONNX Runtime and OpenVINO under load: busy neighbour processes, CPU quotas, and several contexts.

company.py BENCH_MODEL MODEL:INPUT=SHAPE... [--neighbours 0,1,2] [--quotas 0,0.5,1,1.5] [--contexts 1,2,4] [--threads 2]
           [--rounds 5] [--seconds 2]

A model named "convolutions" is made here: seven 3x3 convolutions of 32 channels on 64x64, its input is x. All processes,
including the busy ones, have the priority of this one. A quota limits the CPUs of this process and those that run the engines
(a cgroup, which needs root); 0 is none. Engines use the same number of threads, or their own default (--threads 0). Contexts
run concurrently. In each round the engines run one after the other. Prints the medians over the rounds of the mean and of the
99th percentile of a run, in milliseconds, the largest 99th percentile of a round, and the runs per second.
"""
import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile

import numpy
from compare import processor, warmEngines


def convolutions(path, count=7, channels=32):
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    random = numpy.random.default_rng(0)
    nodes, constants, name, depth = [], [], "x", 3
    for i in range(count):
        weights = (random.standard_normal((channels, depth, 3, 3)) / numpy.sqrt(9 * depth)).astype(numpy.float32)
        constants.append(numpy_helper.from_array(weights, f"w{i}"))
        nodes.append(helper.make_node("Conv", [name, f"w{i}"], [f"c{i}"], pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}"]))
        name, depth = f"r{i}", channels
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, depth, 64, 64]) for name, depth in (("x", 3), (name, channels))]
    graph = helper.make_graph(nodes, "convolutions", values[:1], values[1:], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)


class Neighbours:
    def __init__(self, count):
        self.count = count

    def __enter__(self):
        self.busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(self.count)]

    def __exit__(self, *_):
        for process in self.busy:
            process.kill()
            process.wait()


class Quota:
    """CPUs for this process and its children: a cgroup of version 1 or 2."""

    def __init__(self, cpus):
        self.cpus = cpus
        isOld = os.path.isdir("/sys/fs/cgroup/cpu")  # a hierarchy of its own before version 2
        self.root = "/sys/fs/cgroup/cpu" if isOld else "/sys/fs/cgroup"
        self.group = f"{self.root}/tenon_bench"
        self.limits = {"cpu.cfs_period_us": 100_000, "cpu.cfs_quota_us": int(cpus * 100_000)} if isOld else {"cpu.max": f"{int(cpus * 100_000)} 100000"}
        with open("/proc/self/cgroup") as file:
            paths = {controllers: path for _, controllers, path in (line.strip().split(":", 2) for line in file)}
        self.before = self.root + next(path for controllers, path in paths.items() if ("cpu" in controllers.split(",") if isOld else controllers == ""))

    def write(self, path, value):
        with open(path, "w") as file:
            file.write(str(value))

    def __enter__(self):
        if self.cpus == 0:
            return
        if "cpu.max" in self.limits:
            self.write(f"{self.root}/cgroup.subtree_control", "+cpu")
        os.makedirs(self.group, exist_ok=True)
        for name, value in self.limits.items():
            self.write(f"{self.group}/{name}", value)
        self.write(f"{self.group}/cgroup.procs", os.getpid())

    def __exit__(self, *_):
        if self.cpus == 0:
            return
        self.write(f"{self.before}/cgroup.procs", os.getpid())
        os.rmdir(self.group)


def compare(arguments, model, name, shape, neighbours, quota, contexts):
    engines = warmEngines(arguments, model, name, shape, arguments.threads, contexts)
    times = {engine.label: [] for engine in engines}
    for _ in range(arguments.rounds):
        for engine in engines:
            times[engine.label].append(engine.run(arguments.seconds))
    cells = []
    for found in times.values():
        p99 = [one.p99 for one in found]
        rate = statistics.median(one.rate for one in found)
        cells.append(f"{statistics.median(one.mean for one in found):.3f} / {statistics.median(p99):.2f} / {max(p99):.2f} / {rate:.1f}")
    case = f"| {model.rsplit('/', 1)[-1]} | {neighbours} | {quota or 'none'} | {contexts} | "
    print(case + " | ".join(cells) + " |", flush=True)
    for engine in engines:
        engine.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="+", metavar="MODEL:INPUT=SHAPE")
    parser.add_argument("--neighbours", default="0,1,2")
    parser.add_argument("--quotas", default="0")
    parser.add_argument("--contexts", default="1")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    arguments = parser.parse_args()
    name, flags = processor()
    print(f"{name} ({' '.join(flags)}), float32, {arguments.threads} threads, {arguments.rounds} alternating rounds of {arguments.seconds} s, milliseconds: mean / 99th percentile / largest of a round / runs in a second\n")
    print("| model | busy processes | quota | contexts | Tenon | ONNX Runtime | OpenVINO |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.models:
            model, feed = case.rsplit(":", 1)
            if model == "convolutions":
                model = f"{folder}/convolutions"
                convolutions(model)
            input_name, shape = feed.split("=")
            extents = [int(extent) for extent in shape.split("x")]
            lists = arguments.neighbours.split(","), arguments.quotas.split(","), arguments.contexts.split(",")
            for neighbours, quota, contexts in itertools.product(*lists):
                with Neighbours(int(neighbours)), Quota(float(quota)):  # neighbours have no quota
                    compare(arguments, model, input_name, extents, int(neighbours), float(quota), int(contexts))


if __name__ == "__main__":
    main()
