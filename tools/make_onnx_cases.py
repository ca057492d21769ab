#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the test cases of tests/onnx_node from the tests in the `onnx` package: make_onnx_cases.py [ROOT]

Selects every test all of whose ops have an importer (a row {"Op", …} in a file *_onnx.cpp or below src/onnx/nodes), except
those that are too large or named in the tables below. One file for each importer file, of the node tests, and one
for each other set: length-delimited ModelProtos, whose training_info holds the inputs (initialization) and the expected
outputs (algorithm) as initializers. skipped.txt lists the excluded tests, with the reason.
"""
import collections
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.internal.encoder import _VarintBytes as varint
from onnx import TensorProto, numpy_helper
from onnx.backend.test.loader import DATA_DIR, load_node_model_tests
from onnx.backend.test.runner import Runner

kMostBytes = 20_000  # of a case
kMostBytesExpanded = 13_000  # of one that expands a function into nodes; many are similar

kSets = ("node", "simple", "pytorch-operator", "pytorch-converted", "light")

# inputs are the fed ones, in the order of the graph's
Test = collections.namedtuple("Test", "set name model inputs outputs")

# types that the graph does not have; see dataTypeOf()
kTypes = {TensorProto.STRING: "string tensors", TensorProto.COMPLEX64: "complex numbers",
          TensorProto.COMPLEX128: "complex numbers"}

# (op, name, why it is skipped): tests that have a node of this op and whose whole name matches the pattern. Tests that
# expand the op into others have no such node, and are run.
kSkipped = [("Loop", "range_.*float.*", "floats that decide an extent are fed at run time"),
            ("If", "affine_grid_.*", "a Squeeze without axes, of extents that only the run knows"),
            ("BitCast", ".*float64.*", "float64 is computed in float32, which has other bits"),
            ("BatchNormalization", ".*_training_mode", "training"),
            ("Dropout", "training_.*", "training"),
            ("Resize", "resize_downsample_scales_(cubic|linear)_align_corners",
             "divides by scale * extent - 1 where the text of the operator, ONNX Runtime and PyTorch divide by the whole "
             "extent - 1")]


def tests():
    """All tests of all sets, in the order of their names."""
    return [test for name in kSets for test in sorted(testsOf(name), key=lambda test: test.name)]


def testsOf(set_):
    if set_ == "node":
        return nodeTests()
    if set_ == "light":
        return map(lightTest, Path(DATA_DIR, set_).glob("*.onnx"))
    return (storedTest(set_, file.parent) for file in Path(DATA_DIR, set_).glob("*/model.onnx"))


def nodeTests():
    """The package creates them on request, most from random numbers."""
    np.random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [Test("node", test.name.removeprefix("test_"), test.model, *test.data_sets[0])
                for test in load_node_model_tests()]


def storedTest(set_, folder):
    model = onnx.load(folder / "model.onnx")
    data = folder / "test_data_set_0"
    return Test(set_, folder.name.removeprefix("test_"), model, stored(data, "input_{}.pb", fedInputs(model)),
                stored(data, "output_{}.pb", model.graph.output))


def lightTest(file):
    """The inputs as made by the package's own runner."""
    model = onnx.load(file)
    return Test("light", file.stem.removeprefix("light_"), model, [Runner.generate_dummy_data(x) for x in fedInputs(model)],
                stored(file.parent, file.stem + "_output_{}.pb", model.graph.output))


def stored(folder, pattern, values):
    """One TensorProto for each of the values; None for a value that is not a tensor."""
    return [onnx.load_tensor(folder / pattern.format(i)) if isTensor(value) else None for i, value in enumerate(values)]


def fedInputs(model):
    """Without the initializers, which files of IR versions before 4 list too."""
    constant = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in constant]


def importers(root):
    """{op: name of the case file}"""
    found = {}
    files = sorted(root.glob("src/layers/*/*_onnx.cpp")) + sorted(root.glob("src/onnx/nodes/*.cpp"))
    for file in files:
        for op in re.findall(r'\{\s*"([A-Z]\w*)"\s*,\s*&?\s*import', file.read_text()):
            found[op] = file.stem.removesuffix("_onnx")
    return found


