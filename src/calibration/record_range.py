#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes what range_test.cpp expects, by the formula and SciPy: record_range.py > range_test.txt

Of each distribution, its name, and its ranges by entropy and by the same among cuts that do not add to the squared error.
"""
import numpy as np
from scipy.stats import entropy

kBins, kLevels = 2048, 128


def spread(count):
    """As in range_test.cpp: the same numbers from 0 to 1."""
    state, values = 12345, np.empty(count, np.float32)
    for i in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        values[i] = np.float32(state >> 8) / np.float32(16777216)
    return values


def divergence(counts, kept):
    inside = counts[:kept].astype(float)
    p = inside.copy()
    p[-1] += counts[kept:].sum()
    level = np.arange(kept) * kLevels // kept
    average = np.bincount(level, inside) / np.maximum(np.bincount(level, inside > 0), 1)
    return entropy(p, np.where(inside > 0, average[level], 0))


def lost(counts, kept):
    """Squared, in bins: of what is cut exactly, of what is rounded as if it were spread evenly."""
    x = np.arange(kBins) + 0.5
    return counts[:kept].sum() * (kept / 127) ** 2 / 12 + (counts[kept:] * (x[kept:] - kept) ** 2).sum()


def ranges(values):
    most = float(np.abs(values).max())
    counts, _ = np.histogram(np.abs(values[values != 0]).astype(float), kBins, (0, most))
    candidates = range(kBins, kLevels - 1, -1)
    by = {kept: divergence(counts, kept) for kept in candidates}
    close = [kept for kept in candidates if lost(counts, kept) <= lost(counts, kBins)]
    return [(min(among, key=by.get) + 0.5) * most / kBins for among in (candidates, close)]


u = spread(40000)
a, b, c, d = u[:10000], u[10000:20000], u[20000:30000], u[30000:]
print("products", *ranges(a * b * c * d))
print("long_tail", *ranges(np.float32(1) / (u + np.float32(0.01))))
print("rectified", *ranges(np.maximum(a * b * c - np.float32(0.25), np.float32(0))))
print("even_background", *ranges(np.where(u < np.float32(0.6), np.float32(0.25), u)))
print("even", *ranges(u))
