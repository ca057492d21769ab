# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of FlattenConcat_TRT, by numpy; the first is the example of the published description."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, inputs, axis=1, ignoreBatch=0, **options):
    n = len(inputs[0])
    rows = np.concatenate([x.reshape(n, int(np.prod(x.shape[1:]))) for x in inputs], 1)
    shape = [n, 1, 1, 1]
    shape[axis if 1 <= axis <= 3 else 1] = rows.shape[1]
    return Case(name, "FlattenConcat_TRT", {"axis": axis, "ignoreBatch": ignoreBatch},
                {f"x{i}": x for i, x in enumerate(inputs)}, {"y": rows.reshape(shape)}, **options)


def cases():
    a, b = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2), np.arange(16, 40, dtype=np.float32).reshape(2, 3, 2, 2)
    for axis in (1, 2, 3):
        yield case(f"axis {axis}", [a, b], axis)
    yield case("one input", [a])
    other = np.random.default_rng(1).normal(0, 1, (2, 4, 3, 5)).astype(np.float32)
    yield case("open sizes", [a, b, other], open=(0, 1, 2, 3))
    yield case("seven inputs", [a, b, other] * 2 + [a])
    yield case("other ranks", [a.reshape(2, 8), b.reshape(2, 3, 2, 2, 1)])
    yield case("ignoreBatch leaves no sample out", [a, b], ignoreBatch=1)
    for count in (1, 3):
        yield case(f"{count} samples", [np.concatenate([x, x])[:count] for x in (a, b)], open=(0,))
    yield case("NaN", [a, withNan(b, (1, 2))])
    for name, dtype, options in shortTypes():
        yield case(name, [a.astype(dtype), b.astype(dtype)], **options)
    yield case("integers", [a.astype(np.int32), b.astype(np.int32)])
    yield case("an input without channels", [a, b[:, :0]])
    yield case("no samples", [a[:0], b[:0]])
    for axis in (0, 4):
        yield case(f"refused: axis {axis}", [a, b], axis, refusal="FlattenConcat_TRT: axis has to be given, 1 to 3, "
                                                                  f"counting the batch; found {axis}")
    yield Case("refused: no input", "FlattenConcat_TRT", {"axis": 1}, {}, {"y": a},
               refusal="FlattenConcat_TRT: has 0 inputs; expected 1 or more: inputs [N,?,?...]")
    yield Case("refused: other samples", "FlattenConcat_TRT", {"axis": 1}, {"a": a, "b": b[:1]}, {"y": a},
               refusal="FlattenConcat_TRT: input 'inputs' is [1,3,2,2]; expected [N,?,?...] with N = 2")
