# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Types and common parts of the cases of bench/plugins.py."""
from dataclasses import dataclass, field, replace
from typing import Callable

import numpy as np


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def uniform(*shape, seed=0):
    return np.random.default_rng(seed).random(shape, dtype=np.float32)


def corners(count, height, width, seed=1, least=16, most=316):
    """Boxes [count,4] x1, y1, x2, y2 in an image, in pixels."""
    random = np.random.default_rng(seed)
    size = random.random((count, 2), dtype=np.float32) * (most - least) + least
    start = random.random((count, 2), dtype=np.float32) * (np.float32([width, height]) - size)
    return np.concatenate([start, start + size], 1).astype(np.float32)


@dataclass
class Device:
    """The target of cases: float32 on the CPU; float16 on a GPU, there mostly with larger shapes."""
    isGpu: bool

    def pick(self, onCpu, onGpu):
        return onGpu if self.isGpu else onCpu

    @property
    def typeId(self):
        """A field of BERT's plugins."""
        return self.pick(0, 1)


def sameValues(own, peers, tolerance):
    """The mean difference, or None."""
    for i, (values, expected) in enumerate(zip(own, peers)):
        if values.size != expected.size:
            return f"output {i} has {values.size} elements, the peer's {expected.size}"
        difference = np.abs(values.reshape(-1).astype(np.float64) - expected.reshape(-1)).mean()
        size = np.abs(expected.astype(np.float64)).mean()
        if not difference <= tolerance * max(size, 1e-6):
            return f"output {i} differs by {difference:.2g} of {size:.2g} from the peer's, on the average"
    return None


def sameBoxes(rowsOf):
    """Compares the number of boxes, and their mean: which of two overlapping boxes is kept may depend on the last bit. `rowsOf`
    the outputs [n,numbers] are compared with the peer's first output."""
    def compare(own, peers, tolerance):
        rows, expected = rowsOf(own).astype(np.float64), peers[0].astype(np.float64)
        slack = 0.01 + tolerance
        if abs(len(rows) - len(expected)) > max(1, slack * len(expected)) or len(expected) == 0:
            return f"there are {len(rows)} boxes, of the peer's {len(expected)}"
        difference = np.abs(rows.mean(0) - expected.mean(0)).max()
        size = np.abs(expected).mean()
        return f"the boxes' means differ by {difference:.2g} of {size:.2g}" if difference > slack * size else None
    return compare


def filled(rows):
    """Those with a nonzero element."""
    rows = rows.reshape(-1, rows.shape[-1])
    return rows[np.any(rows != 0, axis=1)]


@dataclass
class Case:
    name: str
    op: str
    attributes: dict
    inputs: dict  # name -> array
    peer: Callable  # of inputs, constants and parameters as torch tensors; returns the first of the outputs
    outputs: int = 1
    constants: dict = field(default_factory=dict)  # inputs whose values are in the file
    parameters: list = field(default_factory=list)  # arrays that only the peer has; the node has them as attributes
    floats: tuple = ()  # inputs of the node that stay float32 in a float16 case
    isReal: bool = True  # whether the plugin supports float16
    domain: str = ""  # the domain, if not ONNX's, which may have an operator of the same name
    alike: Callable = sameValues  # of outputs, those of the peer, a tolerance: a text, or None
    channelsLast: tuple = ()  # inputs and outputs that are kHWC8 in Tenon
    products: int = 0  # multiply-adds that a matrix unit could compute
    isHalf: bool = False

    def on(self, device):
        """The case in the type of the device."""
        if not device.isGpu or not self.isReal:
            return self
        halves = lambda tensors: {name: values if name in self.floats else half(values) for name, values in tensors.items()}
        return replace(self, name=self.name + ", float16", isHalf=True, inputs=halves(self.inputs),
                       constants=halves(self.constants))

    def peerArrays(self):
        """float16 if the case is: torch requires one type for all."""
        arrays = [*self.inputs.values(), *self.constants.values(), *self.parameters]
        return [half(array) for array in arrays] if self.isHalf else arrays

    @property
    def tolerance(self):
        return 3e-2 if self.isHalf else 1e-3


def half(array):
    return array.astype(np.float16) if array.dtype == np.float32 else array
