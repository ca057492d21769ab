#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes attention_test.txt: python3 src/layers/attention/record_attention.py (in the root)"""
import sys

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402


def attention(name, query, key, value, mask=None, **attributes):
    tensors = [spread(query, -1, 1), spread(key, -2, 2), spread(value, -1, 1)]
    if mask is not None:
        tensors.append(mask)
    return name, "Attention", tensors, attributes


record("src/layers/attention/attention_test.txt", [
    attention("plain", [2, 3, 7, 8], [2, 3, 17, 8], [2, 3, 17, 5], scale=1.0),
    attention("scaled", [1, 2, 17, 15], [1, 2, 7, 15], [1, 2, 7, 15], scale=0.25),
    attention("causal", [1, 2, 9, 8], [1, 2, 12, 8], [1, 2, 12, 8], scale=1.0, is_causal=1),
    attention("added", [2, 2, 5, 4], [2, 2, 6, 4], [2, 2, 6, 4], spread([5, 6], -3, 3), scale=1.0),
    attention("addedToHeads", [2, 3, 5, 4], [2, 3, 6, 4], [2, 3, 6, 4], spread([2, 3, 5, 6], -3, 3), scale=1.0),
    attention("leftOut", [2, 2, 5, 4], [2, 2, 6, 4], [2, 2, 6, 4], spread([5, 6], -1, 3) > 0, scale=1.0),
    attention("shared", [1, 6, 4, 8], [1, 2, 5, 8], [1, 2, 5, 8], scale=1.0),
], opset=23)
