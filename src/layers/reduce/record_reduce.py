#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes reduce_test.txt: python3 src/layers/reduce/record_reduce.py (in the root of the repository)"""
import sys

import numpy as np

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402

kNames = {"Sum": "Sum", "Prod": "Prod", "Max": "Max", "Min": "Min", "Avg": "Mean", "L1": "L1", "L2": "L2",
          "SumSquare": "SumSquare", "LogSum": "LogSum", "LogSumExp": "LogSumExp"}
kAxes = {"last": [-1], "first": [0], "spatial": [2, 3], "apart": [1, 3], "all": []}

record("src/layers/reduce/reduce_test.txt", [
    (f"{ours}.{place}", "Reduce" + theirs, [spread([2, 18, 2, 3], 0.9, 1.1), np.array(axes, np.int64)], {})
    for ours, theirs in kNames.items() for place, axes in kAxes.items()])
