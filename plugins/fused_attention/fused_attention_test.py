# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of fMHA_V2 and fMHCA, by the formula in double precision."""
import numpy as np
from case import Case, shortTypes, withNan


def expected(q, k, v):
    """Of [B,S,N,H], [B,T,N,H] and [B,T,N,H]; [B,S,N,H]."""
    products = np.einsum("bsnh,btnh->bnst", q.astype(np.float64), k) / np.sqrt(q.shape[3])
    weights = np.exp(products - products.max(3, keepdims=True, initial=-np.inf))
    weights /= weights.sum(3, keepdims=True)
    return np.einsum("bnst,btnh->bsnh", weights, v).astype(q.dtype)


def itself(name, qkv, **options):
    y = expected(*(qkv[:, :, :, i] for i in range(3)))
    return Case(name, "fMHA_V2", {}, {"qkv": qkv}, {"y": y}, **options)


def cross(name, q, kv, **options):
    return Case(name, "fMHCA", {}, {"q": q, "kv": kv}, {"y": expected(q, kv[:, :, :, 0], kv[:, :, :, 1])}, **options)


def cases():
    random = np.random.default_rng(13)
    qkv = random.normal(0, 1, (3, 7, 2, 3, 8)).astype(np.float32)
    q = random.normal(0, 1, (3, 5, 2, 8)).astype(np.float32)
    kv = random.normal(0, 1, (3, 9, 2, 2, 8)).astype(np.float32)
    for make, inputs in ((itself, [qkv]), (cross, [q, kv])):
        yield make("open batch and sequence", *inputs, open=(0, 1))
        yield make("one sample", *(array[:1] for array in inputs))
        for name, dtype, options in shortTypes(4e-3):
            yield make(name, *(array.astype(dtype) for array in inputs), **options)
        yield make("no samples", *(array[:0] for array in inputs))
    yield itself("no sequence", qkv[:, :0])
    for part, name in enumerate(("query", "key", "value")):
        yield itself(f"NaN in a {name}", withNan(qkv, (1, 4, 1, part, 5)))
    yield cross("NaN in a query", withNan(q, (2, 3, 0, 1)), kv)
    for part, name in enumerate(("key", "value")):
        yield cross(f"NaN in a {name}", q, withNan(kv, (1, 4, 1, part, 5)))
    yield cross("no queries", q[:, :0], kv)
    yield Case("no keys", "fMHCA", {}, {"q": q, "kv": kv[:, :0]}, {"y": q * 0})
    yield Case("refused: parts", "fMHA_V2", {}, {"qkv": qkv[:, :, :, :2]}, {"y": q},
               refusal="fMHA_V2: input 'qkv' is [3,7,2,2,8]; expected [B,S,N,3,H]")
