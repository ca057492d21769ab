# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Networks of several nodes for the cases of samples: each node comes with its expected values, in double.

The weights of networks in HALF are so coarse that sums in float are exact: so the boxes kept do not depend on the order
of additions.
"""
from dataclasses import dataclass

import numpy as np
from case import Case
from onnx import helper, numpy_helper


def requireClear(scores):
    """For detections [B,K] by falling score: more than one, and no two so close that a rounding error may change their
    order."""
    assert np.all(scores[:, 1] > 0), "too few detections; take another seed"
    gaps = (scores[:, :-1] - scores[:, 1:]) / np.maximum(scores[:, :-1], 1e-30)
    assert not np.any((gaps > 0) & (gaps < 1e-6)), "scores too near each other; take another seed"


def surest(scores, most):
    """For scores [B,N] the same number, in order."""
    return -np.sort(-scores)[:, :most]


@dataclass
class Tensor:
    name: str
    values: np.ndarray  # expected; floating point values are in double, those of HALF rounded
    dtype: type


def expectedOf(array):
    return array if array.dtype.kind == "i" else array.astype(float)


class Network:
    def __init__(self, batch, dtype=np.float32, seed=2):
        self.batch, self.dtype, self.random = batch, dtype, np.random.default_rng(seed)
        self.inputs, self.nodes = {}, []

    def input(self, name, values):
        self.inputs[name] = array = self.typed(values)
        return Tensor(name, expectedOf(array), array.dtype.type)

    def typed(self, array):
        """Floating point values have the network's type."""
        return array if array.dtype.kind == "i" else array.astype(self.dtype)

    def picture(self, height, width):
        """Of three colours, in quarters."""
        return self.input("picture", self.random.integers(-4, 5, (self.batch, 3, height, width)) / 4)

    def constant(self, values):
        array = self.typed(np.asarray(values))
        tensor = Tensor(f"constant_{len(self.nodes)}", expectedOf(array), array.dtype.type)
        self.nodes.append(helper.make_node("Constant", [], [tensor.name], value=numpy_helper.from_array(array)))
        return tensor

    def node(self, op, inputs, values, dtype=None, **attributes):
        """The output with these expected values; for a list of values, a list of outputs. Floating point values have the
        network's type, or dtype."""
        outputs = []
        for i, array in enumerate(values if isinstance(values, list) else [values]):
            own = array.dtype.type if array.dtype.kind == "i" else dtype or self.dtype
            given = expectedOf(array.astype(own)) if own == np.float16 else array
            outputs.append(Tensor(f"{op}_{len(self.nodes)}_{i}", given, own))
        self.nodes.append(helper.make_node(op, [x.name for x in inputs], [y.name for y in outputs],
                                           name=f"{op}_{len(self.nodes)}", **attributes))
        return outputs if isinstance(values, list) else outputs[0]

    def case(self, sample, outputs, **options):
        """With a dynamic batch, tested with that of the inputs."""
        name = f"batch {self.batch}, {np.dtype(self.dtype).name}"
        if self.dtype == np.float16:
            options = {"flags": ["--stronglyTyped"], "tolerance": 4e-3, **options}
        return Case(name, sample, {}, self.inputs, {y.name: y.values.astype(y.dtype) for y in outputs}, nodes=self.nodes,
                    **{"open": (0,), "tolerance": 1e-4, **options})

    # Nodes of the samples besides plugins

    def weights(self, *shape, scale=1.0):
        """Of a sum over all axes but the first; the scale is a power of 2."""
        terms = np.prod(shape[1:])
        if self.dtype == np.float16:
            share = min(1.0, 10 / terms)
            signs = self.random.choice([-1, 0, 1], shape, p=[share / 2, 1 - share, share / 2])
            return self.constant(signs * scale / 2)
        return self.constant(self.random.normal(0, scale * np.sqrt(2 / terms), shape))

    def bias(self, count):
        return self.constant(self.random.integers(-2, 3, count) / 4)

    def filters(self, x, channels, size=3, scale=1.0):
        """The weights of a convolution of x, which several maps may share."""
        return self.weights(channels, x.values.shape[1], size, size, scale=scale), self.bias(channels)

    def conv(self, x, filters, stride=1, pad=None):
        """As large as x unless stride or pad say otherwise."""
        weights, bias = filters
        size = weights.values.shape[2]
        pad = size // 2 if pad is None else pad
        wide = np.pad(x.values, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        windows = np.lib.stride_tricks.sliding_window_view(wide, (size, size), (2, 3))[:, :, ::stride, ::stride]
        y = np.tensordot(windows, weights.values, ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
        return self.node("Conv", [x, weights, bias], y + bias.values[:, None, None], kernel_shape=[size] * 2,
                         strides=[stride] * 2, pads=[pad] * 4)

    def reluConv(self, x, channels, size=3, **options):
        return self.relu(self.conv(x, self.filters(x, channels, size), **options))

    def doubled(self, x, channels):
        """A transposed convolution, 2 x 2 positions for each."""
        weights = self.weights(channels, x.values.shape[1], 2, 2).values.transpose(1, 0, 2, 3)
        y = np.einsum("nchw,coij->nohiwj", x.values, weights)
        n, o, h, _, w, _ = y.shape
        return self.node("ConvTranspose", [x, self.constant(weights)], y.reshape(n, o, 2 * h, 2 * w), kernel_shape=[2, 2],
                         strides=[2, 2])

    def dense(self, x, count):
        """x [N,K] → [N,count]."""
        weights, bias = self.weights(count, x.values.shape[1]), self.bias(count)
        return self.node("Gemm", [x, weights, bias], x.values @ weights.values.T + bias.values, transB=1)

    def relu(self, x):
        return self.node("Relu", [x], np.maximum(x.values, 0))

    def sigmoid(self, x):
        return self.node("Sigmoid", [x], 1 / (1 + np.exp(-x.values)))

    def softmax(self, x, axis):
        powers = np.exp(x.values - x.values.max(axis, keepdims=True))
        return self.node("Softmax", [x], powers / powers.sum(axis, keepdims=True), axis=axis)

    def reshape(self, x, *shape):
        """0 is the extent of x, -1 is inferred."""
        extents = [x.values.shape[axis] if extent == 0 else extent for axis, extent in enumerate(shape)]
        return self.node("Reshape", [x, self.constant(np.array(shape))], x.values.reshape(extents), x.dtype)

    def transpose(self, x, *order):
        return self.node("Transpose", [x], x.values.transpose(order), x.dtype, perm=order)

    def concat(self, tensors, axis):
        return self.node("Concat", tensors, np.concatenate([x.values for x in tensors], axis), tensors[0].dtype,
                         axis=axis)

    def part(self, x, axis, start, end):
        limits = [self.constant(np.array([value])) for value in (start, end, axis)]
        return self.node("Slice", [x, *limits], x.values.take(range(start, end), axis))

    def add(self, a, b):
        return self.node("Add", [a, b], a.values + b.values)

    def multiply(self, a, b):
        return self.node("Mul", [a, b], a.values * b.values)

    def cast(self, x, dtype):
        return x if x.dtype == dtype else self.node("Cast", [x], x.values, dtype, to=helper.np_dtype_to_tensor_dtype(
            np.dtype(dtype)))
