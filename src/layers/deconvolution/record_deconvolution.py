#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes deconvolution_test.txt: python3 src/layers/deconvolution/record_deconvolution.py (in the repository's root)"""
import sys

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402


def case(name, x, w, bias=False, **attributes):
    inputs = [spread(x, -1, 1), spread(w, -0.5, 0.5)]
    inputs += [spread([w[1] * attributes.get("group", 1)], -1, 1)] if bias else []
    return name, "ConvTranspose", inputs, attributes


record("src/layers/deconvolution/deconvolution_test.txt", [
    case("doubling", [1, 18, 3, 4], [18, 20, 2, 2], True, strides=[2, 2]),
    case("oneChannel", [2, 24, 3, 3], [24, 1, 2, 2], True, strides=[2, 2]),
    case("padded", [1, 3, 4, 3], [3, 4, 3, 3], strides=[2, 1], pads=[1, 0, 0, 1]),
    case("dilated", [1, 3, 4, 3], [3, 4, 3, 2], True, dilations=[2, 2]),
    case("groups", [1, 6, 3, 3], [6, 2, 3, 2], True, group=3, strides=[1, 2]),
    case("outputPadding", [1, 3, 3, 4], [3, 2, 3, 3], True, strides=[3, 2], output_padding=[2, 1], pads=[1, 1, 1, 1]),
    case("outputShape", [1, 2, 3, 3], [2, 2, 3, 3], strides=[3, 2], output_shape=[10, 8]),
    case("shorterShape", [1, 2, 3, 3], [2, 2, 3, 3], strides=[2, 2], output_shape=[6, 4]),
    case("sameUpper", [1, 2, 3, 4], [2, 3, 4, 3], auto_pad="SAME_UPPER", strides=[1, 2]),
    case("sameLower", [1, 2, 3, 4], [2, 3, 4, 3], auto_pad="SAME_LOWER", strides=[1, 2]),
    case("line", [2, 3, 5], [3, 2, 4], True, strides=[3], pads=[1, 1]),
    case("volume", [1, 2, 2, 3, 2], [2, 3, 2, 2, 3], True, strides=[2, 1, 1]),
])
