# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""A case for plugins/run_cases."""
from dataclasses import dataclass, field

import numpy as np
from ml_dtypes import bfloat16


@dataclass
class Case:
    name: str  # a sentence
    op: str
    attributes: dict
    inputs: dict  # name -> array
    outputs: dict  # name -> expected array; of a refusal, arrays of any values
    open: tuple | dict = ()  # axes that are dynamic in the file, of all tensors, or by name
    flags: list = field(default_factory=list)  # of trtexec
    tolerance: float = 1e-5
    refusal: str = ""  # the text that building fails with
    runRefusal: str = ""  # the text that running fails with
    seenByCpuOnly: bool = False  # the refusal depends on elements, which the host does not see on a GPU
    domain: str = ""  # of the node: not ONNX's if that has an operator of the same name
    scales: dict = field(default_factory=dict)  # name -> scale of a tensor of the node that is INT8, by QuantizeLinear
    nodes: list = field(default_factory=list)  # of a model of several nodes; op is then its name, attributes are none

    def isOpen(self, tensor, axis):
        return axis in (self.open.get(tensor, ()) if isinstance(self.open, dict) else self.open)


def shortTypes(tolerance=1e-5):
    """HALF and BF16: the case's suffix, the type, and the options; bfloat16 has two bits less of accuracy."""
    for name, dtype, factor in (("half precision", np.float16, 1), ("bfloat16", bfloat16, 4)):
        yield name, dtype, {"flags": ["--stronglyTyped"], "tolerance": factor * tolerance}


def quantized(array, scale):
    """An array after quantization to INT8 with that scale."""
    return (np.clip(np.rint(array / np.float32(scale)), -128, 127) * np.float32(scale)).astype(array.dtype)


def withNan(array, *places):
    """A copy with NaN at these indices."""
    array = array.copy()
    for place in places:
        array[place] = np.nan
    return array
