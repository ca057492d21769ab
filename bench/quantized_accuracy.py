#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""How much trained networks lose by quantization: quantized_accuracy.py BUILD [--calibrate] [MODEL...]

Fetches trained models and photographs from Python packages, quantizes the models with ONNX Runtime's own tool (ranges from
half of the inputs), and runs the other half in Tenon and in ONNX Runtime. Prints a table: the difference from float32 (relative,
L2 norm), and how often the answer is the one of float32. With --calibrate Tenon's builder calibrates the models itself, by each
of its algorithms. Needs what tools/exports/requirements.txt lists.
"""
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

from quantize import quantize

kRoot = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(kRoot / "tools"))
from exports.compare import arrays, call, rangeFlags, reason  # noqa: found by the path above

kCache = Path.home() / ".cache/tenon/trained"
kPhotographs = "scikit-image==0.26.0"


def package(requirement):
    """The folder of an unpacked wheel."""
    folder = kCache / requirement
    if not folder.exists():
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--dest", scratch,
                            requirement], check=True)
            zipfile.ZipFile(next(Path(scratch).glob("*.whl"))).extractall(folder)
    return folder


def photographs(size):
    """Of each photograph the whole and two of its quarters; numbers from 0 to 1, [height, width, RGB]."""
    for path in sorted(package(kPhotographs).glob("skimage/data/*.[pj][np]g")):
        picture = Image.open(path).convert("RGB")
        w, h = picture.size
        for box in ((0, 0, w, h), (0, 0, w // 2, h // 2), (w // 2, h // 2, w, h)) if min(w, h) >= 200 else ():
            yield numpy.asarray(picture.crop(box).resize((size, size)), numpy.float32) / 255


def lines(width, height):
    """Lines of text, dark on light or light on dark."""
    words = (kRoot / "docs/design.md").read_text().replace("`", "").replace("*", "").split()
    for i in range(40, 360, 8):
        ink, paper = ((20, 30, 40), (250, 245, 235)) if i % 3 else ((240, 240, 250), (40, 60, 90))
        picture = Image.new("RGB", (width, height), paper)
        ImageDraw.Draw(picture).text((6, height // 8), " ".join(words[i:i + 3]), fill=ink, font=ImageFont.load_default(height * 5 // 8))
        yield numpy.asarray(picture, numpy.float32) / 255


def photographsWithText(size):
    for picture, line in zip(photographs(size), lines(size - 80, 32)):
        picture = picture.copy()
        for y in range(40, size - 40, 80):
            picture[y:y + 32, 40:-40] = line
        yield picture


def everySecondTurned(pictures):
    return (picture[::-1, ::-1] if i % 2 else picture for i, picture in enumerate(pictures))


def planes(pictures, mean=0.5, deviation=0.5):
    """As networks read them: [1, 3, height, width]"""
    return [((picture - mean) / deviation).transpose(2, 0, 1)[None].astype(numpy.float32) for picture in pictures]


def grey(pictures):
    return [picture.mean(axis=2)[None, None].astype(numpy.float32) for picture in pictures]


def largest(output):
    return output.argmax(axis=-1)


@dataclass
class Model:
    name: str
    requirement: str
    path: str
    input: str
    inputs: Callable  # an iterable of arrays of one shape
    answer: Callable = largest  # of the first output: numbers that have to be equal, or a mask


kOcr = "rapidocr-onnxruntime==1.4.4"
kOcrModels = "rapidocr_onnxruntime/models/"
kImageNet = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])
kModels = [
    Model("PP-OCRv4: where is text", kOcr, kOcrModels + "ch_PP-OCRv4_det_infer.onnx", "x",
          lambda: planes(photographsWithText(480), *kImageNet), lambda output: output > 0.3),
    Model("PP-OCRv4: read a line", kOcr, kOcrModels + "ch_PP-OCRv4_rec_infer.onnx", "x", lambda: planes(lines(320, 48))),
    Model("PP-OCR: upside down?", kOcr, kOcrModels + "ch_ppocr_mobile_v2.0_cls_infer.onnx", "x",
          lambda: planes(everySecondTurned(lines(192, 48)))),
    Model("ddddocr: read a line", "ddddocr==1.6.1", "ddddocr/common.onnx", "input1", lambda: grey(lines(256, 64))),
]


kAlgorithms = ["entropy2", "entropy", "minmax"]


def tenon(build, *words):
    status, text, _ = call(build, words, 600)
    if status != 0:
        sys.exit(f"quantized_accuracy: {' '.join(words)}: {reason(text)}")


def runEngine(build, folder, feeds):
    """The first output for each feed."""
    outputs = []
    for feed in feeds:
        numpy.savez(f"{folder}/in.npz", **feed)
        tenon(build, "tenon", "run", f"{folder}/plan", "--inputs", f"{folder}/in.npz", "--save", f"{folder}/out.npz")
        outputs.append(next(iter(arrays(f"{folder}/out.npz").values())))
    return outputs


def runTenon(build, model, feeds):
    with tempfile.TemporaryDirectory() as folder:
        tenon(build, "trtexec", f"--onnx={model}", *rangeFlags(feeds[:1]), "--skipInference", f"--saveEngine={folder}/plan")
        return runEngine(build, folder, feeds)


def runCalibrated(build, model, samples, feeds, algorithm):
    with tempfile.TemporaryDirectory() as folder:
        arrays = [next(iter(sample.values())) for sample in samples]
        numpy.concatenate(arrays).tofile(f"{folder}/samples")
        tenon(build, "bench_calibrate", model, "x".join(map(str, arrays[0].shape)), f"{folder}/samples", f"{folder}/plan", algorithm)
        return runEngine(build, folder, feeds)


def runOnnxRuntime(model, feeds):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return [session.run(None, feed)[0] for feed in feeds]


def difference(found, expected):
    found, expected = numpy.stack(found), numpy.stack(expected)
    return numpy.linalg.norm(found - expected) / numpy.linalg.norm(expected)


def agreement(answer, found, expected):
    """The share of equal answers; of masks, intersection over union."""
    found, expected = answer(numpy.stack(found)), answer(numpy.stack(expected))
    if expected.dtype == bool:
        return (found & expected).sum() / (found | expected).sum()
    return (found == expected).mean()


def cellsOf(model, found, expected):
    return [f"{difference(found, expected):.3f}", f"{100 * agreement(model.answer, found, expected):.1f} %"]


def calibratedRows(build, model):
    path = package(model.requirement) / model.path
    feeds = [{model.input: array} for array in model.inputs()]
    expected = runOnnxRuntime(path, feeds[1::2])
    cells = [model.name, str(len(expected))]
    for algorithm in kAlgorithms:
        cells += cellsOf(model, runCalibrated(build, path, feeds[::2], feeds[1::2], algorithm), expected)
    yield cells


def rows(build, model):
    path = package(model.requirement) / model.path
    feeds = [{model.input: array} for array in model.inputs()]
    calibration, evaluation = feeds[::2], feeds[1::2]
    expected = runOnnxRuntime(path, evaluation)
    with tempfile.TemporaryDirectory() as folder:
        for signed in (True, False):
            quantized = f"{folder}/quantized.onnx"
            quantize(path, quantized, calibration, signed)
            cells = [model.name, str(len(evaluation)), "int8" if signed else "uint8 with zero points"]
            for found in (runTenon(build, quantized, evaluation), runOnnxRuntime(quantized, evaluation)):
                cells += cellsOf(model, found, expected)
            yield cells


def main(build, *names):
    calibrates = "--calibrate" in names
    names = [name for name in names if name != "--calibrate"]
    columns = ["model", "inputs"]
    if calibrates:
        columns += [column for algorithm in kAlgorithms for column in (f"{algorithm}: difference", "same answers")]
    else:
        columns += ["activations", "Tenon: difference", "same answers", "ONNX Runtime: difference", "same answers"]
    print(f"| {' | '.join(columns)} |\n" + "|---" * len(columns) + "|")
    for model in kModels:
        if not names or any(name in model.name for name in names):
            for cells in (calibratedRows if calibrates else rows)(Path(build), model):
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
