#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes deform_convolution_test.txt: python3 src/layers/deform_convolution/record_deform_convolution.py (in the repository's root)"""
import sys

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402


def case(name, x, w, places, bias=False, mask=False, **attributes):
    """`places`: how many the filters have, down and to the right."""
    elements = attributes.get("offset_group", 1) * w[2] * w[3]
    inputs = [spread(x, -1, 1), spread(w, -0.5, 0.5), spread([x[0], 2 * elements, *places], -1.7, 1.7)]
    inputs += [spread([w[0]], -1, 1) if bias else None, spread([x[0], elements, *places], 0, 1) if mask else None]
    while inputs[-1] is None:
        inputs.pop()
    return name, "DeformConv", inputs, attributes


record("src/layers/deform_convolution/deform_convolution_test.txt", [
    case("plain", [1, 2, 5, 6], [3, 2, 2, 3], [4, 4]),
    case("factors", [2, 4, 5, 6], [6, 2, 3, 2], [3, 5], True, True, group=2, offset_group=2, strides=[2, 1],
         dilations=[1, 2], pads=[1, 0, 1, 1]),
])
