# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes bench/results/exports.md from the results of export and compare in the folder."""
import json
import re
from importlib.metadata import version

from .compare import kPrecisions, kTolerance, precisionsOf

kPackages = ("torch", "torchvision", "transformers", "timm", "onnxscript", "onnx", "onnxruntime")

kHead = """# Exported models

Written by `tools/make_exports.py`: {exports} exports of {models} models from PyPI packages, with random weights, by both
exporters of PyTorch, each compared with ONNX Runtime. Every engine is built with trtexec for a range of shapes (batch, and
where the model allows it sequence, height and width) and runs at two; {once} exports whose exporter fixed the shapes run
at one.

| precision | right |
|---|---|
{summary}

A number in the table is the largest error of any element of any output at any of the shapes, relative to the largest element
of that output. float32 is right up to {float32:.0e}. Engines built with `--fp16` and `--bf16` are compared with ONNX
Runtime in float32 too, and are right up to {float16:.0e} and {bfloat16:.0e}. Random weights amplify rounding more than trained
ones: where PyTorch itself, with the same weights and inputs, makes a larger error in float16 or bfloat16 against its float32
(in brackets), 2 times that is right; in float32, where ONNX Runtime rounds too, 4 times PyTorch's error against float64.
A detector's output is compared as a set of boxes, of which 19 of 20 have to agree: where two scores are nearly equal, or a
box is at a limit, rounding decides. Agreement is measured by how far ONNX Runtime's own boxes move when the inputs change
by 1e-06 (in brackets; 4 times that is right, which says little of a RetinaNet whose scores are all alike).
On a processor that does not multiply in a type, most nodes of such an engine compute in float32. *Other boxes*: 16-bit types
round the scores that boxes are chosen and sorted by. A model `…_float16` was exported in that type, and is built with
`--stronglyTyped`; ONNX Runtime computes it in that type too.

{machine}; {packages}.
Build times are those of trtexec, float32, in seconds, on a machine that also did other work.

| model | exporter | opset | nodes | float32 | float16 | bfloat16 | build |
|---|---|---|---|---|---|---|---|
"""


def processor():
    with open("/proc/cpuinfo") as info:
        return next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))


def cell(result, precision, info):
    if precision not in precisionsOf(info):
        return "—"
    one = result.get(precision, {"verdict": "not run"})
    if one["verdict"] == "right":
        pytorch = info["rounding"].get(precision)
        return f"{one['error']:.1e}" + (f" ({pytorch:.1e})" if pytorch else "")
    if one["verdict"] == "wrong":
        return f"**wrong** {one['error']:.1e}" if "error" in one else "**wrong**"
    return "other boxes" if one["verdict"] == "other boxes" else f"**{one['verdict']}**"


def said(text):
    """Without colours, and without the folder of a model."""
    return re.sub(r"/\S*/(\S+/model\.onnx)", r"\1", re.sub(r"\x1b?\[\d+m", "", text))


def row(info, result):
    build = next(iter(result.values())).get("build_seconds", "")
    cells = [cell(result, precision, info) for precision in kPrecisions]
    return f"| {info['model']} | {info['exporter']} | {info['opset']} | {info['nodes']} | {' | '.join(cells)} | {build} |\n"


def summary(results):
    lines = []
    for precision in kPrecisions:
        verdicts = [result.get(precision, {}).get("verdict", "not run") for info, result in results
                    if precision in precisionsOf(info)]
        others = {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts) - {"right"})}
        rest = ", ".join(f"{count} {verdict}" for verdict, count in others.items())
        lines.append(f"| {precision} | {verdicts.count('right')} of {len(verdicts)}{'; ' + rest if rest else ''} |")
    return "\n".join(lines)


def problems(results):
    lines = []
    for info, result in results:
        for precision, one in result.items():
            if "text" in one:
                lines.append(f"* {info['model']}, {info['exporter']}, {precision}: {one['verdict']}. `{said(one['text'])}`\n")
    return "".join(lines)


def text(results, failed):
    known = {"exports": len(results), "models": len({info["model"] for info, _ in results}),
             "once": sum("fixed" in info for info, _ in results), "summary": summary(results),
             "machine": processor(), "packages": ", ".join(f"{name} {version(name)}" for name in kPackages), **kTolerance}
    parts = [kHead.format(**known), *(row(info, result) for info, result in results)]
    if found := problems(results):
        parts.append(f"\n## Failures\n\n{found}")
    if failed:
        parts.append("\n## Not exported, or not run by ONNX Runtime\n\n")
        parts += [f"* {info['model']}, {info['exporter']}: `{said(info['failed'])}`\n" for info in failed]
    return "".join(parts)


def writeReport(folder, root, names):
    infos = [json.loads((folder / name / "info.json").read_text()) for name in names]
    failed = [info for info in infos if "failed" in info]
    results = [(info, json.loads((folder / name / "result.json").read_text())) for name, info in zip(names, infos)
               if "failed" not in info and (folder / name / "result.json").exists()]
    (root / "bench/results/exports.md").write_text(text(results, failed))
