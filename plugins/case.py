# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""What plugins/run_cases runs."""
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
    open: tuple | dict = ()  # axes whose extents the file leaves open, of all tensors, or by name
    flags: list = field(default_factory=list)  # of trtexec
    tolerance: float = 1e-5
    refusal: str = ""  # the text that building fails with
    runRefusal: str = ""  # the text that running fails with
    seenByCpuOnly: bool = False  # the refusal: it is of elements, which a GPU's host does not see
    domain: str = ""  # of the node: another one than ONNX's where that has an operator of the same name
    scales: dict = field(default_factory=dict)  # name -> that of a tensor of the node that is INT8, by QuantizeLinear
    nodes: list = field(default_factory=list)  # of a model of several; op is what it is called then, attributes are none

    def isOpen(self, tensor, axis):
        return axis in (self.open.get(tensor, ()) if isinstance(self.open, dict) else self.open)


def shortTypes(tolerance=1e-5):
    """HALF and BF16: what a case is called, the type, and the options; of bfloat16 two bits less are right."""
    for name, dtype, factor in (("half precision", np.float16, 1), ("bfloat16", bfloat16, 4)):
        yield name, dtype, {"flags": ["--stronglyTyped"], "tolerance": factor * tolerance}


def quantized(array, scale):
    """What INT8 of that scale keeps of an array."""
    return (np.clip(np.rint(array / np.float32(scale)), -128, 127) * np.float32(scale)).astype(array.dtype)


def withNan(array, *places):
    """A copy in which what stands at these places is not a number."""
    array = array.copy()
    for place in places:
        array[place] = np.nan
    return array
