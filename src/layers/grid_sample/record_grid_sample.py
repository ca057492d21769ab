#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes grid_sample_test.txt: python3 src/layers/grid_sample/record_grid_sample.py (in the repository's root)"""
import sys

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402

kModes = {"nearest": "Nearest", "linear": "Linear", "cubic": "Cubic"}
kPaddings = {"zeros": "Zeros", "border": "Border", "reflection": "Reflection"}


def case(x, grid, mode, padding, align):
    name = f"{len(x) - 2}{kModes[mode]}{kPaddings[padding]}{align}"
    inputs = [spread(x, -1, 1), spread(grid, -2.4, 2.4)]
    return name, "GridSample", inputs, {"mode": mode, "padding_mode": padding, "align_corners": align}


def cases(x, grid, modes):
    return [case(x, grid, mode, padding, align) for mode in modes for padding in kPaddings for align in (0, 1)]


record("src/layers/grid_sample/grid_sample_test.txt",
       cases([2, 3, 5, 6], [2, 7, 4, 2], kModes) + cases([1, 11, 3, 4, 5], [1, 3, 2, 5, 3], ["nearest", "linear"]))
