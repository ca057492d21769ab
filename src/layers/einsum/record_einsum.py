#!/usr/bin/env python3
# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes einsum_test.txt: python3 src/layers/einsum/record_einsum.py (in the root of the repository)"""
import sys

import numpy as np

sys.path.insert(0, "tests/support")
from record import spread  # noqa: E402

# as in einsum_test.cpp
kCases = [("ij,jk->ik", [[2, 3], [3, 4]]), ("bij,bkj->bki", [[2, 3, 4], [2, 2, 4]]), ("ijk,kl", [[2, 3, 4], [4, 2]]),
          ("i,j->ji", [[3], [2]]), ("ij,ij->", [[2, 3], [2, 3]]), ("ijk->j", [[2, 3, 4]]), ("iij->ji", [[3, 3, 2]]),
          ("ii", [[4, 4]]), ("...ij,...jk->...ik", [[2, 1, 2, 3], [4, 3, 2]]), ("i...->...i", [[2, 3, 4]]),
          ("...,...", [[2, 3], [3]]), ("ab,bc,cd->da", [[2, 3], [3, 4], [4, 2]]), ("ijij->ij", [[2, 3, 2, 3]]),
          ("bhsd,bhtd->bhst", [[2, 2, 3, 4], [2, 2, 5, 4]]), ("ij,kl->ik", [[2, 3], [4, 2]]),
          ("nhwc,cd,d->nhwd", [[1, 2, 2, 3], [3, 4], [4]]), ("Ab,bA->A", [[2, 3], [3, 2]]), ("ij->ij", [[2, 3]]),
          ("i,i", [[1], [5]]), ("i,i->i", [[5], [1]]), ("ij,kj->ik", [[2, 1], [3, 4]]),
          ("bij,bjk->bik", [[1, 2, 3], [4, 1, 2]]), ("j,j,j->", [[1], [5], [1]])]

with open("src/layers/einsum/einsum_test.txt", "w") as out:
    for equation, shapes in kCases:  # numpy: ONNX Runtime takes no "..." of several lengths
        y = np.einsum(equation, *(spread(shape, -1, 1).astype(np.float64) for shape in shapes))
        print(equation, "[" + ",".join(map(str, y.shape)) + "]", " ".join(f"{v:.7g}" for v in y.flatten()), file=out)
