# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes Caffe's files: deploy files as text, weights in protobuf's binary format."""
import numpy as np


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def blob(values, oldShape=False):
    """A BlobProto; with the four extents of old files if `oldShape`."""
    values = np.asarray(values, np.float32)
    data = field(5, values.tobytes())
    if oldShape:
        extents = (1,) * (4 - values.ndim) + values.shape
        return b"".join(varint(i + 1 << 3) + varint(extent) for i, extent in enumerate(extents)) + data
    return data + field(7, field(1, b"".join(map(varint, values.shape))))


def weights(layers, old=False):
    """A NetParameter with the blobs of layers by name; as V1LayerParameter if `old`."""
    number, name, blobs = (2, 4, 6) if old else (100, 1, 7)
    return b"".join(field(number, field(name, layer.encode()) + b"".join(field(blobs, blob(values, old)) for values in arrays))
                    for layer, arrays in layers.items())


def inputs(arrays):
    return "".join(f'input: "{name}" input_shape {{ {" ".join(f"dim: {extent}" for extent in values.shape)} }}\n'
                   for name, values in arrays)


def layer(name, kind, bottoms, tops, parameters=""):
    lines = [f'name: "{name}" type: "{kind}"', *(f'bottom: "{bottom}"' for bottom in bottoms), *(f'top: "{top}"' for top in tops)]
    return f"layer {{ {' '.join(lines)} {parameters} }}\n"


def oneLayer(case):
    names = [f"x{i}" for i in range(len(case.inputs))]
    text = inputs(zip(names, case.inputs)) + layer("layer", case.kind, names, list(case.expected), case.parameters)
    return text, weights({"layer": case.blobs}, case.isOld) if case.blobs else weights({"other": [np.zeros(1)]})
