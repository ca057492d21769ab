#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Times the steps up to the first run of a model in Tenon, ONNX Runtime and OpenVINO, in alternating rounds:

    build_time.py BENCH_BUILD_TIME MODEL.onnx[,INPUT:MIN:OPT:MAX ...] ... [--rounds 5]

Tenon builds an engine without timing kernels and writes its file, then loads it in another process and runs it once; ONNX
Runtime creates a session, OpenVINO compiles the model. Each runs in a process of its own. Prints, for the fastest round,
the seconds, the CPU seconds in user code, and the peak anonymous memory of the process (pages of mapped files do not count,
they are the system's cache) minus the memory before the model was read. Run it with a Python that has onnxruntime and
openvino; a missing one is left out.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

ONNX_RUNTIME = """
import onnxruntime, sys, time
print("ready", flush=True), sys.stdin.readline()
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = len(__import__("os").sched_getaffinity(0))
start, before = time.perf_counter(), time.process_time()
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
print(time.perf_counter() - start, time.process_time() - before)
"""
OPENVINO = """
import openvino, sys, time
core = openvino.Core()
core.get_property("CPU", "FULL_DEVICE_NAME")
print("ready", flush=True), sys.stdin.readline()
start, before = time.perf_counter(), time.process_time()
model = core.compile_model(sys.argv[1], "CPU")
print(time.perf_counter() - start, time.process_time() - before)
"""


def anonymous(pid):
    """MiB, or 0 if the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024


def watched(words, waits):
    """A process's output, its user seconds and its peak anonymous memory. A process that waits prints when it is ready."""
    child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    before = 0
    if waits:
        child.stdout.readline()
        before = anonymous(child.pid)
        child.stdin.write("\n")
        child.stdin.flush()
    most = before
    while (ended := os.wait4(child.pid, os.WNOHANG))[0] == 0:
        most = max(most, anonymous(child.pid))
        time.sleep(0.0005)
    if ended[1] != 0:
        sys.exit(f"{' '.join(map(str, words[:4]))} ended with status {ended[1]}")
    return child.stdout.read(), ended[2].ru_utime, most - before


def peer(code, model):
    out, _, memory = watched([sys.executable, "-c", code, model], True)
    seconds, processor = map(float, out.split())
    return seconds, memory, processor


def tenon(program, model, ranges):
    with tempfile.TemporaryDirectory() as folder:
        engine = f"{folder}/engine"
        out, user, memory = watched([program, "build", model, engine, *ranges], False)
        built = json.loads(out)
        out, _, kept = watched([program, "load", engine], False)
    return {**built, "user": user, "memory": memory, **json.loads(out), "kept": kept}


def megabytes(model):
    beside = Path(f"{model}.data")
    return (Path(model).stat().st_size + (beside.stat().st_size if beside.exists() else 0)) / 2**20


def compare(program, given, rounds):
    model, *ranges = given.split(",")
    own, peers = [], {"ONNX Runtime": (ONNX_RUNTIME, "onnxruntime"), "OpenVINO": (OPENVINO, "openvino")}
    found = {name: [] for name, (_, module) in peers.items() if find_spec(module)}
    for _ in range(rounds):
        own.append(tenon(program, model, ranges))
        for name in found:
            found[name].append(peer(peers[name][0], model))
    best = min(own, key=lambda run: run["parse"] + run["build"])
    size = megabytes(model)
    seconds = best["parse"] + best["build"]
    print(f"{Path(model).name}: {size:.0f} MiB, engine {best['bytes'] / 2**20:.0f} MiB")
    print(f"  Tenon: parse {best['parse']:.2f} + build {best['build']:.2f} = {seconds:.2f} s, user {best['user']:.2f} s, "
          f"memory {best['memory']:.0f} MiB = {best['memory'] / size:.2f} of the model; written in {best['save']:.2f} s")
    loads = min(run["load"] for run in own)
    first = min(run["first"] for run in own)
    print(f"  Tenon, from the engine's file: {1000 * loads:.0f} ms, then to the end of the first run {1000 * first:.0f} ms, "
          f"memory {min(r['kept'] for r in own):.0f} MiB")
    for name, runs in found.items():
        fastest = min(run[0] for run in runs)
        memory = min(run[1] for run in runs)
        processor = min(run[2] for run in runs)
        print(f"  {name}: {fastest:.2f} s, processor {processor:.2f} s, memory {memory:.0f} MiB = {memory / size:.2f} of the model; "
              f"Tenon's build takes {seconds / fastest:.2f} of that, its load {loads / fastest:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    for model in arguments.models:
        compare(arguments.program, model, arguments.rounds)


if __name__ == "__main__":
    main()
