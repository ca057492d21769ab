# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the small exports that are right as cases of tests/exported_models: NAME.EXPORTER.gz, a compressed ModelProto.
Their weights and inputs are rounded to a few significant bits, and ONNX Runtime's outputs for those to 16, which makes
the files half as large.

Each training_info holds a run: the inputs (initialization) and ONNX Runtime's outputs (algorithm). The metadata_props have
the tolerance of each type, relative to the largest element of an output; types without one are not compared.
"""
import gzip
import json
from fnmatch import fnmatch

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

from .compare import allowed, arrays, precisionsOf

kMostBytes = 110_000  # of a case
kMostBytesTogether = 3_000_000
kMostNodes = 3000  # the engine is built in each run of the tests
# Names as in the shell, with one exporter if both write the same computation.
kCases = """
bert.dynamo bert_opset14.* bert_float16.* albert.dynamo roberta.torchscript distilbert.dynamo deberta_v2.*
modernbert.dynamo longformer.* nystromformer.dynamo squeezebert.torchscript fnet.*
gpt2.torchscript gpt2_opset15.* gpt2_past.* gpt2_past_float16.* gpt_neo.torchscript gpt_neox.dynamo gptj.dynamo
opt.torchscript bloom.torchscript falcon.dynamo llama.torchscript llama_past.* llama_past_float16.dynamo mistral.dynamo
gemma2.* gemma2_float16.dynamo qwen3.dynamo phi.dynamo cohere.dynamo mpt.dynamo mamba.dynamo
t5.* t5_encoder.* bart.dynamo m2m_100.torchscript whisper.* whisper_encoder.torchscript whisper_encoder_float16.dynamo
wav2vec2.dynamo wav2vec2_opset14.* wavlm.torchscript wav2vec2_bert.* ast.torchscript
vit.dynamo vit_float16.torchscript beit.* dinov2.dynamo swin.* swinv2.dynamo segformer.* convnextv2.dynamo
hf_resnet.dynamo hf_resnet_opset9.* hf_resnet_float16.torchscript regnet_opset8.* mobilevit.* pvt_v2.dynamo glpn.torchscript
focalnet.dynamo hiera.dynamo levit.torchscript clip.dynamo clip_text.torchscript siglip.torchscript yolos.torchscript
detr.torchscript deformable_detr.* tiny_*
""".split()


def shorten(graph):
    """Drops unused names, which are most of some exports."""
    graph.ClearField("metadata_props")
    graph.ClearField("value_info")
    graph.doc_string = ""
    for node in graph.node:
        node.ClearField("metadata_props")
        node.doc_string = ""
        for attribute in node.attribute:
            if attribute.HasField("g"):
                shorten(attribute.g)


def rounded(array, bits):
    """float32 rounded to that many significant bits; other types unchanged."""
    if array.dtype != numpy.float32 or not numpy.isfinite(array).all():
        return array
    mantissa, exponent = numpy.frexp(array)
    return numpy.ldexp(numpy.round(mantissa * 2 ** bits) / 2 ** bits, exponent).astype(numpy.float32)


def roundWeights(graph):
    for weight in graph.initializer:
        array = numpy_helper.to_array(weight)
        if array.size >= 32:  # fewer may be constants of the model itself
            weight.CopyFrom(numpy_helper.from_array(rounded(array, 2), weight.name))


def tensors(values):
    return [numpy_helper.from_array(value, name) for name, value in values.items()]


def case(folder, info):
    """The bytes of the file."""
    model = onnx.load(folder / "model.onnx")
    model.ClearField("metadata_props")
    model.doc_string = ""
    model.graph.name = folder.name.replace(".", "_")
    shorten(model.graph)
    roundWeights(model.graph)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    for run in range(len(list(folder.glob("expected*.npz")))):
        data = model.training_info.add()
        inputs = {name: rounded(array, 1) for name, array in arrays(folder / f"inputs{run}.npz").items()}
        expected = [rounded(output, 16) for output in session.run(None, inputs)]
        data.initialization.initializer.extend(tensors(inputs))
        data.algorithm.initializer.extend(tensors(dict(zip(names, expected))))
    for precision in precisionsOf(info):
        if precision == "float32" or not info.get("counts"):
            model.metadata_props.add(key=precision, value=f"{allowed(precision, info):.3g}")
    return gzip.compress(model.SerializeToString(deterministic=True), mtime=0)


def isRight(path):
    """All results of compare, except those explained by rounded scores."""
    verdicts = [one["verdict"] for one in json.loads(path.read_text()).values()] if path.exists() else ["not run"]
    return verdicts[0] == "right" and set(verdicts) <= {"right", "other boxes"}


def casesOf(folder, names):
    """{name: bytes of the file}, the smallest first"""
    found = {}
    for name in names:
        info = json.loads((folder / name / "info.json").read_text())
        if not any(fnmatch(name, pattern) for pattern in kCases) or "failed" in info:
            continue
        if isRight(folder / name / "result.json") and info["nodes"] <= kMostNodes and info["bytes"] <= 20 * kMostBytes:
            found[name] = case(folder / name, info)
    return dict(sorted(found.items(), key=lambda item: len(item[1])))


def recordAll(folder, root, names):
    data = root / "tests/exported_models/data"
    data.mkdir(parents=True, exist_ok=True)
    for name in names:
        (data / f"{name}.gz").unlink(missing_ok=True)
    together = sum(other.stat().st_size for other in data.glob("*.gz"))
    for name, compressed in casesOf(folder, names).items():
        if len(compressed) > kMostBytes or together + len(compressed) > kMostBytesTogether:
            break
        (data / f"{name}.gz").write_bytes(compressed)
        together += len(compressed)
    print(f"{len(list(data.glob('*.gz')))} cases, {together} bytes")