def tensors(values, elements):
    """One TensorProto for each input or output of the model."""
    made = []
    for value, element in zip(values, elements):
        tensor = TensorProto()
        tensor.CopyFrom(element if isinstance(element, TensorProto) else numpy_helper.from_array(np.asarray(element)))
        if tensor.data_type == TensorProto.DOUBLE:
            tensor.CopyFrom(asFloat32(tensor))
        tensor.name = value.name
        made.append(tensor)
    return made


def asFloat32(tensor):
    """The type to feed if the graph has no float64; some tests have numbers beyond float32, which are infinity."""
    with np.errstate(over="ignore"):
        return numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float32))


def isTensor(value):
    return value.type.HasField("tensor_type")


def typesIn(model):
    """The types of inputs and outputs, and the target types of casts."""
    values = [value.type.tensor_type.elem_type for value in (*model.graph.input, *model.graph.output)]
    values += [attribute.i for node in model.graph.node for attribute in node.attribute
               if attribute.name in ("to", "output_dtype")]
    return values


def whyNot(test):
    model = test.model
    ops = {node.op_type for node in model.graph.node}
    for op, pattern, reason in kSkipped:
        if op in ops and re.fullmatch(pattern, test.name):
            return reason
    if not all(isTensor(value) for value in (*model.graph.input, *model.graph.output)):
        return "sequences and optionals"
    for elementType in typesIn(model):
        if elementType in kTypes:
            return kTypes[elementType]
    return None


def shorten(graph):
    """Drops unused names: expanded tests have a long prefix before every name."""
    prefix = re.compile(r"^\w+_test_\w+_function_")
    del graph.value_info[:]
    for node in graph.node:
        node.doc_string = ""
        node.name = prefix.sub("", node.name)
        node.input[:] = [prefix.sub("", tensor) for tensor in node.input]
        node.output[:] = [prefix.sub("", tensor) for tensor in node.output]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                for value in (*attribute.g.input, *attribute.g.output, *attribute.g.initializer):
                    value.name = prefix.sub("", value.name)
                shorten(attribute.g)


def case(test):
    """The model with the test's inputs and outputs in its training_info."""
    model = test.model
    model.graph.name = test.name
    model.ClearField("training_info")
    data = model.training_info.add()
    data.algorithm.initializer.extend(tensors(model.graph.output, test.outputs))
    data.initialization.initializer.extend(tensors(fedInputs(model), test.inputs))
    shorten(model.graph)
    return model.SerializeToString(deterministic=True)


def fileOf(test, known):
    """For a node test the case file of the first node that computes something."""
    if test.set != "node":
        return test.set
    files = [known[node.op_type] for node in test.model.graph.node]
    return next((file for file in files if file != "constant"), "constant")


def main(root):
    root = Path(root).resolve()
    known = importers(root)
    data = root / "tests/onnx_node/data"
    data.mkdir(parents=True, exist_ok=True)
    for old in data.glob("*.cases"):
        old.unlink()
    files, skipped = {}, []
    for test in tests():
        ops = {node.op_type for node in test.model.graph.node}
        if not ops <= known.keys():
            continue
        reason = whyNot(test)
        if reason is None:
            bytes_ = case(test)
            most = kMostBytesExpanded if "_expanded" in test.name else kMostBytes
            reason = f"{len(bytes_)} bytes" if len(bytes_) > most else None
        if reason:
            skipped.append(f"{test.name}: {reason}\n")
        else:
            files.setdefault(fileOf(test, known), []).append(bytes_)
    for name, cases in files.items():
        (data / f"{name}.cases").write_bytes(b"".join(varint(len(one)) + one for one in cases))
    (data / "skipped.txt").write_text("".join(skipped))
    print(f"{sum(map(len, files.values()))} cases, {sum(f.stat().st_size for f in data.iterdir())} bytes; "
          f"{len(skipped)} skipped")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
