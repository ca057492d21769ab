#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes pooling_test.txt: python3 src/layers/pooling/record_pooling.py (in the root of the repository)"""
import sys

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402


def case(name, op, x, size, **attributes):
    return name, op, [spread(x, -1, 1)], dict(attributes, kernel_shape=size)


kPads = dict(pads=[1, 0, 1, 1], strides=[2, 2])
record("src/layers/pooling/pooling_test.txt", [
    case("max", "MaxPool", [1, 18, 5, 6], [3, 2], **kPads),
    case("average", "AveragePool", [1, 18, 5, 6], [3, 2], **kPads),
    case("averageWithPadding", "AveragePool", [1, 18, 5, 6], [3, 2], count_include_pad=1, **kPads),
    case("maxDilated", "MaxPool", [1, 3, 7, 8], [2, 3], dilations=[3, 2], pads=[1, 1, 1, 1]),
    case("averageDilated", "AveragePool", [1, 3, 7, 8], [2, 3], dilations=[3, 2], pads=[1, 1, 1, 1]),
    case("maxUp", "MaxPool", [1, 2, 6, 7], [3, 3], strides=[2, 3], ceil_mode=1, pads=[0, 1, 0, 1]),
    case("averageUp", "AveragePool", [1, 2, 6, 7], [3, 3], strides=[2, 3], ceil_mode=1, pads=[0, 1, 0, 1]),
    case("averageUpWithPadding", "AveragePool", [1, 2, 6, 7], [3, 3], strides=[2, 3], ceil_mode=1, pads=[0, 1, 0, 1],
         count_include_pad=1),
    case("noneInPadding", "MaxPool", [1, 1, 4, 4], [1, 1], strides=[2, 2], ceil_mode=1),
    case("sameUpper", "AveragePool", [1, 2, 5, 6], [2, 4], auto_pad="SAME_UPPER", strides=[2, 1]),
    case("sameLower", "MaxPool", [1, 2, 5, 6], [2, 4], auto_pad="SAME_LOWER", strides=[2, 1]),
    case("lp", "LpPool", [1, 3, 5, 6], [2, 3], p=3, strides=[1, 2]),
    case("lpOfOne", "LpPool", [1, 2, 5, 6], [2, 2], p=1, pads=[1, 0, 0, 1]),
    case("line", "MaxPool", [2, 3, 9], [4], strides=[2], pads=[1, 2]),
    case("volume", "AveragePool", [1, 3, 4, 5, 4], [2, 3, 2], strides=[1, 2, 1], pads=[0, 1, 1, 1, 1, 0]),
])
