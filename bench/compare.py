#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Times models in Tenon, ONNX Runtime and OpenVINO, in alternating rounds of one run.

compare.py BENCH_MODEL MODEL:INPUT=SHAPE... [--threads 1,2] [--rounds 5] [--seconds 1] [--bf16]

Each round runs every engine for the same time, one after the other, so that other load affects all equally. Prints, for each
engine, the median over the rounds of its median milliseconds, and the ratios of those medians; at the end their geometric
means. --bf16 allows Tenon and OpenVINO to compute in bfloat16; ONNX Runtime always uses float32.
"""
import argparse
import platform
import statistics
import subprocess
import threading
import time
from typing import NamedTuple

import numpy


def random_input(shape):
    return numpy.random.default_rng(0).random(shape, dtype=numpy.float32) - 0.5


class Times(NamedTuple):
    """Milliseconds of a run, and the runs per second of all concurrent contexts."""
    median: float
    mean: float
    p99: float
    rate: float


def timed(calls, seconds):
    """Runs each of the calls repeatedly, on a thread of its own if there are several."""
    times = []

    def repeat(call):
        start = time.perf_counter()
        own = []
        while time.perf_counter() - start < seconds or len(own) < 3:
            before = time.perf_counter()
            call()
            own.append((time.perf_counter() - before) * 1e3)
        times.extend(own)

    begin = time.perf_counter()
    threads = [threading.Thread(target=repeat, args=[call]) for call in calls[1:]]
    for thread in threads:
        thread.start()
    repeat(calls[0])
    for thread in threads:
        thread.join()
    return Times(statistics.median(times), statistics.fmean(times), sorted(times)[int(0.99 * len(times))], len(times) / (time.perf_counter() - begin))


class OnnxRuntime:
    def __init__(self, model, name, shape, threads, contexts=1):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        feed = {name: random_input(shape)}
        self.label = f"ONNX Runtime {onnxruntime.__version__}"
        self.calls = [lambda: session.run(None, feed)] * contexts

    def run(self, seconds):
        return timed(self.calls, seconds)

    def close(self):
        self.calls = []


class OpenVino:
    def __init__(self, model, name, shape, threads, contexts=1, precision="f32"):
        import openvino

        core = openvino.Core()
        network = core.read_model(model)
        network.reshape({name: shape})
        # float32 like the others, unless specified: OpenVINO would use bfloat16 if the processor has it
        options = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": contexts, "INFERENCE_PRECISION_HINT": precision}
        compiled = core.compile_model(network, "CPU", options)
        tensor = openvino.Tensor(random_input(shape))
        self.label = f"OpenVINO {openvino.__version__.split('-')[0]}"
        requests = [compiled.create_infer_request() for _ in range(contexts)]
        self.calls = [lambda request=request: request.infer({name: tensor}, share_inputs=True) for request in requests]

    def run(self, seconds):
        return timed(self.calls, seconds)

    def close(self):
        self.calls = []


class Tenon:
    label = "Tenon"

    def __init__(self, program, model, name, shape, threads, seconds, contexts=1, flags=()):
        words = [program, model, f"{name}={'x'.join(map(str, shape))}", "--threads", str(threads), "--seconds", str(seconds), "--contexts", str(contexts), "--serve", *flags]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, _):
        print("go", file=self.process.stdin, flush=True)
        return Times(*map(float, self.process.stdout.readline().split()))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def processor():
    with open("/proc/cpuinfo") as info:
        names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    with open("/proc/cpuinfo") as info:
        flags = next(line for line in info if line.startswith("flags")).split()
    return (names or [platform.processor()])[0], [f for f in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile") if f in flags]


def warmEngines(arguments, model, name, shape, threads, contexts=1, bfloat16=False):
    engines = [
        Tenon(arguments.program, model, name, shape, threads, arguments.seconds, contexts, ["--bf16"] if bfloat16 else []),
        OnnxRuntime(model, name, shape, threads, contexts),
        OpenVino(model, name, shape, threads, contexts, "bf16" if bfloat16 else "f32"),
    ]
    for engine in engines:
        engine.run(arguments.seconds)
    return engines


def compare(arguments, model, name, shape, threads):
    engines = warmEngines(arguments, model, name, shape, threads, bfloat16=arguments.bf16)
    times = {engine.label: [] for engine in engines}
    for _ in range(arguments.rounds):
        for engine in engines:
            times[engine.label].append(engine.run(arguments.seconds).median)
    medians = {label: statistics.median(values) for label, values in times.items()}
    cells = [f"{label} {medians[label]:.2f} ({min(values):.2f}-{max(values):.2f})" for label, values in times.items()]
    ratios = [f"{medians['Tenon'] / medians[label]:.3f} of {label}" for label in list(medians)[1:]]
    shape_text = "x".join(map(str, shape))
    print(f"| {model.rsplit('/', 1)[-1]} | {shape_text} | {threads} | " + " | ".join(cells) + " | " + ", ".join(ratios) + " |", flush=True)
    for engine in engines:
        engine.close()
    return {label: medians["Tenon"] / medians[label] for label in list(medians)[1:]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="+", metavar="MODEL:INPUT=SHAPE")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--bf16", action="store_true")
    arguments = parser.parse_args()
    name, flags = processor()
    print(f"{name} ({' '.join(flags)}), {'bfloat16 allowed' if arguments.bf16 else 'float32'}, {arguments.rounds} alternating rounds of {arguments.seconds} s, milliseconds: median of the rounds' medians (least-most)\n")
    print("| model | shape | threads | Tenon | ONNX Runtime | OpenVINO | Tenon takes |\n|---|---|---|---|---|---|---|")
    found = {}
    for case in arguments.models:
        model, feed = case.rsplit(":", 1)
        input_name, shape = feed.split("=")
        for threads in map(int, arguments.threads.split(",")):
            ratios = compare(arguments, model, input_name, [int(extent) for extent in shape.split("x")], threads)
            for label, ratio in ratios.items():
                found.setdefault((threads, label), []).append(ratio)
    print()
    for (threads, label), ratios in found.items():
        print(f"{threads} threads: geometric mean {statistics.geometric_mean(ratios):.3f} of {label}, at most {max(ratios):.3f}")


if __name__ == "__main__":
    main()
