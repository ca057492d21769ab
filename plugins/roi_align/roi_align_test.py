# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of ROIAlign_TRT, by ONNX Runtime's RoiAlign."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import onnxNode

kModes = {0: "max", 1: "avg"}
kTransformations = {0: "output_half_pixel", 1: "half_pixel"}


def case(name, attributes, inputs, outputs=None, **options):
    if outputs is None:
        known = {key: value for key, value in attributes.items() if key in
                 ("output_height", "output_width", "sampling_ratio", "spatial_scale")}
        outputs = onnxNode("RoiAlign", [inputs[0].astype(np.float32), inputs[1].astype(np.float32), inputs[2].astype(np.int64)],
                           mode=kModes[attributes.get("mode", 1)], **known,
                           coordinate_transformation_mode=kTransformations[
                               attributes.get("coordinate_transformation_mode", 1)]).astype(inputs[0].dtype)
    return Case(name, "ROIAlign_TRT", {"plugin_version": "1", **attributes},
                dict(zip(["X", "rois", "batch_indices"], inputs)), {"Y": outputs}, **options)


def cases():
    random = np.random.default_rng(4)
    x = random.normal(0, 1, (2, 3, 12, 15)).astype(np.float32)
    low = random.uniform(-5, 20, (6, 2))
    rois = np.concatenate([low, low + random.uniform(0.2, 15, (6, 2))], -1).astype(np.float32)
    inputs = [x, rois, np.array([0, 1, 1, 0, 1, 0], np.int32)]
    size = {"output_height": 3, "output_width": 4}
    for version in "12":
        yield case(f"version {version}, open sizes", {**size, "plugin_version": version, "spatial_scale": 0.5}, inputs,
                   open=(0,))
    yield case("defaults", {}, inputs)
    yield case("two samples a bin, no shift", {**size, "sampling_ratio": 2, "coordinate_transformation_mode": 0}, inputs)
    yield case("the largest weighted neighbour", {**size, "sampling_ratio": 2, "mode": 0, "spatial_scale": 0.7}, inputs)
    none = [x, rois[:0], inputs[2][:0]]
    yield case("no regions", size, none, np.zeros((0, 3, 3, 4), np.float32))
    yield case("no images and no regions", size, [x[:0], *none[1:]], np.zeros((0, 3, 3, 4), np.float32))
    yield case("no channels", size, [x[:, :0], *inputs[1:]], np.zeros((6, 0, 3, 4), np.float32))
    yield case("images without positions are all 0", size, [x[:, :, :0], *inputs[1:]], np.zeros((6, 3, 3, 4), np.float32))
    atZero = [np.zeros((6, 4), np.float32), inputs[2]] # positions from -1 to 0, the only ones within an extent of 0
    for text, empty in {"rows": x[:, :, :0], "columns": x[:, :, :, :0]}.items():
        for mode in kModes:
            yield case(f"images without {text} have no neighbours, mode {mode}",
                       {**size, "sampling_ratio": 2, "mode": mode}, [empty, *atZero], np.zeros((6, 3, 3, 4), np.float32))
    for name, dtype, options in shortTypes(2e-3):
        yield case(name, size, [x.astype(dtype), rois.astype(dtype), inputs[2]], **options)
    yield case("one image", size, [x[:1], rois[:3], inputs[2][:3] * 0])
    yield case("three images, one region", size, [np.concatenate([x, x[:1]]), rois[:1], inputs[2][:1] + 2])
    yield case("NaN in an image", {**size, "sampling_ratio": 2}, [withNan(x, np.index_exp[:, 2, 1::3, 1::4]), *inputs[1:]])
    y = case("", size, inputs).outputs["Y"]
    for text, attributes in {"output_height and output_width have to be 1 or more": {"output_height": 0},
                             "sampling_ratio has to be 0 to 4096": {"sampling_ratio": -1},
                             "spatial_scale has to be above 0": {"spatial_scale": 0.0},
                             "mode has to be 0, maximum, or 1, average": {"mode": 2}}.items():
        yield case("refused: " + text, {**size, **attributes}, inputs, y, refusal="ROIAlign_TRT: " + text)
    yield case("refused: an image that is not there", size, [x, rois, np.array([0, 1, 2, 0, 1, 0], np.int32)], y,
               runRefusal="region 2 is of batch item 2; X has 2", seenByCpuOnly=True)
