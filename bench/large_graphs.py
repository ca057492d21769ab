#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Models of many small nodes, for build times by the number of nodes and edges: large_graphs.py FOLDER [NODES]

Writes one model for each topology, of NODES nodes (10000 by default). Needs onnx.
"""
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, constants=()):
    values = [numpy_helper.from_array(array, name) for name, array in constants]
    graph = helper.make_graph(nodes, "g", inputs, outputs, values)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def branches(n):
    """Split, n branches, Concat."""
    parts = [f"p{i}" for i in range(n)]
    nodes = [node("Split", ["x"], parts, axis=0, num_outputs=n)]
    nodes += [node("Tanh", [part], [f"t{i}"]) for i, part in enumerate(parts)]
    return model(nodes + [node("Concat", [f"t{i}" for i in range(n)], ["y"], axis=0)], [value("x", [n, 2])],
                 [value("y", [n, 2])])


def wide(n):
    """One tensor with n readers, and a Concat of all."""
    nodes = [node("Softmax", ["x"], [f"t{i}"], axis=1) for i in range(n)]
    return model(nodes + [node("Concat", [f"t{i}" for i in range(n)], ["y"], axis=0)], [value("x", [1, 2])],
                 [value("y", [n, 2])])


def images(n):
    """The same with convolutions, whose kernels support several formats."""
    nodes = [node("Conv", ["x", "w"], [f"t{i}"], kernel_shape=[1, 1]) for i in range(n)]
    return model(nodes + [node("Concat", [f"t{i}" for i in range(n)], ["y"], axis=0)], [value("x", [1, 8, 2, 2])],
                 [value("y", [n, 8, 2, 2])], [("w", np.ones((8, 8, 1, 1), np.float32))])


def chain(n, op="Softmax"):
    nodes = [node(op, ["x" if i == 0 else f"t{i - 1}"], ["y" if i == n - 1 else f"t{i}"]) for i in range(n)]
    return model(nodes, [value("x", [2, 3])], [value("y", [2, 3])])


def pointwise(n):
    """Alternating Tanh and Mul, which are fused."""
    nodes = []
    for i in range(n):
        before, after = "x" if i == 0 else f"t{i - 1}", "y" if i == n - 1 else f"t{i}"
        nodes.append(node("Tanh", [before], [after]) if i % 2 else node("Mul", [before, "c"], [after]))
    return model(nodes, [value("x", ["n", 3])], [value("y", ["n", 3])], [("c", np.full((3,), 1.5, np.float32))])


def identities(n):
    return chain(n, "Identity")


def outputs(n):
    """n nodes that read one tensor; each is an output."""
    return model([node("Softmax", ["x"], [f"y{i}"]) for i in range(n)], [value("x", [2, 3])],
                 [value(f"y{i}", [2, 3]) for i in range(n)])


def inputs(n):
    """A Concat of n inputs."""
    return model([node("Concat", [f"x{i}" for i in range(n)], ["y"], axis=0)],
                 [value(f"x{i}", [1, 2]) for i in range(n)], [value("y", [n, 2])])


def constants(n):
    """Sums with constants of their own, which are computed when the engine is built."""
    arrays = [(f"c{i}", np.full((2,), i, np.float32)) for i in range(n)]
    nodes = [node("Add", ["c0" if i == 1 else f"s{i - 1}", f"c{i}"], [f"s{i}"]) for i in range(1, n)]
    return model(nodes + [node("Add", ["x", f"s{n - 1}"], ["y"])], [value("x", [2])], [value("y", [2])], arrays)


def shapes(n):
    """Reshapes to shapes computed from the shape of the input, which is dynamic."""
    nodes = []
    for i in range(n // 4):
        x, y = "x" if i == 0 else f"r{i - 1}", "y" if i == n // 4 - 1 else f"r{i}"
        nodes += [node("Shape", [x], [f"s{i}"]), node("Gather", [f"s{i}", "zero"], [f"g{i}"]),
                  node("Concat", [f"g{i}", "three"], [f"n{i}"], axis=0), node("Reshape", [x, f"n{i}"], [y])]
        nodes.append(nodes.pop())
    return model(nodes, [value("x", ["n", 3])], [value("y", ["n", 3])],
                 [("zero", np.array([0])), ("three", np.array([3]))])


def recurrent(n):
    """A Scan of n trips, unrolled to n copies of its body."""
    body = helper.make_graph([node("Add", ["s", "e"], ["a"]), node("Tanh", ["a"], ["t"]), node("Identity", ["t"], ["o"])],
                             "b", [value("s", [1, 2]), value("e", [1, 2])], [value("t", [1, 2]), value("o", [1, 2])])
    trips = max(n // 3, 1)
    return model([helper.make_node("Scan", ["s0", "x"], ["last", "y"], body=body, num_scan_inputs=1)],
                 [value("s0", [1, 2]), value("x", [trips, 1, 2])], [value("last", [1, 2]), value("y", [trips, 1, 2])])


def loop(n):
    """A Loop whose body has n nodes."""
    nodes = [node("Softmax", ["v" if i == 0 else f"t{i - 1}"], ["w" if i == n - 1 else f"t{i}"]) for i in range(n)]
    nodes.append(node("Identity", ["go"], ["on"]))
    body = helper.make_graph(nodes, "b", [value("i", [], TensorProto.INT64), value("go", [], TensorProto.BOOL),
                                          value("v", [2, 3])], [value("on", [], TensorProto.BOOL), value("w", [2, 3])])
    return model([helper.make_node("Loop", ["m", "", "x"], ["y"], body=body)],
                 [value("m", [], TensorProto.INT64), value("x", [2, 3])], [value("y", [2, 3])])


SHAPES = [branches, wide, images, chain, pointwise, identities, outputs, inputs, constants, shapes, recurrent, loop]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 10_000
    folder.mkdir(parents=True, exist_ok=True)
    for make in SHAPES:
        onnx.save(make(count), folder / f"{make.__name__}_{count}.onnx")


if __name__ == "__main__":
    main()
