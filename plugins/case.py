# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""What plugins/run_cases runs."""
from dataclasses import dataclass, field


@dataclass
class Case:
    name: str  # a sentence
    op: str
    attributes: dict
    inputs: dict  # name -> array
    outputs: dict  # name -> expected array; of a refusal, arrays of any values
    open: tuple | dict = ()  # axes of all tensors whose extents the file leaves open; or name -> those of a tensor
    flags: list = field(default_factory=list)  # of trtexec
    tolerance: float = 1e-5
    refusal: str = ""  # the text that building fails with
    runRefusal: str = ""  # the text that running fails with

    def isOpen(self, tensor, axis):
        return axis in (self.open.get(tensor, ()) if isinstance(self.open, dict) else self.open)
