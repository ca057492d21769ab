# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Modules of the packages as modules that accept tensors and return a tuple of tensors, with random weights."""
import re

import torch


def tensorsIn(value):
    """All floating point or integer tensors in a module's result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [tensor for one in value for tensor in tensorsIn(one)]


class Named(torch.nn.Module):
    """Passes each tensor to the module by name; returns the first tensors of its result."""

    def __init__(self, module, names, outputs=None, **fixed):
        super().__init__()
        self.module = module
        self.names = names
        self.outputs = outputs
        self.fixed = fixed

    def forward(self, *tensors):
        found = self.module(**dict(zip(self.names, tensors)), **self.fixed)
        return tuple(tensorsIn(found)[:self.outputs])


class OneImage(torch.nn.Module):
    """A detector, whose input is a list of images, for one."""

    def __init__(self, detector):
        super().__init__()
        self.detector = spreadScores(detector)

    def forward(self, image):
        found = self.detector([image])
        found = found[1] if isinstance(found, tuple) else found  # as a script: losses, detections
        return tuple(tensorsIn(found[0]))


def spreadScores(detector):
    """New detectors give all boxes nearly the same score, so that only rounding would choose among them."""
    for name, weight in detector.named_parameters():
        if name.endswith("weight") and weight.dim() > 1 and re.search("cls_logits|cls_score|classification_head", name):
            torch.nn.init.normal_(weight, std=2 / weight[0].numel() ** 0.5)
    return detector


class Positional(torch.nn.Module):
    """Returns all tensors of the module's result."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *tensors):
        return tuple(tensorsIn(self.module(*tensors)))


class WithPast(torch.nn.Module):
    """A decoder whose inputs include keys and values of the previous tokens, and that returns those of all tokens."""

    def __init__(self, module, layers):
        super().__init__()
        self.module = module
        self.layers = layers

    def forward(self, ids, mask, *past):
        from transformers import DynamicCache

        cache = DynamicCache()
        for layer in range(self.layers):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        found = self.module(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True)
        kept = [tensor for layer in found.past_key_values.layers for tensor in (layer.keys, layer.values)]
        return (found.logits, *kept)


def shorten(module):
    """Rounds the weights to 4 significant bits: compressed, the small models are half of their size."""
    for weight in module.parameters():
        mantissa, exponent = torch.frexp(weight.data)
        weight.data = torch.ldexp(torch.round(mantissa * 16) / 16, exponent)


def trainWhereMany(norm, given):
    """A single value per channel has no variance."""
    norm.train(given[0].numel() > norm.num_features)


def fillZeros(module):
    """torchvision's ViT is initialized with a head of zeros: its output would not depend on the layers before it."""
    for weight in module.parameters():
        if weight.ndim > 1 and not weight.any():
            torch.nn.init.normal_(weight, std=0.02)


def calibrate(module, inputs):
    """Gives batch normalizations the statistics of these inputs: with those of a new module, values would grow
    from layer to layer."""
    norms = [one for one in module.modules() if isinstance(one, torch.nn.modules.batchnorm._BatchNorm)]
    module.eval()
    if not norms:
        return
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
        norm.train()
        norm.register_forward_pre_hook(trainWhereMany)
    with torch.no_grad():
        module(*inputs)
    for norm in norms:
        norm._forward_pre_hooks.clear()
    module.eval()
