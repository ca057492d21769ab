# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Compute types: calibration, Q/DQ layers, types of single layers."""
import re

import models
import numpy as np
from harness import expectClose, failWith, kHead, kShort, readOutputs, succeed, test


@test
def calibrationCachesGiveTheRanges(folder):
    models.makeConv(folder / "m.onnx")
    model, cache = f"--onnx={folder}/m.onnx", folder / "cache"
    cache.write_text("TRT-8601-EntropyCalibration2\nx: 3c810204\n")
    shapes = "--shapes=x:2x3x16x16"
    done = succeed(model, "--int8", f"--calib={cache}", shapes, *kShort)
    assert "int8 without calibration" not in done.err and "random inputs" not in done.err, done
    assert "The calibration cache has no scale for " in done.err, done  # except x
    assert f"Calibration: {cache}" in done.log
    cache.write_text("TRT-8601-MinMaxCalibration\nx: 3c810204\n")
    failWith("Building engine failed", model, "--int8", f"--calib={cache}", shapes, *kShort)
    cache.write_text("")
    failWith(f"--calib={cache}: it is empty; expected a calibration cache, or no such file", model, "--int8",
             f"--calib={cache}", shapes, *kShort)
    assert "--calib has no effect without --int8" in succeed(model, f"--calib={cache}", shapes, *kShort).err


@test
def whatLayersSayOfIntegersStays(folder):
    """No ranges are made up if there are Q/DQ layers, so all types give the specified result."""
    model, out = folder / "m.onnx", folder / "out.json"
    for make, shape in ((models.makeQuantized, (1, 16, 8, 8)), (models.makeDynamicallyQuantized, (4, 16))):
        make(model)
        x = np.random.default_rng(4).standard_normal(shape).astype(np.float32)
        x.tofile(folder / "x.bin")
        wanted = models.expected(model, x=x)["y"]
        for flags in ([], ["--int8"], ["--int8", "--fp16"], ["--best"]):
            done = succeed(f"--onnx={model}", f"--loadInputs=x:{folder}/x.bin", f"--exportOutput={out}", *flags, *kShort)
            assert "int8 without calibration" not in done.err and "kINT8 has no effect" not in done.err, done
            error = np.sqrt(np.mean((readOutputs(out)["y"] - wanted)**2) / np.mean(wanted**2))
            assert error < (1e-2 if "--best" in flags else 2e-3), (make.__name__, flags, error)


def askedOf(model, *flags):
    """The types that a build sets on layers: lines of the log."""
    done = succeed(f"--onnx={model}", *flags, "--verbose", *kShort)
    assert not re.search(kHead.replace("VIWE", "E"), done.err, re.M), done
    return done.log


@test
def namesOfLayersGoBeforePatterns(folder):
    models.makeConv(folder / "m.onnx")
    flags = ["--fp16", "--precisionConstraints=prefer"]
    for spec in ("relu:fp32,*:fp16", "*:fp16,relu:fp32", "r*:bf16,*:fp16,relu:fp32"):
        log = askedOf(folder / "m.onnx", *flags, f"--layerPrecisions={spec}", f"--layerOutputTypes={spec}")
        assert "Set layer relu to precision fp32" in log and "Set output 0 of layer relu to type fp32" in log, log
        assert "Set layer conv to precision fp16" in log and "Set output 0 of layer conv to type fp16" in log, log
    log = askedOf(folder / "m.onnx", *flags, "--layerPrecisions=*:fp32,so*:fp16") # of several matching patterns, the last
    assert "Set layer softmax to precision fp16" in log and "Set layer relu to precision fp32" in log, log


@test
def patternsPassOverIntegersAndShapes(folder):
    model, out = folder / "m.onnx", folder / "out.json"
    for kind in ("gather", "pad", "slice", "shape"):
        models.makeMoved(model, kind)
        shape = [2 if extent == "n" else extent for extent in {"gather": [2, 5]}.get(kind, [1, 2, 4, 4])]
        x = np.random.default_rng(4).standard_normal(shape).astype(np.float32)
        x.tofile(folder / "x.bin")
        wanted = models.expected(model, x=x)
        for type, tolerance in (("fp16", 2e-3), ("int8", 4 / 127)):  # a step of the range -4 to 4
            for flag in ("--layerPrecisions", "--layerOutputTypes"):
                # layers that move or sort floating point values do not run in int8
                spec = f"*:{type},move*:fp32,top:fp32" + ("+int32" if flag == "--layerOutputTypes" else "")
                log = askedOf(model, f"--{type}", "--precisionConstraints=obey", f"{flag}={spec}",
                              f"--loadInputs=x:{folder}/x.bin", f"--exportOutput={out}")
                assert f"relu to {'precision' if 'Prec' in flag else 'type'} {type}" in log, log
                assert re.search(r"Skipped setting \d+ types, of integers and shapes", log), log
                expectClose(readOutputs(out), wanted, tolerance)


@test
def stronglyTypedModelsAreAskedForNoTypes(folder):
    models.makeConv(folder / "m.onnx")
    done = succeed(f"--onnx={folder}/m.onnx", "--stronglyTyped", "--layerPrecisions=*:fp16",
                   "--precisionConstraints=obey", *kShort)
    assert "--layerPrecisions has no effect: with --stronglyTyped the model specifies the types" in done.err, done
    assert not re.search(kHead.replace("VIWE", "E"), done.err, re.M), done


@test
def calibrationWithoutACacheTakesRandomInputs(folder):
    models.makeConv(folder / "m.onnx")
    model, cache = f"--onnx={folder}/m.onnx", folder / "cache"
    shapes = ("--minShapes=x:1x3x16x16", "--optShapes=x:2x3x16x16", "--maxShapes=x:4x3x16x16")
    for flags in ([], ["--optShapesCalib=x:3x3x16x16"], ["--calibProfile=0"]):
        done = succeed(model, "--int8", f"--calib={cache}", *shapes, *flags, *kShort)
        assert "there is no such file; calibrating with random inputs" in done.err, done
        assert re.search(r"Calibrated \d+ tensors with 1 batches", done.log), done
        assert not cache.exists()
    failWith("--calibProfile=1: expected a profile of the build, which has 1", model, "--int8", f"--calib={cache}", *shapes,
             "--calibProfile=1", *kShort)
