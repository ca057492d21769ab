# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Normalizations, and the layers before them."""
import numpy as np
from torch.nn import functional

from plugin_cases.case import Case, normal


def ones(count):
    return np.ones(count, np.float32)


def zeros(count):
    return np.zeros(count, np.float32)


def ofPictures():
    yield Case("1x32x256x256", "InstanceNormalization_TRT", {"scales": ones(32), "bias": zeros(32), "plugin_version": "1"},
               {"x": normal(1, 32, 256, 256)}, lambda x, scale, bias: functional.instance_norm(x, weight=scale, bias=bias),
               parameters=[ones(32), zeros(32)])
    wide, affine = normal(2, 320, 64, 64), {"scale": ones(320), "bias": zeros(320)}
    yield Case("2x320x64x64, 32 groups", "GroupNormalizationPlugin", {"num_groups": 32, "eps": 1e-5}, {"x": wide, **affine},
               lambda x, scale, bias: functional.group_norm(x, 32, scale, bias), isReal=False)
    yield Case("2x320x64x64, 32 groups, SiLU", "GroupNorm", {"epsilon": 1e-5, "bSwish": 1}, {"x": wide},
               lambda x, scale, bias: functional.silu(functional.group_norm(x, 32, scale, bias)), constants=affine,
               floats=("scale", "bias"))
    yield Case("1x512x38x38", "Normalize_TRT", {"weights": 20 * ones(512), "nbWeights": 512}, {"x": normal(1, 512, 38, 38)},
               lambda x, weights: functional.normalize(x) * weights, parameters=[20 * ones(512).reshape(1, 512, 1, 1)],
               isReal=False)


def ofRows(device):
    yield Case("2x4096x320", "LayerNorm", {"epsilon": 1e-5}, {"x": normal(2, 4096, 320)},
               lambda x, gamma, beta: functional.layer_norm(x, (320,), gamma, beta),
               constants={"gamma": ones(320), "beta": zeros(320)})
    length, batch = device.pick((384, 1), (128, 8))
    yield Case(f"{batch}x{length}x768", "CustomSkipLayerNormPluginDynamic",
               {"ld": 768, "type_id": device.typeId, "gamma": ones(768), "beta": zeros(768), "plugin_version": "1"},
               {"x": normal(length, batch, 768, 1, 1), "skip": normal(length, batch, 768, 1, 1, seed=6)},
               lambda x, skip, gamma, beta: functional.layer_norm((x + skip).reshape(-1, 768), (768,), gamma, beta),
               parameters=[ones(768), zeros(768)])
    yield embedding(device)


def embedding(device):
    """BERT's, with a smaller vocabulary, all of which a text uses."""
    length, batch = device.pick((384, 1), (128, 8))
    random, words, epsilon = np.random.default_rng(3), 2048, np.finfo(np.float32).eps
    tables = {"word": normal(words, 768), "token_type": normal(2, 768), "position": normal(512, 768)}
    attributes = {**{f"bert_embeddings_{name}_embeddings": table.reshape(-1) for name, table in tables.items()},
                  "bert_embeddings_layernorm_gamma": ones(768), "bert_embeddings_layernorm_beta": zeros(768),
                  "output_fp16": device.typeId, "plugin_version": "1"}
    inputs = {"tokens": random.integers(0, words, (length, batch)).astype(np.int32),
              "segments": random.integers(0, 2, (length, batch)).astype(np.int32),
              "mask": np.ones((length, batch), np.int32)}

    def peer(tokens, segments, mask, words, segmentTable, positions, gamma, beta):
        x = functional.embedding(tokens, words) + functional.embedding(segments, segmentTable) + positions[:length, None]
        return functional.layer_norm(x, (768,), gamma, beta, epsilon), mask.sum(0)
    return Case(f"{batch}x{length}x768, composed", "CustomEmbLayerNormPluginDynamic", attributes, inputs, peer, outputs=2,
                parameters=[*tables.values(), ones(768), zeros(768)])


def cases(device):
    yield from ofPictures()
    yield from ofRows(device)
