# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""A row of the table of models: how to make a module, its inputs, and its sizes."""
from dataclasses import dataclass, replace
from typing import Callable

import numpy


@dataclass
class Model:
    """inputs: name -> "KIND EXTENT…": extents are numbers or symbols. sizes: the symbols' values, one dict for each run.

    KIND: float (normal), unit (0 to 1), mask (int64; 1, and 0 at the end of all rows but the first), ones (int64),
    ids:N (int64 below N).
    """
    name: str
    make: Callable  # () -> torch.nn.Module, called with one tensor for each input
    inputs: dict
    sizes: list
    counts: bool = False  # elements decide extents (boxes are counted): rounded ones decide others
    opset: int = 17  # of torchscript; another one is exported by that exporter only
    half: bool = False  # exported in float16: weights, and floating point inputs

    def withOpset(self, opset):
        return replace(self, name=f"{self.name}_opset{opset}", opset=opset)

    def inHalf(self):
        return replace(self, name=f"{self.name}_float16", half=True)

    def isFor(self, exporter):
        return exporter == "torchscript" or self.opset == 17

    def dynamicAxes(self):
        """{input: {axis: symbol}}"""
        return {name: {axis: extent for axis, extent in enumerate(spec.split()[1:]) if not extent.isdigit()}
                for name, spec in self.inputs.items()}

    def arrays(self, run):
        """{input: array} of that run; deterministic."""
        return {name: one.astype(numpy.float16) if self.half and one.dtype == numpy.float32 else one
                for name, one in self.arraysAt(self.sizes[run], run + 1).items()}

    def manyArrays(self):
        """Samples for statistics, in float32: 16 if there is a batch."""
        return self.arraysAt(self.sizes[0] | ({"n": 16} if "n" in self.sizes[0] else {}), 0)

    def arraysAt(self, sizes, seed):
        random = numpy.random.default_rng(seed)
        return {name: array(spec, sizes, random) for name, spec in self.inputs.items()}


def array(spec, sizes, random):
    kind, *extents = spec.split()
    shape = [int(extent) if extent.isdigit() else sizes[extent] for extent in extents]
    if kind == "float":
        return random.standard_normal(shape).astype(numpy.float32)
    if kind == "unit":
        return random.random(shape, dtype=numpy.float32)
    if kind.startswith("ids:"):
        return random.integers(0, int(kind.removeprefix("ids:")), shape)
    values = numpy.ones(shape, numpy.int64)
    if kind == "mask":
        for row in range(1, shape[0]):
            values[row, max(1, shape[1] - row):] = 0
    return values


def sizesOf(text):
    """"n=2 h=64; n=1 h=96" -> [{"n": 2, "h": 64}, {"n": 1, "h": 96}]"""
    return [{word.split("=")[0]: int(word.split("=")[1]) for word in run.split()} for run in text.split(";")]
