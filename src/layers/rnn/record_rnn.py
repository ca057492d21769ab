#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes rnn_test.txt: python3 src/layers/rnn/record_rnn.py (in the root of the repository)"""
import sys

import numpy as np

sys.path.insert(0, "tests/support")
from record import run, spread  # noqa: E402

kSteps, kSequences, kElements, kHidden = 3, 2, 3, 4
kOps = {"Relu": ("RNN", 1, {"activations": ["Relu"]}), "Tanh": ("RNN", 1, {}), "Lstm": ("LSTM", 4, {}),
        "Gru": ("GRU", 3, {"linear_before_reset": 1}), "GruResetsBefore": ("GRU", 3, {}),
        "TanhOther": ("RNN", 1, {"activations": ["Elu"], "activation_alpha": [0.5], "clip": 0.75}),
        "LstmOther": ("LSTM", 4, {"activations": ["HardSigmoid", "Affine", "Softsign"], "activation_alpha": [0.25, 0.75],
                                  "activation_beta": [0.5, 0.125], "clip": 0.5, "input_forget": 1}),
        "GruOther": ("GRU", 3, {"linear_before_reset": 1, "activations": ["HardSigmoid", "LeakyRelu"],
                                "activation_alpha": [0.25, 0.125], "activation_beta": [0.5], "clip": 0.5}),
        "GruOtherResetsBefore": ("GRU", 3, {"activations": ["Softsign", "ScaledTanh"], "activation_alpha": [0.75],
                                            "activation_beta": [1.25], "clip": 0.5})}


def outputs(name, direction, rest):
    """Y as [S,N,D*H], the states as [D,N,H]"""
    op, gates, attributes = kOps[name]
    directions = 2 if direction == "bidirectional" else 1
    lengths = np.array([3, 2], np.int32) if rest else None
    state = spread([directions, kSequences, kHidden], -1, 1) if rest else None
    inputs = [spread([kSteps, kSequences, kElements], -1, 1),
              spread([directions, gates * kHidden, kElements], -0.8, 0.9),
              spread([directions, gates * kHidden, kHidden], -0.7, 0.6),
              spread([directions, 2 * gates * kHidden], -0.3, 0.4), lengths, state]
    if op == "LSTM":
        inputs.append(state)
    attributes = {**attributes, "hidden_size": kHidden, "direction": direction}
    for key in ("activations", "activation_alpha", "activation_beta"):
        if directions == 2 and key in attributes:
            attributes[key] = attributes[key] * 2
    y, *states = run(op, inputs, attributes, outputs=3 if op == "LSTM" else 2)
    return [y.transpose(0, 2, 1, 3).reshape(kSteps, kSequences, -1), *states]


with open("src/layers/rnn/rnn_test.txt", "w") as out:
    for name in kOps:
        for direction in ("forward", "bidirectional", "reverse"):
            for rest in (False, True):
                for part, values in zip(("y", "hidden", "cell"), outputs(name, direction, rest)):
                    print(f"{name}.{direction}.{'states' if rest else 'plain'}.{part}",
                          "[" + ",".join(map(str, values.shape)) + "]", *(f"{v:.7g}" for v in values.flatten()), file=out)
