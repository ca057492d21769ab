# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Builds each export with trtexec for a range of shapes, runs the engine at each with tenon, and compares the outputs with
those of ONNX Runtime. Writes result.json into the export's folder: for each precision {"verdict", "error", "build_seconds"}.

Verdicts: right; wrong (the error is too large, or another shape); other boxes (of an engine in a 16-bit type, which
rounds the scores that boxes are chosen by: an expected difference); refused (the text has the reason); crashed.
"""
import json
import os
import re
import subprocess
import time

import numpy

from .boxes import boxErrorsOf
from .export import errorsOf

kPrecisions = {"float32": ["--noTF32"], "float16": ["--fp16"], "bfloat16": ["--bf16"]}
kHalf = {"float16": ["--stronglyTyped"]}  # of models in float16
kSecondsToBuild = 240
# The tolerance: at least this error relative to the largest element of an output.
kTolerance = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 6e-2}
# or this many times PyTorch's error in that type; in float32 ONNX Runtime rounds too
kTimesPyTorch = {"float32": 4, "float16": 2, "bfloat16": 2}


def arrays(path):
    with numpy.load(path, allow_pickle=False) as read:
        return dict(read)


def runsIn(folder):
    count = len(list(folder.glob("expected*.npz")))
    return [arrays(folder / f"inputs{run}.npz") for run in range(count)]


def shapesText(inputs):
    return ",".join(f"{name}:{'x'.join(map(str, shape)) or 'scalar'}" for name, shape in inputs.items() if shape)


def rangeFlags(runs):
    """--minShapes … of inputs that have more than one shape."""
    def shapes(choose):
        return {name: choose([run[name].shape for run in runs]) for name in runs[0]}
    least = shapes(lambda all_: tuple(map(min, zip(*all_))))
    most = shapes(lambda all_: tuple(map(max, zip(*all_))))
    return [f"--minShapes={shapesText(least)}", f"--optShapes={shapesText(shapes(lambda all_: all_[0]))}",
            f"--maxShapes={shapesText(most)}"]


def call(build, words, seconds):
    """(exit status, all output, seconds)"""
    # The executables may have been built elsewhere: they use the libraries beside them.
    environment = os.environ | {"LD_LIBRARY_PATH": str(build / "lib"), "TENON_DEVICE": "cpu"}
    start = time.monotonic()
    try:
        done = subprocess.run([str(build / "bin" / words[0]), *words[1:]], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=seconds, env=environment)
        return done.returncode, done.stdout, time.monotonic() - start
    except subprocess.TimeoutExpired as slow:
        return 124, f"took more than {slow.timeout} s", time.monotonic() - start


def reason(output):
    """The first line with an error."""
    lines = [re.sub(r"^\[[^]]*\] *(\[\w+\] *)*", "", line) for line in output.splitlines() if "[E]" in line or "rror" in line]
    return (lines or output.splitlines()[-1:] or ["no output"])[0][:400]


def failure(status, output):
    died = status < 0 or status in (124, 134, 139)
    return {"verdict": "crashed" if died else "refused", "text": f"status {status}: {reason(output)}" if died else reason(output)}


def compareRun(folder, run, build, info):
    """{"verdict", "text"} of an engine that cannot be run, or {"error"}"""
    found = folder / "found.npz"
    found.unlink(missing_ok=True)
    status, output, _ = call(build, ["tenon", "run", str(folder / "engine.plan"), "--inputs",
                                     str(folder / f"inputs{run}.npz"), "--save", str(found)], kSecondsToBuild)
    if status != 0:
        return failure(status, output)
    found, expected = arrays(found), arrays(folder / f"expected{run}.npz")
    errors = (boxErrorsOf if info.get("counts") else errorsOf)([found[name] for name in expected], list(expected.values()))
    if errors is None:
        other = next(name for name in expected if found[name].shape != expected[name].shape)
        return {"verdict": "wrong", "text": f"{other} {found[other].shape}, expected {expected[other].shape}"}
    return {"error": max(errors)}


def allowed(precision, info):
    """The largest accepted error."""
    return max(kTolerance[precision], kTimesPyTorch[precision] * (info["rounding"].get(precision) or 0))


def precisionsOf(info):
    return kHalf if info.get("half") else kPrecisions


def comparePrecision(folder, precision, build, info):
    runs = runsIn(folder)
    words = ["trtexec", f"--onnx={folder}/model.onnx", *rangeFlags(runs), *precisionsOf(info)[precision],
             f"--saveEngine={folder}/engine.plan", "--skipInference"]
    status, output, seconds = call(build, words, kSecondsToBuild)
    (folder / f"{precision}.log").write_text(output)
    if status != 0:
        return failure(status, output)
    error = 0
    for run in range(len(runs)):
        found = compareRun(folder, run, build, info)
        if "error" not in found:
            return found | {"run": run}
        error = max(error, found["error"])
    (folder / "engine.plan").unlink()
    verdict = "right" if error <= allowed(precision, info) else "wrong"
    return {"verdict": verdict, "error": error, "build_seconds": round(seconds, 2)}


def line(name, result):
    words = [f"{precision} {one['verdict']}" + (f" {one['error']:.1e}" if "error" in one else "") +
             (f" ({one['text']})" if "text" in one else "") for precision, one in result.items()]
    return f"{name}: " + ", ".join(dict.fromkeys(words))


def verdictOn(precision, info, result):
    """With boxes that rounding chose differently distinguished."""
    if info.get("counts") and precision != "float32" and result["verdict"] == "wrong":
        return {"verdict": "other boxes"}
    return result


def compareAll(folder, build, names):
    for name in names:
        info = json.loads((folder / name / "info.json").read_text())
        if "failed" in info:
            continue
        result = {}
        for precision in precisionsOf(info):
            result[precision] = verdictOn(precision, info, comparePrecision(folder / name, precision, build, info))
            if result[precision]["verdict"] in ("refused", "crashed"):
                break
        (folder / name / "result.json").write_text(json.dumps(result, indent=1))
        print(line(name, result), flush=True)
