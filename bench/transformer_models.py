#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes BERT-base (transformers' BertConfig()) and ViT-B/16 (torchvision), with random weights: transformer_models.py FOLDER

Each as torch.onnx exports it: `_fixed` and `_dynamic` extents in one file, `_dynamo` with external data. Run it with a
Python that has the packages in tools/exports/requirements.txt.
"""
import sys

import torch
import torchvision
from transformers import BertConfig, BertModel


class Bert(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = BertModel(BertConfig())

    def forward(self, ids, mask):
        out = self.model(ids, attention_mask=mask)
        return out.last_hidden_state, out.pooler_output


def export(module, inputs, axes, path):
    """`axes`: by input, the names of its dynamic extents."""
    options = {"input_names": list(inputs), "opset_version": 17, "dynamo": False}
    values = tuple(inputs.values())
    torch.onnx.export(module, values, f"{path}_fixed.onnx", **options)
    torch.onnx.export(module, values, f"{path}_dynamic.onnx", dynamic_axes=axes, **options)
    torch.onnx.export(module, values, f"{path}_dynamo.onnx", input_names=list(inputs), dynamo=True)


def main(folder):
    torch.manual_seed(0)
    torch.backends.mha.set_fastpath_enabled(False)  # it cannot be expressed in ONNX
    text = {"ids": torch.randint(0, 30522, (1, 128)), "mask": torch.ones(1, 128, dtype=torch.int64)}
    with torch.no_grad():
        export(Bert().eval(), text, {name: {0: "n", 1: "s"} for name in text}, f"{folder}/bert")
        export(torchvision.models.vit_b_16().eval(), {"x": torch.randn(1, 3, 224, 224)}, {"x": {0: "n"}}, f"{folder}/vit")


if __name__ == "__main__":
    main(sys.argv[1])
