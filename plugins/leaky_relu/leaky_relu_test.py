# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of LReLU_TRT, by the formula."""
import numpy as np
from case import Case


def cases():
    x = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 4)
    y = np.where(x > 0, x, x * np.float32(0.1))
    yield Case("a slope", "LReLU_TRT", {"negSlope": 0.1}, {"x": x}, {"y": y}, open=(0, 1, 2))
    yield Case("no elements", "LReLU_TRT", {"negSlope": 0.1}, {"x": x[:, :0]}, {"y": y[:, :0]})
    yield Case("refused: no input", "LReLU_TRT", {"negSlope": 0.1}, {}, {"y": y},
               refusal="LReLU_TRT: has 0 inputs; expected 1: input [...]")
    yield Case("half precision", "LReLU_TRT", {"negSlope": 0.1}, {"x": x.astype(np.float16)}, {"y": y.astype(np.float16)},
               flags=["--stronglyTyped"], tolerance=2e-3)
