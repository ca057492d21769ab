#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes normalization_test.txt: python3 src/layers/normalization/record_normalization.py (in the root of the
repository)"""
import sys

sys.path.insert(0, "tests/support")
from record import record, spread  # noqa: E402


def case(name, op, dims, parameters, **attributes):
    return name, op, [spread(dims, -2, 3), spread(parameters, 0.5, 2), spread(parameters, -1, 1)], attributes


record("src/layers/normalization/normalization_test.txt", [
    *(case(f"layer.{n}", "LayerNormalization", [3, n], [n]) for n in (1, 7, 31, 120)),
    case("layer.lastTwo", "LayerNormalization", [2, 3, 4, 5], [4, 5], axis=-2, epsilon=0.25),
    case("layer.all", "LayerNormalization", [3, 4, 5], [3, 4, 5], axis=0),
    case("layer.last", "LayerNormalization", [2, 3, 40], [40], axis=2),
    case("instance", "InstanceNormalization", [2, 6, 3, 5], [6]),
    case("instance.line", "InstanceNormalization", [2, 3, 16], [3], epsilon=0.5),
    case("group.3", "GroupNormalization", [2, 6, 3, 5], [6], num_groups=3),
    case("group.wide", "GroupNormalization", [2, 4, 4, 4], [4], num_groups=2),
    case("group.1", "GroupNormalization", [2, 6, 3, 5], [6], num_groups=1),
])
