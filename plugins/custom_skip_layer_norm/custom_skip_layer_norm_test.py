# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CustomSkipLayerNormPluginDynamic, by the formula in double precision."""
import numpy as np
from case import Case, quantized, shortTypes, withNan

kName = "CustomSkipLayerNormPluginDynamic"


def expected(x, skip, gamma, beta, bias, axis):
    shape = [1] * x.ndim
    shape[axis] = -1
    gamma, beta, bias = (np.reshape(values, shape) for values in (gamma, beta, bias))
    total = x.astype(np.float64) + skip + bias
    centred = total - total.mean(axis, keepdims=True)
    y = centred / np.sqrt(total.var(axis, keepdims=True) + np.finfo(np.float32).eps) * gamma + beta
    return y.astype(x.dtype), total.astype(x.dtype)


def case(name, version, x, skip, axis, attributes, **options):
    with_bias = attributes.get("bias", [0.0])
    y, total = expected(x, skip, attributes["gamma"], attributes["beta"], with_bias, axis)
    outputs = {"y": y, "sum": total} if version in "48" else {"y": y}
    return Case(f"version {version}, {name}", kName, {"plugin_version": version, **attributes},
                {"input": x, "skip": skip}, outputs, **options)


def int8(name, version, x, skip, axis, attributes, **options):
    """INT8 tensors. Scales of the inputs are coarse, so that their rounding error exceeds a step of the output."""
    scales = {"input": 0.25, "skip": 0.3, "y": 0.02, "sum": 0.25}
    made = case(name, version, quantized(x, 0.25), quantized(skip, 0.3), axis, attributes, **options)
    made.inputs = {"input": x, "skip": skip}
    made.outputs = {tensor: quantized(values, scales[tensor]) for tensor, values in made.outputs.items()}
    made.scales = {tensor: scales[tensor] for tensor in (*made.inputs, *made.outputs)}
    made.tolerance = 0.25 if "sum" in made.outputs else 0.02
    return made


def refused(name, version, x, skip, attributes, text, **options):
    return Case(f"refused: {name}", kName, {"plugin_version": version, **attributes}, {"input": x, "skip": skip}, {"y": x},
                refusal=text if "int8" in text else f"{kName}: {text}", **options)


def refusals(x, skip, weights):
    attributes = {"type_id": 0, **weights}
    yield refused("type_id", "2", x, skip, weights, "type_id has to be given, 0 (FLOAT), 1 (HALF) or 2 (INT8)")
    yield refused("gamma", "6", x, skip, {"type_id": 0}, "gamma has to be given")
    yield refused("beta", "2", x, skip, {**attributes, "beta": [1.0]},
                  "beta has 1 numbers, gamma has 8; their lengths must be equal")
    yield refused("bias", "2", x, skip, {**attributes, "bias": [1.0, 2.0]},
                  "bias has 2 numbers, gamma has 8; their lengths must be equal")
    yield refused("ld", "5", x, skip, {**attributes, "ld": 7}, "ld is 7; expected the length of gamma, 8")
    yield refused("elements", "1", x[:, :, :7], skip[:, :, :7], {**attributes, "ld": 8},
                  "the input has 7 elements to normalize, gamma has 8")
    eight = x.astype(np.int8)
    yield refused("INT8 without a scale", "6", eight, eight, {**attributes, "type_id": 2},
                  "input 'input' (input) is int8 [5,3,8,1,1], and its scale is not known; expected a quantize layer that "
                  "produces it; insert one, or a dequantize layer, before the plugin", flags=["--stronglyTyped"])
    unread = refused("INT8 without a scale", "2", x, skip, {**attributes, "type_id": 2},
                     "output 'output' (y) is int8 [5,3,8,1,1], and its scale is not known; expected a dequantize layer that "
                     "reads it, or several with one scale; insert one after the plugin, or use floating-point inputs")
    unread.scales = {"input": 0.25, "skip": 0.3}
    unread.outputs = {"y": eight}
    yield unread


def cases():
    random = np.random.default_rng(14)
    x, skip = (random.normal(1, 2, (5, 3, 8, 1, 1)).astype(np.float32) for _ in range(2))
    gamma, beta, bias = (random.normal(0, 1, 8).astype(np.float32) for _ in range(3))
    weights = {"gamma": gamma, "beta": beta}
    for version in "15":
        fields = {"type_id": 0, "ld": 8, **weights}
        yield case("open sequence and batch", version, x, skip, 2, fields, open=(0, 1))
        yield case("a bias, one sample", version, x[:, :1], skip[:, :1], 2, {**fields, "bias": bias})
        yield case("no sequence", version, x[:0], skip[:0], 2, fields)
        for name, dtype, options in shortTypes(6e-3):
            for type_id in (1, 2):
                yield case(f"{name}, type_id {type_id}", version, x.astype(dtype), skip.astype(dtype), 2,
                           {**fields, "type_id": type_id, "bias": bias}, **options)
        yield case("NaN", version, x, withNan(skip, (3, 2, 5)), 2, fields)
        yield case("the types of the network", version, x, skip, 2, {**fields, "type_id": 2})
        yield case("computed in half precision", version, x, skip, 2, {**fields, "type_id": 1}, tolerance=6e-3)
        yield int8("INT8", version, x, skip, 2, {**fields, "type_id": 2, "bias": bias}, open=(0, 1))
    rows = x[:, :, :, 0].reshape(15, 8, 1, 1), skip[:, :, :, 0].reshape(15, 8, 1, 1)
    for version in "26":
        fields = {"type_id": 0, **weights}
        yield case("concatenated sequences", version, *rows, 1, fields, open=(0, ))
        yield case("a batch and a bias", version, x, skip, 2, {**fields, "bias": bias}, open=(0, 1))
        yield case("no sequence", version, *(array[:0] for array in rows), 1, fields)
        for name, dtype, options in shortTypes(6e-3):
            yield case(name, version, *(array.astype(dtype) for array in rows), 1, {**fields, "type_id": 2}, **options)
        yield case("NaN", version, rows[0], withNan(rows[1], (3, 5)), 1, fields)
        yield int8("INT8", version, *rows, 1, {**fields, "type_id": 2}, open=(0, ))
        yield case("a constant becomes beta", version, rows[0] * 0 + 1000, rows[1] * 0, 1, fields)
    columns = [np.ascontiguousarray(np.transpose(array, (2, 1, 0, 3))) for array in rows]
    for version in "3478":
        yield case("sequences side by side", version, *columns, 1, weights, open=(2, ))
        yield case("no sequence", version, *(array[:, :, :0] for array in columns), 1, weights)
        for name, dtype, options in shortTypes(6e-3):
            yield case(name, version, *(array.astype(dtype) for array in columns), 1, weights, **options)
        yield case("NaN", version, columns[0], withNan(columns[1], (0, 5, 7)), 1, weights)
        yield int8("INT8", version, *columns, 1, weights, open=(2, ))
    yield from refusals(x, skip, weights)
