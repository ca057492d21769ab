# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of SingleStepLSTMPlugin, each layer by ONNX Runtime's LSTM, whose gates are in the order i, o, f, g."""
import numpy as np
from case import Case, shortTypes, withNan
from reference import onnxNodes


def layerOf(given, hidden, cell, weights, bias, size):
    """hidden and cell after one step; `given` is [rows, size of the input]."""
    gates = lambda array: array.reshape(4, size, -1)[[0, 3, 1, 2]].reshape(1, 4 * size, -1)
    split = 4 * size * given.shape[1]
    forget = np.repeat(np.array([0, 1, 0, 0], np.float32), size) # the forget gate adds one
    biases = np.concatenate([gates(bias + forget)[..., 0], np.zeros((1, 4 * size), np.float32)], 1)
    return [array[0] for array in onnxNodes(
        "LSTM", [given[None], gates(weights[:split]), gates(weights[split:]), biases, None, hidden[None], cell[None]],
        3, hidden_size=size)[1:]]


def expected(x, attention, layers, size):
    """layers: hidden, cell, weights and bias of each."""
    rows = x.shape[0] * x.shape[1]
    given, hiddens, cells = x.reshape(rows, -1), [], []
    for i, (hidden, cell, weights, bias) in enumerate(layers):
        fed = np.concatenate([given, attention.reshape(rows, -1)], 1)
        out = layerOf(fed, hidden.reshape(rows, -1), cell.reshape(rows, -1), weights.reshape(-1), bias.reshape(-1), size)
        given = out[0] + (given if i > 0 else 0)
        hiddens.append(out[0])
        cells.append(out[1])
    return [array.reshape(*x.shape[:3], size) for array in (given, *hiddens, *cells)]


def some(random, layers, batch, beams, sizes):
    """x, attention and the layers; sizes: of the input, the attention, the hidden state."""
    inputSize, attentionSize, size = sizes
    def normal(*shape):
        return random.normal(0, 0.5, shape).astype(np.float32)
    def layer(i):
        fed = (size if i else inputSize) + attentionSize
        state = (batch, beams, 1, size)
        return [normal(*state), normal(*state), normal(1, 1, 4 * size * (fed + size)), normal(1, 1, 4 * size)]
    return [normal(batch, beams, 1, inputSize), normal(batch, beams, 1, attentionSize), [layer(i) for i in range(layers)]]


def converted(given, dtype):
    x, attention, layers = given
    return x.astype(dtype), attention.astype(dtype), [[array.astype(dtype) for array in layer] for layer in layers]


def case(name, given, fields=None, outputs=None, **options):
    x, attention, layers = given
    size = layers[0][0].shape[3]
    fields = {"numLayers": len(layers), "hiddenSize": size, "attentionSize": attention.shape[3],
              "beamSize": x.shape[1], "dataType": 1, **(fields or {})}
    if outputs is None:
        outputs = expected(x, attention, layers, size)
    inputs = {"x": x, "attention": attention}
    for i, kind in enumerate(("hidden", "cell", "weights", "bias")):
        inputs.update({f"{kind}_{j}": layer[i] for j, layer in enumerate(layers)})
    names = ["y", *(f"hidden_out_{i}" for i in range(len(layers))), *(f"cell_out_{i}" for i in range(len(layers)))]
    return Case(name, "SingleStepLSTMPlugin", fields, inputs, dict(zip(names, outputs)), **options)


def cases():
    random = np.random.default_rng(24)
    given = some(random, 3, 3, 2, (20, 20, 20))
    yield case("three layers", given)
    yield case("one layer", some(random, 1, 1, 1, (20, 20, 20)))
    yield case("sizes of the input, the attention and the state that differ", some(random, 2, 3, 4, (5, 37, 18)))
    yield case("eight layers", some(random, 8, 1, 2, (8, 8, 8)))
    x, attention, layers = given
    yield case("no sentences", [x[:0], attention[:0], [[h[:0], c[:0], w, b] for h, c, w, b in layers]],
               outputs=[np.zeros((0, 2, 1, 20), np.float32)] * 7)
    yield case("weights of four axes", [x, attention, [[h, c, w[None], b[None]] for h, c, w, b in layers]])
    for name, dtype, options in shortTypes(3e-3):
        short = converted(given, dtype)
        wide = expected(*converted(short, np.float32), 20)
        yield case(name, short, outputs=[array.astype(dtype) for array in wide], **options)
    yield case("NaN in one beam stays there", (withNan(x, (1, 1)), attention, layers),
               outputs=[withNan(array, (1, 1)) for array in expected(*given, 20)])
    states = {f"{name}_{i}": (0, ) for i in range(3) for name in ("hidden", "cell", "hidden_out", "cell_out")}
    yield case("an open number of sentences", given, open={"x": (0, ), "attention": (0, ), "y": (0, ), **states})
    outputs = expected(*given, 20)
    number = "hiddenSize, attentionSize and beamSize have to be given, 1 or more"
    for text, fields in [("numLayers has to be given, 1 to 65536", {"numLayers": 0}),
                         (number, {"hiddenSize": 0}), (number, {"attentionSize": 0}), (number, {"beamSize": 0}),
                         ("x has 2 beams; expected 3, by the fields", {"beamSize": 3}),
                         ("attention has 20 numbers for each beam; expected 21, by the fields", {"attentionSize": 21}),
                         ("hidden_0 has 20 numbers for each beam; expected 21, by the fields", {"hiddenSize": 21})]:
        yield case(f"refused: {text} {fields}", given, fields, outputs, refusal="SingleStepLSTMPlugin: " + text)
    short = [[h, c, w if i != 1 else w[..., 1:], b] for i, (h, c, w, b) in enumerate(layers)]
    yield case("refused: weights", [x, attention, [[h, c, w[..., 1:], b] for h, c, w, b in layers]], outputs=outputs,
               refusal="SingleStepLSTMPlugin: weights_0 has 4799 numbers; expected 4800, by the fields")
    yield case("refused: a bias", [x, attention, [[h, c, w, b[..., 1:]] for h, c, w, b in layers]], outputs=outputs,
               refusal="SingleStepLSTMPlugin: bias_0 has 79 numbers; expected 80, by the fields")
    yield case("refused: weights of one layer", [x, attention, short], outputs=outputs,
               refusal="SingleStepLSTMPlugin: input 'weights_2' is [1,1,4800]; expected")
