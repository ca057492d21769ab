# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Clip_TRT, by the formula."""
import numpy as np
from case import Case


def cases():
    x = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 4)
    limits = {"clipMin": -1.0, "clipMax": 2.5}
    yield Case("two limits", "Clip_TRT", limits, {"x": x}, {"y": x.clip(-1, 2.5)}, open=(0, 1, 2))
    yield Case("no elements", "Clip_TRT", limits, {"x": x[:, :0]}, {"y": x[:, :0]})
    yield Case("half precision", "Clip_TRT", limits, {"x": x.astype(np.float16)}, {"y": x.clip(-1, 2.5).astype(np.float16)},
               flags=["--stronglyTyped"])
    yield Case("refused: limits", "Clip_TRT", {"clipMin": 3.0, "clipMax": 2.0}, {"x": x}, {"y": x},
               refusal="Clip_TRT: clipMin has to be at most clipMax")
