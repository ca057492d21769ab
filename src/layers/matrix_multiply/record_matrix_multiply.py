#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes matrix_multiply_test.txt: python3 src/layers/matrix_multiply/record_matrix_multiply.py (in the root)"""
import sys

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402


def matmul(name, a, b):
    return name, "MatMul", [spread(a, -1, 1), spread(b, -1, 1)], {}


def gemm(name, a, b, **attributes):
    return name, "Gemm", [spread(a, -1, 1), spread(b, -1, 1)], attributes


record("src/layers/matrix_multiply/matrix_multiply_test.txt", [
    matmul("matrices", [5, 18], [18, 20]),
    matmul("rows", [2, 3, 4, 5], [5, 6]),
    matmul("stacks", [2, 3, 4, 5], [3, 5, 2]),
    matmul("broadcast", [3, 1, 2, 4], [5, 4, 3]),
    matmul("oneTimesMany", [4, 3], [2, 3, 5]),
    matmul("vectorLeft", [4], [2, 4, 3]),
    matmul("vectorRight", [2, 3, 4], [4]),
    matmul("dot", [6], [6]),
    gemm("transposed", [6, 4], [5, 6], transA=1, transB=1),
])
