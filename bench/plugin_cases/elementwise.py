# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Elementwise plugins."""
from torch.nn import functional

from plugin_cases.case import Case, normal


def activations(device):
    """Of the first feature maps of Darknet's networks."""
    shape = (device.pick(1, 8), 64, 208, 208)
    name, inputs = "x".join(map(str, shape)), {"x": normal(*shape)}
    yield Case(name, "LReLU_TRT", {"negSlope": 0.1}, inputs, lambda x: functional.leaky_relu(x, 0.1))
    yield Case(name, "Clip_TRT", {"clipMin": 0.0, "clipMax": 6.0}, inputs, lambda x: x.clamp(0, 6))
    yield Case(name, "Mish_TRT", {}, inputs, functional.mish)
    yield Case(name, "HardSwish", {}, inputs, functional.hardswish, domain="plugins")


def gelus(device):
    batch = device.pick(1, 8)
    bias = normal(3072, seed=1)
    yield Case(f"{batch}x128x3072, with a bias", "CustomGeluPluginDynamic", {"type_id": device.typeId, "bias": bias},
               {"x": normal(128, batch, 3072, 1, 1)},
               lambda x, bias: functional.gelu(x + bias[:, None, None], approximate="tanh"), parameters=[bias])

    def split(x):
        left, right = x.chunk(2, dim=2)
        return left * functional.gelu(right)
    yield Case("2x4096x2560", "SplitGeLU", {}, {"x": normal(2, 4096, 2560)}, split)


def cases(device):
    yield from activations(device)
    yield from gelus(device)
