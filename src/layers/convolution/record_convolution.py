#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes convolution_test.txt: python3 src/layers/convolution/record_convolution.py (in the root of the repository)"""
import sys

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402


def case(name, x, w, bias=False, **attributes):
    inputs = [spread(x, -1, 1), spread(w, -0.5, 0.5)] + ([spread([w[0]], -1, 1)] if bias else [])
    return name, "Conv", inputs, attributes


record("src/layers/convolution/convolution_test.txt", [
    case("plain", [1, 3, 6, 7], [4, 3, 3, 3], True, pads=[1, 1, 1, 1]),
    case("manyChannels", [1, 20, 4, 5], [18, 20, 1, 1], True),
    case("wide3x3", [2, 18, 5, 4], [20, 18, 3, 3], True, pads=[1, 1, 1, 1]),
    case("uneven", [1, 5, 7, 8], [6, 5, 2, 3], pads=[0, 1, 2, 0], strides=[2, 3]),
    case("depthwise", [1, 18, 6, 6], [18, 1, 3, 3], True, group=18, pads=[1, 1, 1, 1], strides=[2, 1]),
    case("depthwise5x5", [1, 16, 7, 6], [16, 1, 5, 5], True, group=16, pads=[2, 2, 2, 2]),
    case("multiplier", [1, 4, 5, 5], [8, 1, 3, 3], group=4),
    case("groups", [1, 8, 5, 4], [6, 4, 2, 2], True, group=2),
    case("dilated", [1, 4, 9, 8], [3, 4, 3, 2], True, dilations=[3, 2]),
    case("line", [2, 5, 9], [4, 5, 3], True, pads=[1, 2], strides=[2]),
    case("volume", [1, 3, 4, 5, 4], [5, 3, 2, 3, 2], True, pads=[0, 1, 0, 1, 0, 1]),
    case("sameUpper", [1, 3, 5, 6], [2, 3, 3, 2], auto_pad="SAME_UPPER", strides=[2, 1]),
    case("sameLower", [1, 3, 5, 6], [2, 3, 3, 2], auto_pad="SAME_LOWER", strides=[2, 1]),
])
