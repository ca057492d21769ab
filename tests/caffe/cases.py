# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""A case for each layer of Caffe models: its text, blobs, inputs, and the result of its formula."""
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Case:
    name: str
    kind: str
    parameters: str
    inputs: list
    expected: dict  # by top
    blobs: list = field(default_factory=list)
    isOld: bool = False  # blobs as in files before 2014


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def padded(x, pad, value=0.0):
    return np.pad(x, ((0, 0), (0, 0), (pad[0],) * 2, (pad[1],) * 2), constant_values=value)


def convolved(x, w, bias, stride=(1, 1), pad=(0, 0), dilation=(1, 1), group=1):
    x = padded(x.astype(np.float64), pad)
    kernel = [(w.shape[2] - 1) * dilation[0] + 1, (w.shape[3] - 1) * dilation[1] + 1]
    rows, columns = ((x.shape[2 + i] - kernel[i]) // stride[i] + 1 for i in range(2))
    y = np.zeros((x.shape[0], w.shape[0], rows, columns))
    each = w.shape[0] // group
    for k in range(w.shape[0]):
        of = x[:, k // each * w.shape[1]:][:, :w.shape[1]]
        for i in range(rows):
            for j in range(columns):
                part = of[:, :, i * stride[0]:i * stride[0] + kernel[0]:dilation[0], j * stride[1]:j * stride[1] + kernel[1]:dilation[1]]
                y[:, k, i, j] = (part * w[k]).sum((1, 2, 3))
    return y + bias.reshape(1, -1, 1, 1)


def deconvolved(x, w, bias, stride, pad, group=1):
    rows, columns = ((x.shape[2 + i] - 1) * stride[i] + w.shape[2 + i] for i in range(2))
    y = np.zeros((x.shape[0], w.shape[1] * group, rows, columns))
    each = x.shape[1] // group
    for c in range(x.shape[1]):
        to = y[:, c // each * w.shape[1]:][:, :w.shape[1]]
        for i in range(x.shape[2]):
            for j in range(x.shape[3]):
                to[:, :, i * stride[0]:i * stride[0] + w.shape[2], j * stride[1]:j * stride[1] + w.shape[3]] += \
                    x[:, c, i, j].reshape(-1, 1, 1, 1) * w[c]
    return y[:, :, pad[0]:rows - pad[0], pad[1]:columns - pad[1]] + bias.reshape(1, -1, 1, 1)


def pooled(x, method, kernel, stride, pad, ceil=True):
    """Caffe's PoolingLayer: windows that would start in the end padding are dropped; an average counts the padding, up to
    its end."""
    sizes = []
    for i in range(2):
        free = x.shape[2 + i] + 2 * pad[i] - kernel[i]
        size = (-(-free // stride[i]) if ceil else free // stride[i]) + 1
        if pad[i] and (size - 1) * stride[i] >= x.shape[2 + i] + pad[i]:
            size -= 1
        sizes.append(size)
    y = np.zeros((*x.shape[:2], *sizes))
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            starts = i * stride[0] - pad[0], j * stride[1] - pad[1]
            ends = [min(starts[k] + kernel[k], x.shape[2 + k] + pad[k]) for k in range(2)]
            count = (ends[0] - starts[0]) * (ends[1] - starts[1])
            part = x[:, :, max(starts[0], 0):ends[0], max(starts[1], 0):ends[1]]
            y[:, :, i, j] = part.max((2, 3)) if method == "MAX" else part.sum((2, 3)) / count
    return y


def lrn(x, size, alpha, beta, k):
    y = np.empty(x.shape)
    for c in range(x.shape[1]):
        around = x[:, max(0, c - size // 2):c + size // 2 + 1].astype(np.float64)
        y[:, c] = x[:, c] / (k + alpha / size * (around ** 2).sum(1)) ** beta
    return y


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def windows():
    x, w, bias = random(1, 4, 9, 8), random(6, 4, 3, 3, seed=1), random(6, seed=2)
    yield Case("Convolution", "Convolution", "convolution_param { num_output: 6 kernel_size: 3 }", [x], {"y": convolved(x, w, bias)}, [w, bias])
    yield Case("Convolution of an old file", "Convolution", "convolution_param { num_output: 6 kernel_size: 3 }", [x],
               {"y": convolved(x, w, bias)}, [w, bias], True)
    yield Case("Convolution, stride, pad, dilation", "Convolution",
               "convolution_param { num_output: 6 kernel_size: 3 stride: 2 pad: 2 dilation: 2 weight_filler { type: \"xavier\" } }",
               [x], {"y": convolved(x, w, bias, (2, 2), (2, 2), (2, 2))}, [w, bias])
    grouped = random(6, 2, 3, 2, seed=3)
    yield Case("Convolution, groups, axes by name, no bias", "Convolution",
               "convolution_param { num_output: 6 kernel_h: 3 kernel_w: 2 stride_h: 1 stride_w: 2 pad_h: 1 pad_w: 0 group: 2 bias_term: false }",
               [x], {"y": convolved(x, grouped, np.zeros(6), (1, 2), (1, 0), group=2)}, [grouped])
    back = random(4, 3, 4, 4, seed=4)
    yield Case("Deconvolution", "Deconvolution", "convolution_param { num_output: 3 kernel_size: 4 stride: 2 pad: 1 }", [x],
               {"y": deconvolved(x, back, bias[:3], (2, 2), (1, 1))}, [back, bias[:3]])
    each = random(4, 1, 4, 4, seed=5)
    yield Case("Deconvolution of each channel", "Deconvolution",
               "convolution_param { num_output: 4 kernel_size: 4 stride: 2 group: 4 bias_term: false }", [x],
               {"y": deconvolved(x, each, np.zeros(4), (2, 2), (0, 0), 4)}, [each])
    for method in ("MAX", "AVE"):
        for kernel, stride, pad in ((3, 2, 0), (3, 2, 1), (2, 2, 1), (3, 1, 1), (4, 3, 2)):
            yield Case(f"Pooling {method} {kernel} {stride} {pad}", "Pooling",
                       f"pooling_param {{ pool: {method} kernel_size: {kernel} stride: {stride} pad: {pad} }}", [x],
                       {"y": pooled(x, method, (kernel,) * 2, (stride,) * 2, (pad,) * 2)})
    yield Case("Pooling of all", "Pooling", "pooling_param { pool: AVE global_pooling: true }", [x], {"y": x.mean((2, 3))})
    yield Case("Pooling that rounds down", "Pooling", "pooling_param { pool: MAX kernel_size: 3 stride: 2 round_mode: FLOOR }", [x],
               {"y": pooled(x, "MAX", (3, 3), (2, 2), (0, 0), False)})
    yield Case("torch's pooling", "Pooling", "pooling_param { pool: MAX kernel_h: 3 kernel_w: 2 stride: 2 torch_pooling: true }", [x],
               {"y": pooled(x, "MAX", (3, 2), (2, 2), (0, 0), False)})


def products():
    x, w, bias = random(1, 4, 3, 2), random(5, 24, seed=1), random(5, seed=2)
    y = x.reshape(1, -1) @ w.T + bias
    yield Case("InnerProduct", "InnerProduct", "inner_product_param { num_output: 5 }", [x], {"y": y}, [w, bias])
    yield Case("InnerProduct, transposed, no bias", "InnerProduct",
               "inner_product_param { num_output: 5 transpose: true bias_term: false }", [x], {"y": x.reshape(1, -1) @ w.T}, [w.T])
    rows = random(1, 5, seed=6)
    square = random(5, 5, seed=7)
    yield Case("a residual around a product", "InnerProduct",
               "inner_product_param { num_output: 5 bias_term: false } } layer { name: \"sum\" type: \"Eltwise\" bottom: \"y\" bottom: \"x0\" "
               "top: \"y\"", [rows], {"y": rows @ square.T + rows}, [square])
    last = random(5, 2, seed=3)
    yield Case("InnerProduct of the last axis", "InnerProduct", "inner_product_param { num_output: 5 axis: 3 }", [x],
               {"y": x @ last.T + bias}, [last, bias])


def elementwise():
    x = random(1, 4, 3, 5)
    yield Case("ReLU", "ReLU", "", [x], {"y": np.maximum(x, 0)})
    yield Case("ReLU with a slope", "ReLU", "relu_param { negative_slope: 0.1 }", [x], {"y": np.where(x > 0, x, 0.1 * x)})
    yield Case("Sigmoid", "Sigmoid", "", [x], {"y": 1 / (1 + np.exp(-x))})
    yield Case("TanH", "TanH", "", [x], {"y": np.tanh(x)})
    yield Case("BNLL", "BNLL", "", [x], {"y": np.log1p(np.exp(x))})
    yield Case("ELU", "ELU", "elu_param { alpha: 0.5 }", [x], {"y": np.where(x > 0, x, 0.5 * np.expm1(x))})
    yield Case("Clip", "Clip", "clip_param { min: -0.5 max: 0.25 }", [x], {"y": np.clip(x, -0.5, 0.25)})
    yield Case("AbsVal", "AbsVal", "", [x], {"y": np.abs(x)})
    yield Case("Clip from below", "Clip", "clip_param { min: -0.5 }", [x], {"y": np.maximum(x, -0.5)})
    yield Case("Clip from above", "Clip", "clip_param { max: 0.25 }", [x], {"y": np.minimum(x, 0.25)})
    yield Case("Power", "Power", "power_param { power: 2 scale: 0.5 shift: 3 }", [x], {"y": (0.5 * x + 3) ** 2})
    yield Case("Power of nothing", "Power", "", [x], {"y": x})
    yield Case("Exp", "Exp", "exp_param { base: 2 scale: 0.5 shift: 1 }", [x], {"y": 2 ** (0.5 * x + 1)})
    yield Case("Exp of e", "Exp", "", [x], {"y": np.exp(x)})
    yield Case("Log", "Log", "log_param { base: 10 scale: 0.1 shift: 4 }", [x], {"y": np.log10(0.1 * x + 4)})
    slopes = random(4, seed=1)
    yield Case("PReLU", "PReLU", "", [x], {"y": np.where(x > 0, x, slopes.reshape(1, 4, 1, 1) * x)}, [slopes])
    yield Case("PReLU, one slope", "PReLU", "prelu_param { channel_shared: true }", [x], {"y": np.where(x > 0, x, 0.3 * x)},
               [np.float32([0.3])])
    yield Case("a layer of a stage", "Power", "power_param { shift: 1 } } layer { name: \"no\" type: \"Power\" bottom: \"y\" top: \"y\" "
               "include { stage: \"extra\" } } layer { name: \"yes\" type: \"Power\" bottom: \"y\" top: \"y\" power_param { shift: 10 } "
               "exclude { stage: \"extra\" }", [x], {"y": x + 11})
    yield Case("a layer of what a network is used for", "Power", "power_param { shift: 1 } } layer { name: \"no\" type: \"Power\" "
               "bottom: \"y\" top: \"y\" power_param { shift: 10 } exclude { stage: \"deploy\" }", [x], {"y": x + 1})
    yield Case("Dropout", "Dropout", "dropout_param { dropout_ratio: 0.5 }", [x], {"y": x})
    other, third = random(1, 4, 3, 5, seed=1), random(1, 4, 3, 5, seed=2)
    yield Case("Eltwise", "Eltwise", "", [x, other, third], {"y": x + other + third})
    yield Case("Eltwise, coefficients", "Eltwise", "eltwise_param { operation: SUM coeff: 1 coeff: -2 }", [x, other], {"y": x - 2 * other})
    yield Case("Eltwise PROD", "Eltwise", "eltwise_param { operation: PROD }", [x, other], {"y": x * other})
    yield Case("Eltwise MAX, which does not read coefficients", "Eltwise", "eltwise_param { operation: MAX coeff: 3 coeff: 2 }", [x, other],
               {"y": np.maximum(x, other)})
    yield Case("Eltwise MAX", "Eltwise", "eltwise_param { operation: MAX }", [x, other, third], {"y": np.maximum(np.maximum(x, other), third)})


def normalizations():
    x = random(1, 4, 3, 5)
    mean, variance = random(4, seed=1), np.abs(random(4, seed=2)) + 0.5
    channels = lambda values: values.reshape(1, 4, 1, 1)
    normal = lambda m, v, eps: (x - channels(m)) / np.sqrt(channels(v) + eps)
    yield Case("BatchNorm", "BatchNorm", "batch_norm_param { use_global_stats: true eps: 0.001 }", [x],
               {"y": normal(mean / 2, variance / 2, 1e-3)}, [mean, variance, np.float32([2])])
    scale, shift = random(4, seed=3), random(4, seed=4)
    yield Case("BatchNorm of NVIDIA's branch", "BatchNorm", "", [x], {"y": normal(mean, variance, 1e-5) * channels(scale) + channels(shift)},
               [mean, variance, np.float32([1]), scale, shift])
    yield Case("Scale", "Scale", "", [x], {"y": x * channels(scale)}, [scale])
    yield Case("Scale with a bias", "Scale", "scale_param { bias_term: true }", [x], {"y": x * channels(scale) + channels(shift)},
               [scale, shift])
    rest = random(3, 5, seed=5)
    yield Case("Scale of two axes", "Scale", "scale_param { axis: 2 num_axes: 2 }", [x], {"y": x * rest}, [rest])
    yield Case("Scale by a bottom", "Scale", "scale_param { axis: 0 }", [x, random(1, 4, seed=6)],
               {"y": x * random(1, 4, seed=6).reshape(1, 4, 1, 1)})
    yield Case("Bias", "Bias", "", [x], {"y": x + channels(shift)}, [shift])
    yield Case("LRN", "LRN", "lrn_param { local_size: 3 alpha: 0.5 beta: 0.75 k: 2 }", [x], {"y": lrn(x, 3, 0.5, 0.75, 2)})
    yield Case("LRN by default", "LRN", "", [x], {"y": lrn(x, 5, 1, 0.75, 1)})
    yield Case("Softmax", "Softmax", "", [x], {"y": softmax(x, 1)})
    yield Case("Softmax of the last axis", "Softmax", "softmax_param { axis: -1 }", [x], {"y": softmax(x, 3)})


def moves():
    x, other = random(1, 4, 6, 5), random(1, 3, 6, 5, seed=1)
    yield Case("Concat", "Concat", "", [x, other], {"y": np.concatenate([x, other], 1)})
    yield Case("Concat of rows, by its old name", "Concat", "concat_param { concat_dim: 2 }", [x, x], {"y": np.concatenate([x, x], 2)})
    yield Case("Slice", "Slice", "", [x], {"y": x[:, :2], "z": x[:, 2:]})
    yield Case("Slice at points", "Slice", "slice_param { axis: 2 slice_point: 1 slice_point: 4 }", [x],
               {"a": x[:, :, :1], "b": x[:, :, 1:4], "c": x[:, :, 4:]})
    yield Case("Split", "Split", "", [x], {"y": x, "z": x})
    small = random(1, 4, 3, 2, seed=2)
    yield Case("Crop", "Crop", "crop_param { axis: 2 offset: 2 offset: 1 }", [x, small], {"y": x[:, :, 2:5, 1:3]})
    yield Case("Crop, one offset", "Crop", "crop_param { offset: 1 }", [x, small], {"y": x[:, :, 1:4, 1:3]})
    yield Case("Reshape", "Reshape", "reshape_param { shape { dim: 0 dim: 2 dim: -1 dim: 10 } }", [x], {"y": x.reshape(1, 2, -1, 10)})
    yield Case("Reshape of some axes", "Reshape", "reshape_param { axis: 2 num_axes: 2 shape { dim: 10 dim: 3 } }", [x],
               {"y": x.reshape(1, 4, 10, 3)})
    yield Case("Flatten", "Flatten", "", [x], {"y": x.reshape(1, -1)})
    yield Case("Flatten of two axes", "Flatten", "flatten_param { axis: 2 end_axis: 3 }", [x], {"y": x.reshape(1, 4, 30)})
    yield Case("Permute", "Permute", "permute_param { order: 0 order: 2 order: 3 order: 1 }", [x], {"y": x.transpose(0, 2, 3, 1)})
    yield Case("Tile", "Tile", "tile_param { axis: 1 tiles: 3 }", [x], {"y": np.tile(x, (1, 3, 1, 1))})
    folds = {"SUM": x, "ASUM": np.abs(x), "SUMSQ": x * x}
    for operation, values in folds.items():
        yield Case(f"Reduction {operation}", "Reduction", f"reduction_param {{ operation: {operation} axis: 2 coeff: 0.5 }}", [x],
                   {"y": 0.5 * values.sum((2, 3))})
    yield Case("Reduction MEAN", "Reduction", "reduction_param { operation: MEAN axis: 1 }", [x], {"y": x.mean((1, 2, 3))})


def regions():
    """[N,P,C,H,W]: the results of a layer for the images [C,H,W] of P regions, in a plugin's layout."""
    x = random(1, 3, 4, 6, 5)
    each = lambda f, *more: np.stack([f(x[:, p], *(m[:, p] for m in more)) for p in range(3)], 1)
    w, bias, four = random(6, 4, 3, 3, seed=1), random(6, seed=2), random(4, seed=3)
    channels = lambda values: values.reshape(1, -1, 1, 1)
    positive = np.abs(four) + 0.5
    yield Case("Convolution of regions", "Convolution", "convolution_param { num_output: 6 kernel_size: 3 pad: 1 stride: 2 }", [x],
               {"y": each(lambda x: convolved(x, w, bias, (2, 2), (1, 1)))}, [w, bias])
    back = random(4, 3, 4, 4, seed=4)
    yield Case("Deconvolution of regions", "Deconvolution", "convolution_param { num_output: 3 kernel_size: 4 stride: 2 pad: 1 }", [x],
               {"y": each(lambda x: deconvolved(x, back, bias[:3], (2, 2), (1, 1)))}, [back, bias[:3]])
    yield Case("Pooling of regions", "Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 }", [x],
               {"y": each(lambda x: pooled(x, "AVE", (3, 3), (2, 2), (1, 1)))})
    yield Case("Pooling of all of regions", "Pooling", "pooling_param { global_pooling: true }", [x], {"y": x.max((3, 4))})
    yield Case("LRN of regions", "LRN", "lrn_param { local_size: 3 alpha: 0.5 k: 2 }", [x], {"y": each(lambda x: lrn(x, 3, 0.5, 0.75, 2))})
    yield Case("Scale of regions", "Scale", "scale_param { bias_term: true }", [x],
               {"y": each(lambda x: x * channels(four) + channels(positive))}, [four, positive])
    yield Case("Bias of regions", "Bias", "", [x], {"y": each(lambda x: x + channels(four))}, [four])
    yield Case("BatchNorm of regions", "BatchNorm", "", [x], {"y": each(lambda x: (x - channels(four)) / np.sqrt(channels(positive) + 1e-5))},
               [four, positive, np.float32([1])])
    yield Case("PReLU of regions", "PReLU", "", [x], {"y": np.where(x > 0, x, each(lambda x: x * channels(four)))}, [four])
    yield Case("Concat of regions", "Concat", "", [x, x + 1], {"y": np.concatenate([x, x + 1], 2)})
    yield Case("Slice of regions", "Slice", "", [x], {"y": x[:, :, :2], "z": x[:, :, 2:]})
    yield Case("Tile of regions", "Tile", "tile_param { tiles: 2 }", [x], {"y": np.tile(x, (1, 1, 2, 1, 1))})
    small = random(1, 3, 4, 3, 2, seed=2)
    yield Case("Crop of regions", "Crop", "crop_param { offset: 1 }", [x, small], {"y": x[:, :, :, 1:4, 1:3]})
    yield Case("Normalize of regions", "Normalize", "norm_param { across_spatial: false channel_shared: false }", [x],
               {"y": each(lambda x: x / np.sqrt((x * x).sum(1, keepdims=True) + 1e-10) * channels(four))}, [four])
    product = random(7, 120, seed=6)
    yield Case("Flatten of regions", "Flatten", "", [x], {"y": x.reshape(1, 3, 120)})
    yield Case("InnerProduct of regions", "InnerProduct", "inner_product_param { num_output: 7 bias_term: false }", [x],
               {"y": x.reshape(1, 3, 120) @ product.T}, [product])


def cases():
    for family in (windows, products, elementwise, normalizations, moves, regions):
        yield from family()
