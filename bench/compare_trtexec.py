#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs programs named trtexec with each other's flags:
compare_trtexec.py [--caffe | --model=FILE] PLUGIN_LIBRARY NAME=PATH... > table.md
compare_trtexec.py --write=FILE

The flags of each program are read from its --help. Every flag is passed to the first program, and to the others that
have it, with the same small model and a suitable value; each row of the table has the programs' results. All must be
linked to the same library. The model is in ONNX or Caffe format. On a machine without Python's onnx, use the file that
--write made.
"""
import os
import re
import subprocess
import sys
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy

kOnnx = ("--onnx={folder}/m.onnx",)
kCaffe = ("--deploy={folder}/m.prototxt", "--output=y")
kEngine = "--loadEngine={folder}/m.engine"
kShort = ("--iterations=2", "--duration=0", "--warmUp=0")
# Additional arguments of a flag that cannot be used alone; {folder} is a folder of its own.
kValues = {
    "--onnx": "{folder}/m.onnx", "--saveEngine": "{folder}/s.engine", "--loadEngine": "{folder}/m.engine",
    "--minShapes": "x:1x8", "--optShapes": "x:2x8", "--maxShapes": "x:4x8", "--shapes": "x:2x8",
    "--minShapesCalib": "x:1x8", "--optShapesCalib": "x:2x8", "--maxShapesCalib": "x:4x8",
    "--inputIOFormats": "fp32:chw", "--outputIOFormats": "fp32:chw", "--workspace": "64", "--memPoolSize": "workspace:64",
    "--profilingVerbosity": "detailed", "--avgTiming": "2", "--minTiming": "1", "--calib": "{folder}/calib",
    "--precisionConstraints": "none", "--layerPrecisions": "*:fp32", "--layerOutputTypes": "*:fp32",
    "--layerDeviceTypes": "*:GPU", "--sparsity": "disable", "--timingCacheFile": "{folder}/cache",
    "--tacticSources": "-CUBLAS", "--preview": "+profileSharing0806", "--builderOptimizationLevel": "2",
    "--hardwareCompatibilityLevel": "none", "--tempdir": "{folder}", "--tempfileControls": "in_memory:allow",
    "--maxAuxStreams": "0", "--useDLACore": "-1", "--device": "0", "--plugins": "{plugins}",
    "--staticPlugins": "{plugins}", "--dynamicPlugins": "{plugins}", "--setPluginsToSerialize": "{plugins}",
    "--loadInputs": "x:{folder}/x.bin", "--iterations": "2", "--warmUp": "0", "--duration": "0", "--sleepTime": "0",
    "--idleTime": "0", "--streams": "2", "--infStreams": "2", "--avgRuns": "1", "--percentile": "90",
    "--exportTimes": "{folder}/times", "--exportOutput": "{folder}/out", "--exportProfile": "{folder}/profile",
    "--exportLayerInfo": "{folder}/layers", "--useRuntime": "lean", "--leanDLLPath": "libnvinfer_lean.so", "--batch": "2",
    "--maxBatch": "2", "--useProfile": "0", "--allocationStrategy": "static", "--nvtxMode": "none", "--persistentCacheRatio": "0.5", "--markDebug": "h",
    "--saveDebugTensors": "h:{folder}/h", "--saveAllDebugTensors": "numpy", "--weightStreamingBudget": "0",
    "--runtimePlatform": "SameAsBuild", "--maxTactics": "4", "--tilingOptimizationLevel": "0", "--l2LimitForTiling": "1024",
    "--calibProfile": "0", "--decomposableAttentions": "*", "--remoteAutoTuningConfig": "none", "--refitFromOnnx": "{folder}/m.onnx",
    "--uffInput": "x,1,1,8", "--output": "y", "--model": "{folder}/none", "--deploy": "{folder}/none", "--uff": "{folder}/none",
    "--safetyPlugins": "{plugins}", "--saveTimingCache": "{folder}/cache",
}
kShapesCalib = ("--minShapesCalib=x:1x8", "--optShapesCalib=x:2x8", "--maxShapesCalib=x:4x8")
kCalib = ("--int8", "--calib={folder}/calib")
kBeside = {
    "--weightStreamingBudget": ("--allowWeightStreaming",), "--calib": ("--int8",), "--calibProfile": kCalib, "--timeRefit": ("--refit",), "--refitFromOnnx": ("--refit",),
    **{flag: (*kCalib, *(word for word in kShapesCalib if not word.startswith(flag)))
       for flag in ("--minShapesCalib", "--optShapesCalib", "--maxShapesCalib")},
    "--minShapes": ("--optShapes=x:2x8", "--maxShapes=x:4x8"), "--optShapes": ("--minShapes=x:1x8", "--maxShapes=x:4x8"),
    "--maxShapes": ("--minShapes=x:1x8", "--optShapes=x:2x8"), "--saveDebugTensors": ("--markDebug=h",), "--profile": ("--profile=0", "--minShapes=x:1x8", "--optShapes=x:2x8", "--maxShapes=x:4x8"),
    "--layerPrecisions": ("--precisionConstraints=obey",), "--layerOutputTypes": ("--precisionConstraints=obey",),
    **{flag: (kEngine,) for flag in ("--getPlanVersionOnly", "--useRuntime", "--leanDLLPath", "--timeDeserialize")}, "--useProfile": (), "--separateProfileRun": ("--dumpProfile",),
}
kOfEngines = {"--loadEngine", "--getPlanVersionOnly", "--useRuntime", "--leanDLLPath", "--timeDeserialize"}
kAlone = {"--onnx", "--help", "--model", "--deploy", "--uff", *kOfEngines}
kCaffeText = """input: "x" input_shape { dim: 1 dim: 8 dim: 1 dim: 1 }
layer { name: "h" type: "InnerProduct" bottom: "x" top: "h" inner_product_param { num_output: 8 } }
layer { name: "y" type: "ReLU" bottom: "h" top: "y" }
"""


def makeModel(path):
    """y = relu(h), h = x W, x [N,8]."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    weights = numpy_helper.from_array(numpy.eye(8, dtype=numpy.float32), "w")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    tensor = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 8])
    graph = helper.make_graph(nodes, "small", [tensor("x")], [tensor("y")], [weights])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def makeCaffeModel(path):
    """The same with a bias and with made-up weights."""
    Path(path).write_text(kCaffeText)


