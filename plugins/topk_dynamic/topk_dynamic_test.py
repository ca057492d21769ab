# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of TopKDynamic, by numpy's stable sort."""
import numpy as np
from case import Case, shortTypes
from onnx import helper


def case(name, x, k, largest=1, axis=-1, fields=None, **options):
    wide = x.astype(np.float64)
    order = np.argsort(-wide if largest else wide, axis, kind="stable")
    places = np.take(order, np.arange(max(0, min(k, x.shape[axis]))), axis).astype(np.int32)
    attributes = {"axis": axis, "largest": largest, "tensorrt_plugin_shape_input_indices": [1], **(fields or {})}
    return Case(name, "TopKDynamic", {name: value for name, value in attributes.items() if value is not None},
                {"x": x, "k": np.array([k])}, {"values": np.take_along_axis(x, places.astype(np.int64), axis),
                                               "indices": places}, **options)


def cases():
    x = np.random.default_rng(1).normal(0, 1, (2, 6, 9)).astype(np.float32)
    yield case("the greatest", x, 3)
    yield case("the least, open sizes", x, 3, 0, open={"x": (0, 1), "values": (0, 1, 2), "indices": (0, 1, 2)})
    yield case("one of an axis of open size", x, 1, axis=1, open={"x": (1, ), "values": (1, ), "indices": (1, )})
    yield case("all of the first axis", x, 2, axis=0)
    yield case("none", x, 0)
    yield case("of equal ones the first", np.zeros((2, 8), np.float32), 5)
    yield case("many of many", np.random.default_rng(2).permutation(9000).astype(np.float32).reshape(1, 9000), 5000)
    for name, dtype, options in shortTypes():
        yield case(name, x.astype(dtype), 3, **options)
    yield case("one row", x[:1, :1], 2)
    yield case("integers", np.random.default_rng(3).permutation(40).astype(np.int32).reshape(4, 10), 3)
    yield case("no rows", x[:, :0], 3)
    nan = np.array([1, np.nan, 2], np.float32)
    of_nan = case("NaN is the greatest", nan, 2)
    of_nan.outputs = {"values": nan[[1, 2]], "indices": np.array([1, 2], np.int32)}
    yield of_nan
    for text, fields in {
            "largest has to be 0 or 1; found 2": {"largest": 2},
            "sorted has to be 0 or 1; found -1": {"sorted": -1},
            "axis is 3; X has 3 axes": {"axis": 3},
            "axis is -4; X has 3 axes": {"axis": -4},
            "has 0 shape inputs; expected 1: K; they are given to addPluginV3(), and in ONNX the attribute "
            "tensorrt_plugin_shape_input_indices names them": {"tensorrt_plugin_shape_input_indices": None}}.items():
        yield case("refused: " + text, x, 3, fields=fields, refusal="TopKDynamic: " + text)
    two = case("refused: two numbers", x, 3, refusal="TopKDynamic: K has 2 elements; expected 1")
    two.inputs["k"] = np.array([3, 3])
    yield two
    constants = {3: "", 10: "", -1: "TopKDynamic: K is -1; expected 0 or more"}
    for k, refusal in constants.items():
        made = case(f"{'refused: ' if refusal else ''}a constant, {k}", x, k, refusal=refusal)
        made.nodes = [helper.make_node("Constant", [], ["k"], value_ints=[k]),
                      helper.make_node("TopKDynamic", ["x", "k"], ["values", "indices"], tensorrt_plugin_shape_input_indices=[1])]
        del made.inputs["k"]
        yield made
    yield case("all, where K is more", x, 10)
