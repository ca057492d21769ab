#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes src/layers/resize/resize_cases.jsonl: outputs of ONNX Runtime for each resize mode. make_resize_cases.py

One case per line: the extents of X (element i is (37 i mod 101) / 16), the fields of the layer, the roi, and Y.
"""
import json
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

kModes = {"nearest": "Nearest", "linear": "Linear", "cubic": "Cubic"}
kCoordinates = {"align_corners": "AlignCorners", "asymmetric": "Asymmetric", "half_pixel": "HalfPixel",
                "pytorch_half_pixel": "PytorchHalfPixel", "half_pixel_symmetric": "HalfPixelSymmetric",
                "tf_crop_and_resize": "TfCropAndResize"}
kRoundings = {"round_prefer_floor": "HalfDown", "round_prefer_ceil": "HalfUp", "floor": "Floor", "ceil": "Ceil"}
kPolicies = {"stretch": "Stretch", "not_larger": "NotLarger", "not_smaller": "NotSmaller"}


def inputOf(shape):
    return ((np.arange(np.prod(shape)) * 37 % 101) / 16).astype(np.float32).reshape(shape)


def runtime(shape, lists, attributes):
    """The output of ONNX Runtime; lists: roi, scales, sizes."""
    names, initializers = ["x"], []
    for name, kind in (("roi", TensorProto.FLOAT), ("scales", TensorProto.FLOAT), ("sizes", TensorProto.INT64)):
        names.append(name if name in lists else "")
        if name in lists:
            initializers.append(helper.make_tensor(name, kind, [len(lists[name])], lists[name]))
    while not names[-1]:
        names.pop()
    graph = helper.make_graph([helper.make_node("Resize", names, ["y"], **attributes)], "resize",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": inputOf(shape)})[0]


def case(shape, roi=None, scales=None, sizes=None, **attributes):
    lists = {name: value for name, value in (("roi", roi), ("scales", scales), ("sizes", sizes)) if value}
    y = runtime(shape, lists, attributes)
    fields = {"mode": kModes[attributes["mode"]],
              "coordinates": kCoordinates[attributes.get("coordinate_transformation_mode", "half_pixel")],
              "rounding": kRoundings[attributes.get("nearest_mode", "round_prefer_floor")],
              "aspect_ratio": kPolicies[attributes.get("keep_aspect_ratio_policy", "stretch")],
              "cubic_coeff": attributes.get("cubic_coeff_a", -0.75),
              "exclude_outside": bool(attributes.get("exclude_outside", 0)),
              "antialias": bool(attributes.get("antialias", 0)),
              "extrapolation": attributes.get("extrapolation_value", 0.0),
              "axes": attributes.get("axes", [])}
    if scales:
        fields["scales"] = [float(np.float32(scale)) for scale in scales]
    if sizes:
        fields["sizes"] = sizes
    return {"x": shape, "fields": fields, "roi": roi or [], "y": list(y.shape),
            "elements": [float(f"{element:.7g}") for element in y.ravel()]}


def cases():
    small = [1, 2, 3, 4]
    for mode in kModes:
        for transformation in list(kCoordinates)[:5]:
            yield case(small, sizes=[1, 2, 5, 7], mode=mode, coordinate_transformation_mode=transformation)
            yield case(small, scales=[1, 1, .7, .6], mode=mode, coordinate_transformation_mode=transformation)
        yield case([2, 19, 2, 3], scales=[1, 1, 2, 2], mode=mode, coordinate_transformation_mode="asymmetric",
                   nearest_mode="floor")
        yield case([1, 1, 3, 4], sizes=[1, 1, 1, 1], mode=mode, coordinate_transformation_mode="pytorch_half_pixel")
    for rounding in kRoundings:
        yield case(small, scales=[1, 1, 2, .5], mode="nearest", coordinate_transformation_mode="asymmetric",
                   nearest_mode=rounding)
    yield case(small, sizes=[1, 2, 5, 7], mode="cubic", exclude_outside=1, cubic_coeff_a=-.5)
    for mode in ("linear", "cubic"):
        for outside in (0, 1):
            yield case([1, 1, 7, 9], sizes=[1, 1, 3, 4], mode=mode, antialias=1, exclude_outside=outside)
        yield case([1, 1, 3, 4], sizes=[1, 1, 5, 6], mode=mode, antialias=1)
    for mode in ("nearest", "linear"):
        yield case([1, 1, 4, 4], sizes=[1, 1, 3, 3], roi=[0, 0, .4, .6, 1, 1, 1.2, 1.7], mode=mode,
                   coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=10.)
    yield case([2, 3, 5], sizes=[2, 3, 8], mode="linear")
    yield case([2, 3, 5], sizes=[2, 5, 5], mode="nearest")
    yield case([1, 1, 2, 3, 2], sizes=[1, 1, 3, 4, 3], mode="linear")
    for policy in ("not_larger", "not_smaller"):
        yield case([1, 1, 3, 5], sizes=[7, 8], axes=[2, 3], keep_aspect_ratio_policy=policy, mode="nearest")


if __name__ == "__main__":
    target = Path(__file__).resolve().parent.parent / "src/layers/resize/resize_cases.jsonl"
    target.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in cases()))