def flagsOf(program):
    done = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=120)
    return set(re.findall(r"(?<![\w=-])--[A-Za-z]\w+", done.stdout + done.stderr)) - {"--flag"}


def shortOf(known):
    return [word for word in kShort if word.split("=")[0] in known]


def lastWords(done, isOurs):
    """The reason of a failure: the last error of our library or program; for other programs only "refused"."""
    lines = re.findall(r"\[E\] (.*)" if isOurs else r"\[E\] \[TRT\] (.*)", done.stdout + done.stderr)
    if not lines:
        return "refused" if not isOurs else f"exit code {done.returncode}"
    return re.sub(r"/tmp/[\w./-]*/", "", lines[-1]).replace("|", "\\|")[:140]


def tryFlag(program, flag, plugins, isOurs, known, fileFlags, model):
    """\\param known the flags that the program has; fileFlags: those that name the model; model: its file"""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(model, f"{folder}/m.onnx")
        makeCaffeModel(f"{folder}/m.prototxt")
        numpy.ones((1, 8), numpy.float32).tofile(f"{folder}/x.bin")
        needsEngine = flag in kOfEngines
        if needsEngine:
            subprocess.run([program, *(word.format(folder=folder) for word in fileFlags), f"--saveEngine={folder}/m.engine",
                            *shortOf(known)], capture_output=True, timeout=300)
        value = kValues.get(flag)
        given = flag if value is None else f"{flag}={value.format(folder=folder, plugins=plugins)}"
        beside = [word.format(folder=folder) for word in kBeside.get(flag, ())]
        names = [word.split("=")[0] for word in fileFlags]
        reads = [] if flag in kAlone - set(names) else [word.format(folder=folder) for word in fileFlags]
        if flag in names:
            given = ""
        try:
            short = [word for word in shortOf(known) if not word.startswith(flag + "=")]
            done = subprocess.run([program, *reads, *short, *beside, *([] if flag == "--profile" or not given else [given])],
                                  capture_output=True, text=True, timeout=300, cwd=folder)
        except subprocess.TimeoutExpired:
            return "does not end"
    if done.returncode < 0:
        return f"**crash** (signal {-done.returncode})"
    return "ok" if done.returncode == 0 else lastWords(done, isOurs)


def compare(plugins, programs, fileFlags, model):
    flags = {name: flagsOf(path) for name, path in programs.items()}
    first = next(iter(programs))

    def row(flag):
        return [tryFlag(path, flag, plugins, name == first, flags[name], fileFlags, model)
                if flag in flags[name] or name == first else "—" for name, path in programs.items()]

    print("| flag | " + " | ".join(programs) + " |\n|" + "---|" * (len(programs) + 1))
    every = sorted(set.union(*flags.values()), key=str.lower)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for flag, cells in zip(every, pool.map(row, every)):
            print(f"| `{flag}` | " + " | ".join(cells) + " |", flush=True)


def main(arguments):
    options = [word for word in arguments if word.startswith("--")]
    named = dict(word.partition("=")[::2] for word in options)
    if "--write" in named:
        return makeModel(named["--write"])
    plugins, *programs = arguments[len(options):]
    with tempfile.TemporaryDirectory() as folder:
        model = named.get("--model", f"{folder}/m.onnx")
        if "--model" not in named:
            makeModel(model)
        compare(plugins, dict(word.split("=", 1) for word in programs), kCaffe if "--caffe" in named else kOnnx, model)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
