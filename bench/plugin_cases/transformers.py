# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Attention, and the products around it."""
import numpy as np
import torch
from torch.nn import functional

from plugin_cases.case import Case, normal, uniform


def attention(device):
    batch = device.pick(1, 8)

    def ofBert(qkv):
        q, k, v = qkv.reshape(128, batch, 12, 3, 64).permute(3, 1, 2, 0, 4)
        return functional.scaled_dot_product_attention(q, k, v).permute(2, 0, 1, 3).contiguous()
    yield Case(f"{batch}x128 tokens, 12 heads of 64", "CustomQKVToContextPluginDynamic",
               {"type_id": device.typeId, "hidden_size": 768, "num_heads": 12, "has_mask": 0, "plugin_version": "1"},
               {"qkv": normal(128, batch, 2304, 1, 1)}, ofBert, products=batch * 2 * 128 * 128 * 768)
    length, size = device.pick((1024, 80), (4096, 40))

    def within(qkv):
        q, k, v = qkv.permute(3, 0, 2, 1, 4)
        return functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).contiguous()
    yield Case(f"2x{length} places, 8 heads of {size}", "fMHA_V2", {}, {"qkv": normal(2, length, 8, 3, size)}, within,
               products=2 * 2 * length * length * 8 * size)

    def across(q, kv):
        k, v = kv.permute(3, 0, 2, 1, 4)
        return functional.scaled_dot_product_attention(q.transpose(1, 2), k, v).transpose(1, 2).contiguous()
    yield Case("2x4096 places, 77 words, 8 heads of 40", "fMHCA", {},
               {"q": normal(2, 4096, 8, 40), "kv": normal(2, 77, 8, 2, 40)}, across, products=2 * 2 * 4096 * 77 * 320)


def buckets(length, span):
    """DeBERTa-V2's relative positions [query,key]."""
    distance, middle = np.arange(length)[:, None] - np.arange(length), span // 2
    far = np.maximum(np.abs(distance), middle)
    steps = np.ceil(np.log(far / middle) / np.log((2 * span - 1) / middle) * (middle - 1) - 1e-6) + middle
    places = np.where(np.abs(distance) <= middle, distance, np.sign(distance) * steps)
    return (places.astype(np.int64) + span).clip(0, 2 * span - 1)


def disentangled():
    heads, length, span, factor = 12, 512, 256, 0.07216878
    relative = buckets(length, span)[None]

    def peer(scores, toPlace, toQuery, relative):
        places = torch.gather(toPlace, 2, relative.expand(heads, -1, -1))
        queries = torch.gather(toQuery, 2, relative.transpose(1, 2).expand(heads, -1, -1)).transpose(1, 2)
        return (scores + places + queries) * factor
    yield Case("12 heads, 512 places, span 256, composed", "DisentangledAttention_TRT",
               {"span": span, "factor": factor, "plugin_version": "1"},
               {"scores": normal(heads, length, length), "toPlace": normal(heads, length, 2 * span, seed=1),
                "toQuery": normal(heads, length, 2 * span, seed=2)}, peer, parameters=[relative])


def deformable(device):
    shapes, queries = device.pick(([(64, 64), (32, 32), (16, 16), (8, 8)], 1000),
                                  ([(100, 167), (50, 84), (25, 42), (13, 21)], 22223))
    sizes = [height * width for height, width in shapes]
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)

    def peer(value, _, start, locations, weights):
        parts = value.split(sizes, dim=1)
        grids, sampled = 2 * locations - 1, []
        for level, (height, width) in enumerate(shapes):
            part = parts[level].flatten(2).transpose(1, 2).reshape(8, 32, height, width)
            grid = grids[:, :, :, level].transpose(1, 2).flatten(0, 1)
            sampled.append(functional.grid_sample(part, grid, align_corners=False))
        weights = weights.transpose(1, 2).reshape(8, 1, queries, 16)
        return (torch.stack(sampled, -2).flatten(-2) * weights).sum(-1).view(1, 256, queries).transpose(1, 2)
    yield Case(f"{queries} queries, 8x32, 4 levels of 4 points, composed", "MultiscaleDeformableAttnPlugin_TRT",
               {"plugin_version": "1"},
               {"value": normal(1, sum(sizes), 8, 32), "shapes": np.int32(shapes), "start": start,
                "locations": uniform(1, queries, 8, 4, 4, 2, seed=2), "weights": uniform(1, queries, 8, 4, 4, seed=3)}, peer)


def products(device):
    batch, weights = device.pick(1, 8), normal(768, 2304, seed=4) * np.float32(0.05)
    yield Case(f"{batch}x128x768 to 2304", "CustomFCPluginDynamic",
               {"out_dims": 2304, "type_id": device.typeId, "W": weights.reshape(-1)}, {"x": normal(128, batch, 768, 1, 1)},
               lambda x, weights: functional.linear(x[..., 0, 0], weights),
               parameters=[np.ascontiguousarray(weights.T)], products=batch * 128 * 768 * 2304)
    yield decoder()


def decoder(layers=2, beams=5, size=1024):
    """A step of GNMT, whose layers read the attention besides the output of the previous layer."""
    state = [normal(1, beams, 1, size, seed=i) for i in range(2 * layers)]
    weights = [normal(1, 1, 4 * size * 3 * size, seed=i) * np.float32(0.02) for i in range(layers)]
    biases = [normal(1, 1, 4 * size, seed=i) for i in range(layers)]
    inputs = {"x": normal(1, beams, 1, size), "attention": normal(1, beams, 1, size, seed=9)}
    inputs.update({f"hidden_{i}": array for i, array in enumerate(state[:layers])})
    inputs.update({f"cell_{i}": array for i, array in enumerate(state[layers:])})
    constants = {f"weights_{i}": array for i, array in enumerate(weights)} | {f"bias_{i}": array for i, array in enumerate(biases)}
    forget = np.repeat(np.float32([0, 1, 0, 0]), size)  # this gate adds one

    def peer(x, attention, *others):
        hidden, cell, weights, biases = (others[i * layers:(i + 1) * layers] for i in range(4))
        given, attention, forget, states = x.reshape(beams, size), attention.reshape(beams, size), others[-1], []
        for i in range(layers):
            split = 4 * size * 2 * size
            ofInput, ofState = weights[i][0, 0, :split].view(4 * size, -1), weights[i][0, 0, split:].view(4 * size, -1)
            before = hidden[i].view(beams, size), cell[i].view(beams, size)
            states.append(torch.lstm_cell(torch.cat([given, attention], 1), before, ofInput, ofState, biases[i][0, 0], forget))
            given = states[i][0] + (given if i > 0 else 0)
        return given, *(h for h, _ in states), *(c for _, c in states)
    return Case(f"{layers} layers, {beams} beams, {size}, composed", "SingleStepLSTMPlugin",
                {"numLayers": layers, "hiddenSize": size, "attentionSize": size, "beamSize": beams, "dataType": 1}, inputs,
                peer, outputs=1 + 2 * layers, constants=constants, parameters=[forget], products=layers * beams * 4 * size * 3 * size)


def cases(device):
    yield from attention(device)
    yield from disentangled()
    yield from deformable(device)
    yield from products(device)
