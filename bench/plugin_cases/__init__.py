# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""A case for each folder of plugins/: nodes, their inputs, and the equivalent computation in torch."""
from plugin_cases import elementwise, heads, moves, normalizations, proposals, regions, suppressions, transformers

kFamilies = [elementwise, normalizations, moves, transformers, regions, suppressions, proposals, heads]


def casesFor(device):
    for family in kFamilies:
        for case in family.cases(device):
            yield case.on(device)
