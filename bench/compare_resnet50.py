#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Times ResNet-50 on a GPU in Tenon and in PyTorch, in alternating rounds: compare_resnet50.py BENCH_MODEL [--rounds 3]

Both compute in float16 with inputs and outputs on the device. Run it with a Python that has PyTorch, numpy and onnx.
Prints the medians over the rounds of each engine's median milliseconds, and their ratio.
"""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def tenon(program, model, batch, tuning):
    words = [program, model, f"x={batch}x3x224x224", "--device", "cuda", "--fp16", "--io16", "--seconds", "1", *tuning]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[0]), done.stderr


def pytorch():
    done = subprocess.run([sys.executable, HERE / "resnet50_peer.py"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tune", default="", help="seconds to time kernels in; nothing: the heuristics' choice")
    arguments = parser.parse_args()
    tuning = ["--tune", arguments.tune] if arguments.tune else []
    peer, own, told = {}, {}, ""
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/resnet50.onnx"
        subprocess.run([sys.executable, HERE / "resnet50.py", model], check=True)
        for _ in range(arguments.rounds):
            lines = pytorch()
            for line in lines:
                peer.setdefault(line["batch"], []).append(line["milliseconds"])
                milliseconds, told = tenon(arguments.program, model, line["batch"], tuning)
                own.setdefault(line["batch"], []).append(milliseconds)
    print(f"{lines[0]['device']}, {lines[0]['engine']}")
    print(" ".join(told.split("\n")))
    print("| batch | Tenon ms | PyTorch ms | ratio |\n|---|---|---|---|")
    for batch in peer:
        a, b = statistics.median(own[batch]), statistics.median(peer[batch])
        print(f"| {batch} | {a:.3f} | {b:.3f} | {a / b:.3f} |")


if __name__ == "__main__":
    main()
