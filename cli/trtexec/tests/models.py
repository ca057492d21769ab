# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Small models, and their values by numpy and ONNX Runtime."""
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def save(path, nodes, inputs, outputs, initializers=()):
    """inputs, outputs: (name, type, shape) each."""
    infos = [[helper.make_tensor_value_info(*info) for info in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "g", *infos, [numpy_helper.from_array(v, k) for k, v in initializers])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def makeAdd(path, name="a"):
    """y = <name> + b, of 2x3."""
    save(path, [helper.make_node("Add", [name, "b"], ["y"], name="add")],
         [(name, TensorProto.FLOAT, [2, 3]), ("b", TensorProto.FLOAT, [2, 3])], [("y", TensorProto.FLOAT, [2, 3])])


def makeConv(path, seed=0):
    """Convolution, Relu and Softmax over the channels; the batch is dynamic."""
    weights = np.random.default_rng(seed).standard_normal((8, 3, 3, 3)).astype(np.float32)
    save(path, [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], name="conv"),
                helper.make_node("Relu", ["c"], ["r"], name="relu"),
                helper.make_node("Softmax", ["r"], ["y"], axis=1, name="softmax")],
         [("x", TensorProto.FLOAT, ["n", 3, 16, 16])], [("y", TensorProto.FLOAT, ["n", 8, 16, 16])],
         [("w", weights)])


def makeWeighted(path, change=lambda weights, axis: weights):
    """A convolution and two products; `change` makes other weights, which are summed over `axis`."""
    random = np.random.default_rng(7)
    weights = {name: change(random.standard_normal(shape).astype(np.float32), axis)
               for name, shape, axis in (("w", (8, 6, 3, 3), 1), ("right", (16, 10), 0), ("turned", (4, 10), 1))}
    save(path, [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], name="conv"),
                helper.make_node("Reshape", ["c", "rows"], ["r"], name="reshape"),
                helper.make_node("MatMul", ["r", "right"], ["m"], name="matmul"),
                helper.make_node("Gemm", ["m", "turned"], ["y"], transB=1, name="gemm")],
         [("x", TensorProto.FLOAT, [1, 6, 4, 4])], [("y", TensorProto.FLOAT, [8, 4])],
         [*weights.items(), ("rows", np.array([8, 16]))])


def makeQuantized(path):
    """Convolution, Relu, Convolution, Relu; the first reads integers, by Q/DQ nodes."""
    random = np.random.default_rng(5)
    save(path, [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["xq"], name="q"),
                helper.make_node("DequantizeLinear", ["xq", "s", "z"], ["xd"], name="dq"),
                helper.make_node("DequantizeLinear", ["wq", "ws", "wz"], ["wd"], name="wdq", axis=0),
                helper.make_node("Conv", ["xd", "wd"], ["a"], pads=[1, 1, 1, 1], name="conv"),
                helper.make_node("Relu", ["a"], ["r"], name="relu"),
                helper.make_node("Conv", ["r", "w2"], ["b"], pads=[1, 1, 1, 1], name="conv2"),
                helper.make_node("Relu", ["b"], ["y"], name="relu2")],
         [("x", TensorProto.FLOAT, [1, 16, 8, 8])], [("y", TensorProto.FLOAT, [1, 32, 8, 8])],
         [("s", np.float32(0.03)), ("z", np.int8(0)), ("wq", random.integers(-127, 128, (32, 16, 3, 3), np.int8)),
          ("ws", np.full(32, 0.02, np.float32)), ("wz", np.zeros(32, np.int8)),
          ("w2", random.standard_normal((32, 32, 3, 3)).astype(np.float32) / 17)])


def makeDynamicallyQuantized(path):
    """A product with the outputs of DynamicQuantizeLinear of x."""
    random = np.random.default_rng(5)
    save(path, [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], name="dynamic"),
                helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"], name="dq"),
                helper.make_node("MatMul", ["d", "w"], ["y"], name="product")],
         [("x", TensorProto.FLOAT, [4, 16])], [("y", TensorProto.FLOAT, [4, 8])],
         [("w", 9 * random.standard_normal((16, 8)).astype(np.float32))])


def makeMoved(path, kind):
    """A layer that moves values to integer indices, and Relu."""
    nodes, shape, lists, extra = {
        "gather": ([helper.make_node("TopK", ["x", "k"], ["v", "i"], name="top", axis=1),
                    helper.make_node("Gather", ["v", "at"], ["m"], name="move", axis=1),
                    helper.make_node("Identity", ["i"], ["j"], name="copy")], [2, 5],
                   {"k": [3], "at": [0, 2]}, [("j", TensorProto.INT64, [2, 3])]),
        "pad": ([helper.make_node("Pad", ["x", "p"], ["m"], name="move")], [1, 2, 4, 4], {"p": [0, 0, 1, 1] * 2}, []),
        "slice": ([helper.make_node("Slice", ["x", "s", "e"], ["m"], name="move")], [1, 2, 4, 4],
                  {"s": [0, 0, 1, 1], "e": [1, 2, 3, 3]}, []),
        "shape": ([helper.make_node("Shape", ["x"], ["s"], name="shape"),
                   helper.make_node("Gather", ["s", "at"], ["n"], name="pick"),
                   helper.make_node("Concat", ["n", "rest"], ["to"], name="join", axis=0),
                   helper.make_node("Reshape", ["x", "to"], ["m"], name="move")], ["n", 2, 4, 4],
                  {"at": [0], "rest": [-1]}, [])}[kind]
    save(path, [*nodes, helper.make_node("Relu", ["m"], ["y"], name="relu")], [("x", TensorProto.FLOAT, shape)],
         [("y", TensorProto.FLOAT, None), *extra], [(name, np.array(values)) for name, values in lists.items()])


def makeExpand(path):
    """The values of an input decide the shape of the output."""
    save(path, [helper.make_node("Expand", ["x", "shape"], ["y"], name="expand")],
         [("x", TensorProto.FLOAT, [3, 1]), ("shape", TensorProto.INT64, [2])], [("y", TensorProto.FLOAT, ["p", "q"])])


def makeTypes(path):
    """An input and an output of each type that is not float."""
    types = {"i32": TensorProto.INT32, "i64": TensorProto.INT64, "f16": TensorProto.FLOAT16, "b": TensorProto.BOOL}
    save(path, [helper.make_node("Identity", [name], ["out_" + name], name="copy_" + name) for name in types],
         [(name, type, [4]) for name, type in types.items()],
         [("out_" + name, type, [4]) for name, type in types.items()])


def makeKeepPositive(path):
    """A plugin: the number of y's elements is known only after they are computed."""
    save(path, [helper.make_node("KeepPositive", ["x"], ["y", "count"], name="keep")],
         [("x", TensorProto.FLOAT, ["n"])], [("y", TensorProto.FLOAT, ["k"]), ("count", TensorProto.INT64, [])])


def expected(path, *inside, **inputs):
    """The outputs of ONNX Runtime by name, and those tensors inside the model."""
    model = onnx.load(path)
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in inside)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))
