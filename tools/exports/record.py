# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the small exports that are right as cases of tests/exported_models: NAME.EXPORTER.gz, a compressed ModelProto.

Its training_info holds a run each: the inputs (initialization) and what ONNX Runtime computes (algorithm). Its
metadata_props say which error, relative to the largest element of an output, each type may make; in types without one
the model is not compared.
"""
import gzip
import json

import onnx
from onnx import numpy_helper

from .compare import allowed, arrays, precisionsOf

kMostBytes = 64_000  # of a case
kMostBytesTogether = 3_000_000  # the smallest ones are taken
kMostNodes = 1200  # the engine is built in each run of the tests


def shorten(graph):
    """Drops what nobody reads, which is most of some exports."""
    graph.ClearField("metadata_props")
    graph.ClearField("value_info")
    graph.doc_string = ""
    for node in graph.node:
        node.ClearField("metadata_props")
        node.doc_string = ""
        for attribute in node.attribute:
            if attribute.HasField("g"):
                shorten(attribute.g)


def tensors(values):
    return [numpy_helper.from_array(value, name) for name, value in values.items()]


def case(folder, info):
    """The bytes of the file."""
    model = onnx.load(folder / "model.onnx")
    model.ClearField("metadata_props")
    model.doc_string = ""
    model.graph.name = folder.name.replace(".", "_")
    shorten(model.graph)
    for run in range(len(list(folder.glob("expected*.npz")))):
        data = model.training_info.add()
        data.initialization.initializer.extend(tensors(arrays(folder / f"inputs{run}.npz")))
        data.algorithm.initializer.extend(tensors(arrays(folder / f"expected{run}.npz")))
    for precision in precisionsOf(info):
        if precision == "float32" or not info.get("counts"):
            model.metadata_props.add(key=precision, value=f"{allowed(precision, info):.3g}")
    return gzip.compress(model.SerializeToString(deterministic=True), mtime=0)


def isRight(path):
    """All of what compare wrote that is not a matter of rounded scores."""
    verdicts = [one["verdict"] for one in json.loads(path.read_text()).values()] if path.exists() else ["not run"]
    return verdicts[0] == "right" and set(verdicts) <= {"right", "other boxes"}


def casesOf(folder, names):
    """{name: bytes of the file}, the smallest first"""
    found = {}
    for name in names:
        info = json.loads((folder / name / "info.json").read_text())
        if isRight(folder / name / "result.json") and info["nodes"] <= kMostNodes and info["bytes"] <= 20 * kMostBytes:
            found[name] = case(folder / name, info)
    return dict(sorted(found.items(), key=lambda item: len(item[1])))


def recordAll(folder, root, names):
    data = root / "tests/exported_models/data"
    data.mkdir(parents=True, exist_ok=True)
    for old in data.glob("*.gz"):
        old.unlink()
    together = 0
    for name, compressed in casesOf(folder, names).items():
        if len(compressed) > kMostBytes or together + len(compressed) > kMostBytesTogether:
            break
        (data / f"{name}.gz").write_bytes(compressed)
        together += len(compressed)
    print(f"{len(list(data.glob('*.gz')))} cases, {together} bytes")
