#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes roi_align_test.txt: python3 src/layers/roi_align/record_roi_align.py (in the repository's root)"""
import sys

import numpy as np

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402

# inside, across an edge, outside, turned round, without extent
kRois = np.array([[1, 2, 9, 8], [-3, -2, 4, 5], [30, 30, 40, 40], [6, 6, 2, 3], [5, 5, 5, 5]], np.float32)
kItems = np.array([0, 1, 0, 1, 0], np.int64)


def case(name, **attributes):
    return name, "RoiAlign", [spread([2, 3, 7, 10], -1, 1), kRois, kItems], attributes


record("src/layers/roi_align/roi_align_test.txt", [
    case("halfPixel", output_height=2, output_width=3, sampling_ratio=2, spatial_scale=0.5),
    case("wholePixel", output_height=2, output_width=3, sampling_ratio=2, spatial_scale=0.5,
         coordinate_transformation_mode="output_half_pixel"),
    case("asManyAsElements", output_height=3, output_width=2, spatial_scale=0.75),
    case("asManyAsElementsWholePixel", output_height=3, output_width=2, spatial_scale=0.75,
         coordinate_transformation_mode="output_half_pixel"),
], opset=16)
