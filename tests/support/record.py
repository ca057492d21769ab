# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Expected values from ONNX Runtime for the layer tests, for the scripts record_*.py beside them.

record(file, cases) runs each case (name, op, inputs, attributes) as a model of one node and writes the line
`name [dims] values` that tests/support/recorded.h reads. Numbers are short: tests compare to 1e-5.
"""
import numpy as np
import onnx
import onnxruntime
from onnx import helper


def spread(dims, low, high):
    """`spread` of tests/support/layer_case.h: the same numbers."""
    count = int(np.prod(dims))
    values = np.empty(count, np.float32)
    state = 12345
    for i in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        values[i] = np.float32(low) + np.float32(high - low) * np.float32(state >> 8) / np.float32(16777216)
    return values.reshape(dims)


def run(op, inputs, attributes, opset=22, outputs=1):
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, names, results, **attributes)
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
             for n, x in zip(names, inputs) if n]
    graph = helper.make_graph([node], "g", infos, [onnx.ValueInfoProto(name=y) for y in results])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {n: x for n, x in zip(names, inputs) if n})


def record(file, cases, opset=22):
    with open(file, "w") as out:
        for name, op, inputs, attributes in cases:
            y = run(op, inputs, attributes, opset)[0]
            values = " ".join(f"{v:.7g}" for v in y.flatten())
            print(name, "[" + ",".join(map(str, y.shape)) + "]", values, file=out)
