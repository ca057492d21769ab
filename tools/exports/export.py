# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Exports models, and records their inputs and ONNX Runtime's outputs.

Each export is a folder FOLDER/NAME.EXPORTER: model.onnx; inputs0.npz, expected0.npz, inputs1.npz …: a run each; info.json:
exporter, opset, nodes, and PyTorch's own rounding error in each type, relative to the largest element of each
output. If the export failed, info.json has the reason, "failed".
"""
import contextlib
import json
import os
import re
import shutil
import signal
import traceback
import warnings

import numpy
import onnx

from .boxes import noiseOf

kExporters = ("torchscript", "dynamo")


def tensorsOf(arrays):
    import torch

    return tuple(torch.from_numpy(array) for array in arrays.values())


def exportWith(exporter, module, model, path):
    import torch

    inputs, names, axes = tensorsOf(model.arrays(0)), list(model.inputs), model.dynamicAxes()
    options = {"input_names": names, "dynamo": exporter == "dynamo"}
    if exporter == "dynamo":
        shapes = tuple({axis: torch.export.Dim.AUTO for axis in axes[name]} for name in names)
        options |= {"dynamic_shapes": dynamicShapes(module, shapes), "external_data": False}
    else:
        options |= {"dynamic_axes": axes, "opset_version": model.opset}
    torch.onnx.export(module, inputs, str(path), **options)


def dynamicShapes(module, shapes):
    """As in the signature of forward(): *tensors is one argument."""
    import inspect

    parameters = list(inspect.signature(module.forward).parameters.values())
    plain = [one for one in parameters if one.kind is not inspect.Parameter.VAR_POSITIONAL][:len(shapes)]
    return shapes if len(plain) == len(shapes) else (*shapes[:len(plain)], shapes[len(plain):])


def errorsOf(found, expected):
    """The largest error of each output, relative to its largest element; None if shapes differ."""
    errors = []
    for one, other in zip(found, expected):
        one, other = numpy.asarray(one, numpy.float64), numpy.asarray(other, numpy.float64)
        if one.shape != other.shape:
            return None
        scale = numpy.max(numpy.abs(other), initial=0, where=numpy.isfinite(other)) or 1
        same = (one == other) | (numpy.isnan(one) & numpy.isnan(other))
        difference = numpy.where(same, 0, numpy.abs(one - other))
        errors.append(float(numpy.max(numpy.nan_to_num(difference, nan=numpy.inf), initial=0) / scale))
    return errors


def computed(module, inputs, type_):
    """PyTorch's outputs with weights and inputs of that type."""
    import copy

    import torch

    changed = copy.deepcopy(module).train().eval().to(type_)  # train() drops values cached in another type
    with torch.no_grad():
        found = changed(*[one.to(type_) if one.is_floating_point() else one for one in inputs])
    return [one.double().numpy() for one in (found if isinstance(found, tuple) else (found,))]


def roundingOf(module, model):
    """PyTorch's error in each type: {type: error}, for the types that it supports."""
    import torch

    inputs = tensorsOf(model.arrays(0))
    errors = {}
    # float32 is compared with float64, and the shorter types with float32
    for name, exact in (("float32", "float64"), ("float16", "float32"), ("bfloat16", "float32")):
        try:
            found = errorsOf(*(computed(module, inputs, getattr(torch, one)) for one in (name, exact)))
            errors[name] = max(found)
        except Exception:  # any exception of the packages, if an operator has no kernel of this type
            continue
    return errors


def roundingIn(folder, session, module, model):
    """The rounding errors, as in info.json: the error in each type."""
    if model.counts:
        with numpy.load(folder / "inputs0.npz") as inputs, numpy.load(folder / "expected0.npz") as expected:
            return {"float32": noiseOf(session, dict(inputs), list(expected.values()))}
    return {} if model.half else roundingOf(module, model)


def sessionOf(folder):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])


def record(folder, session, model):
    """Runs ONNX Runtime at all sizes; the text of its error if only the first can be run."""
    taken = {one.name for one in session.get_inputs()}
    names = [one.name for one in session.get_outputs()]
    for run in range(len(model.sizes)):
        inputs = {name: array for name, array in model.arrays(run).items() if name in taken}
        try:
            expected = session.run(None, inputs)
        except Exception as error:
            if run == 0:
                raise
            return firstLine(error)
        if not any(output.any() for output in expected):
            raise ValueError("all outputs are zero: nothing to compare")
        numpy.savez(folder / f"inputs{run}.npz", **inputs)
        numpy.savez(folder / f"expected{run}.npz", **dict(zip(names, expected)))


def firstLine(error):
    lines = re.sub(r"\x1b\[\d+m", "", str(error)).strip().splitlines()
    causes = [line for line in lines if "Error" in line]
    return f"{type(error).__name__}: {' '.join(dict.fromkeys(lines[:1] + causes[-1:]))}"[:300]


def nodesIn(graph):
    return sum(1 + sum(nodesIn(attribute.g) for attribute in node.attribute if attribute.HasField("g"))
               for node in graph.node)


def describe(path):
    loaded = onnx.load(path, load_external_data=False)
    opset = next(one.version for one in loaded.opset_import if one.domain in ("", "ai.onnx"))
    ops = sorted({node.op_type for node in loaded.graph.node})
    return {"opset": opset, "nodes": nodesIn(loaded.graph), "bytes": path.stat().st_size, "ops": ops}


def make(model, exporter, folder):
    """One export, in this process."""
    import torch

    from .modules import calibrate, fillZeros, shorten

    torch.manual_seed(0)
    torch.set_num_threads(1)
    folder.mkdir()
    info = {"model": model.name, "exporter": exporter, "counts": model.counts, "half": model.half}
    step = "making the model"
    try:
        module = model.make().eval()
        shorten(module)
        fillZeros(module)
        calibrate(module, tensorsOf(model.manyArrays()))
        module = module.half() if model.half else module
        step = "export"
        exportWith(exporter, module, model, folder / "model.onnx")
        step = "ONNX Runtime"
        info |= describe(folder / "model.onnx")
        session = sessionOf(folder)
        if fixed := record(folder, session, model):
            info["fixed"] = fixed
        info["rounding"] = roundingIn(folder, session, module, model)
    except Exception as error:
        traceback.print_exc()
        info["failed"] = f"{step}: {firstLine(error)}"
    (folder / "info.json").write_text(json.dumps(info, indent=1))


def makeApart(model, exporter, folder, seconds):
    """One export in a child process, which may crash or time out."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = folder.parent / f".{folder.name}"
    shutil.rmtree(made, ignore_errors=True)
    child = os.fork()
    if child == 0:
        with open(f"{folder}.log", "w") as log, contextlib.suppress(BaseException):
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            signal.alarm(seconds)
            warnings.simplefilter("ignore")
            make(model, exporter, made)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status != 0:
        reason = f"exporter: ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "exporter: crashed"
        made.mkdir(exist_ok=True)
        (made / "info.json").write_text(json.dumps({"model": model.name, "exporter": exporter, "failed": reason}))
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)
    return json.loads((folder / "info.json").read_text())


def exportAll(folder, exports, seconds=600):
    """exports: pairs of model and exporter."""
    for model, exporter in exports:
        info = makeApart(model, exporter, folder / f"{model.name}.{exporter}", seconds)
        print(f"{model.name}.{exporter}:", info.get("failed") or f"opset {info['opset']}, {info['nodes']} nodes", flush=True)
