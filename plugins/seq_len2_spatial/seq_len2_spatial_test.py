# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of SeqLen2Spatial, by the formula."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, sequence, bias, residual, shape, **options):
    form = np.zeros(shape, np.float32)
    y = np.transpose((sequence.astype(np.float64) + bias + residual).astype(sequence.dtype), (0, 2, 1))
    y = y.reshape(shape if y.size == form.size else y.shape + (1, ))
    inputs = {"sequence": sequence, "bias": bias, "residual": residual, "map": form}
    return Case(name, "SeqLen2Spatial", {}, inputs, {"y": y}, **options)


def cases():
    random = np.random.default_rng(11)
    sequence, residual = (random.normal(0, 1, (3, 20, 6)).astype(np.float32) for _ in range(2))
    bias = random.normal(0, 1, 6).astype(np.float32)
    yield case("a map of 4 times 5", sequence, bias, residual, (3, 6, 4, 5))
    yield case("open batch and positions", sequence, bias, residual, (3, 6, 20, 1),
               open={"sequence": (0, 1), "residual": (0, 1), "map": (0, 2)})
    yield case("one sample", sequence[:1], bias, residual[:1], (1, 6, 10, 2))
    for name, dtype, options in shortTypes(4e-3):
        yield case(name, *(array.astype(dtype) for array in (sequence, bias, residual)), (3, 6, 4, 5), **options)
    yield case("NaN", withNan(sequence, (1, 2, 3)), bias, withNan(residual, (2, 3)), (3, 6, 4, 5))
    yield case("no samples", sequence[:0], bias, residual[:0], (0, 6, 4, 5))
    yield case("no positions", sequence[:, :0], bias, residual[:, :0], (3, 6, 0, 5))
    yield case("refused: positions", sequence, bias, residual, (3, 6, 4, 4),
               refusal="SeqLen2Spatial: the sequence has 20 elements, the map 4 times 4")
