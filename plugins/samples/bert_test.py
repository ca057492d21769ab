# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""The plugins of BERT as in TensorRT's demo, in a network of two layers."""
import numpy as np
from custom_emb_layer_norm.custom_emb_layer_norm_test import expected as embedded, kWeights as kEmbeddings
from custom_gelu.custom_gelu_test import expected as gelu
from custom_qkv_to_context.custom_qkv_to_context_test import attention, kFields, kHeads, kSize
from custom_skip_layer_norm.custom_skip_layer_norm_test import expected as normalized
from samples.network import Network

kHidden, kInner, kLength = kHeads * kSize, 16, 7


def typeId(net):
    return int(net.dtype == np.float16)


def dense(net, x, count):
    """A matrix product along axis 2 of x [S,B,K,1,1]."""
    weights = net.weights(x.values.shape[2], count, scale=1 / 2)
    flat = net.reshape(x, 0, 0, -1)
    return net.reshape(net.node("MatMul", [flat, weights], flat.values @ weights.values), 0, 0, count, 1, 1)


def customFc(net, x, count):
    weights = net.weights(x.values.shape[2], count, scale=1 / 2).values
    y = (x.values[..., 0, 0] @ weights)[..., None, None]
    return net.node("CustomFCPluginDynamic", [x], y, out_dims=count, type_id=typeId(net), W=weights.ravel())


def skipLayerNorm(net, x, skip):
    gamma, beta, bias = (net.random.integers(low, 5, kHidden) / 4 for low in (1, -4, -4))
    y = normalized(x.values, skip.values, gamma, beta, bias, 2)[0]
    return net.node("CustomSkipLayerNormPluginDynamic", [x, skip], y, ld=kHidden, type_id=typeId(net), gamma=gamma,
                    beta=beta, bias=bias)


def layer(net, x, mask):
    qkv = net.add(dense(net, x, 3 * kHidden), net.constant(net.random.integers(-2, 3, (1, 1, 3 * kHidden, 1, 1)) / 4))
    heads = qkv.values.reshape(kLength, net.batch, kHeads, 3, kSize)
    context = np.stack([attention(heads[:, i], count) for i, count in enumerate(mask.values[:, 0])], 1)
    context = net.node("CustomQKVToContextPluginDynamic", [qkv, mask], context[..., None, None], has_mask=1,
                       type_id=typeId(net), **kFields)
    x = skipLayerNorm(net, customFc(net, context, kHidden), x)
    inner, bias = dense(net, x, kInner), net.random.integers(-2, 3, kInner) / 4
    inner = net.node("CustomGeluPluginDynamic", [inner], gelu(inner.values[..., 0, 0], bias)[..., None, None],
                     type_id=typeId(net), bias=bias)
    return skipLayerNorm(net, customFc(net, inner, kHidden), x)


def network(sequences, dtype=np.float32):
    """A batch of sequences, each of which is partly padded; two values for each position."""
    net = Network(sequences, dtype)
    lengths = np.array([[kLength - 2 * i] for i in range(sequences)], np.int32)
    given = {"input_ids": net.random.integers(0, 20, (sequences, kLength)),
             "segment_ids": net.random.integers(0, 2, (sequences, kLength)),
             "input_mask": np.arange(kLength) < lengths}
    inputs = [net.transpose(net.input(name, values.astype(np.int32)), 1, 0) for name, values in given.items()]
    y = embedded(inputs[0].values, inputs[1].values, np.arange(kLength)[:, None], np.float64)[0]
    x, mask = net.node("CustomEmbLayerNormPluginDynamic", inputs, [y, lengths], output_fp16=typeId(net), full_mask=0,
                       mha_type_id=typeId(net), **kEmbeddings)
    for _ in range(2):
        x = layer(net, x, mask)
    return net.case("BERT", [net.transpose(dense(net, x, 2), 1, 0, 2, 3, 4)],
                    **({"tolerance": 2e-2} if dtype == np.float16 else {}))


def cases():
    for sequences in (1, 3):
        yield network(sequences)
    yield network(3, np.float16)
