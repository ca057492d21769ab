# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CustomQKVToContextPluginDynamic, by the formula in double precision."""
import numpy as np
from case import Case, quantized, shortTypes, withNan

kName = "CustomQKVToContextPluginDynamic"
kHeads, kSize = 2, 4
kFields = {"hidden_size": kHeads * kSize, "num_heads": kHeads}


def attention(qkv, count):
    """Of one sequence [S,N,3,H] with that many valid elements; [S,N*H]."""
    q, k, v = (qkv[:, :, i].astype(np.float64) for i in range(3))
    products = np.einsum("snh,tnh->nst", q, k[:count]) / np.sqrt(kSize)
    weights = np.exp(products - products.max(2, keepdims=True, initial=-np.inf))
    weights /= weights.sum(2, keepdims=True)
    return np.einsum("nst,tnh->snh", weights, v[:count]).reshape(len(qkv), kHeads * kSize)


def case(name, version, fields, inputs, y, **options):
    return Case(f"version {version}, {name}", kName, {"plugin_version": version, **kFields, **fields}, inputs, {"y": y},
                **options)


def batch(name, version, qkv, lengths, fields=None, **options):
    """qkv is [S,B,N,3,H]; lengths None: no mask."""
    counts = [len(qkv)] * qkv.shape[1] if lengths is None else lengths
    y = np.zeros((*qkv.shape[:2], kHeads * kSize), qkv.dtype)
    for i, count in enumerate(counts):
        y[:, i] = attention(qkv[:, i], count)
    inputs = {"qkv": qkv.reshape(*qkv.shape[:2], 3 * kHeads * kSize, 1, 1)}
    if lengths is not None:
        mask = np.array(lengths, np.int32)
        inputs["mask"] = mask[:, None] if version in "14" else mask
    fields = {"type_id": 0, "has_mask": int(lengths is not None), **(fields or {})}
    return case(name, version, fields, inputs, y[..., None, None], **options)


def rows(name, version, qkv, starts, fields=None, scales=None, **options):
    """qkv is [T,N,3,H]; scales: those of INT8 input and output."""
    given = qkv if scales is None else np.clip(np.rint(qkv / scales[0]), -128, 127) * scales[0]
    parts = [attention(given[begin:end], end - begin) for begin, end in zip(starts, starts[1:])]
    y = np.concatenate(parts)
    starts, longest = np.array(starts, np.int32), np.zeros(max(np.diff(starts)), np.int32)
    if version in "25":
        inputs = {"qkv": qkv.reshape(-1, 3 * kHeads * kSize, 1, 1), "mask": np.array(0, np.int32), "starts": starts,
                  "longest": longest}
        return case(name, version, {"type_id": 0, "has_mask": 1, "var_seqlen": 1, **(fields or {})}, inputs,
                    y[..., None, None].astype(qkv.dtype), **options)
    columns = np.transpose(given, (2, 1, 3, 0)).reshape(1, 3 * kHeads * kSize, len(qkv), 1)
    y = np.transpose(y)[None, ..., None]
    if scales:
        columns, y = (np.clip(np.rint(array / scale), -128, 127) for array, scale in zip((columns, y), scales))
    dtype = np.int8 if scales else qkv.dtype
    inputs = {"qkv": np.ascontiguousarray(columns).astype(dtype), "starts": starts, "longest": longest}
    return case(name, version, fields or {}, inputs, y.astype(dtype), **options)


def int8(make, version, qkv, lengths, fields):
    """A batch or rows of INT8. The scale of the input is coarse, so that its rounding error exceeds a step of the output."""
    exact, made = (make("INT8", version, given, lengths, fields) for given in (qkv, quantized(qkv, 0.25)))
    made.inputs, made.scales, made.tolerance = exact.inputs, {"qkv": 0.25, "y": 0.02}, 0.02
    made.outputs = {"y": quantized(made.outputs["y"], 0.02)}
    return made


def refused(name, version, fields, inputs, text, **options):
    fields = {"plugin_version": version, "type_id": 0, **kFields, **fields}
    if version in "36":
        del fields["type_id"]
    return Case(f"refused: {name}", kName, fields, inputs, {"y": inputs["qkv"]}, refusal=f"{kName}: {text}", **options)


def refusals(qkv, starts):
    x = {"qkv": qkv.reshape(7, 3, 24, 1, 1)}
    yield refused("type_id", "1", {"type_id": 3}, x, "type_id has to be given, 0 (FLOAT), 1 (HALF) or 2 (INT8)")
    yield refused("hidden_size", "2", {"hidden_size": 0}, x, "hidden_size has to be given, 1 or more")
    yield refused("num_heads", "4", {"num_heads": 3}, x, "num_heads is 3; expected a divisor of hidden_size, 8")
    yield refused("elements", "5", {"hidden_size": 4}, x,
                  "the input has 24 elements of Q, K and V; expected 3 times hidden_size, 12")
    yield refused("no mask", "1", {"has_mask": 1}, x, "has 1 inputs, and has_mask is 1")
    yield refused("a mask", "2", {}, {**x, "mask": np.zeros(3, np.int32)}, "has 2 inputs, and has_mask is 0")
    columns = {"qkv": qkv.reshape(1, 24, 21, 1), "starts": starts, "longest": starts}
    yield refused("scale", "3", {"input_qkv_scale": 0.0}, columns,
                  "input_qkv_scale and output_ctx_scale have to be more than 0")
    yield refused("INT32", "3", {"use_explicit_int8": 1}, {**columns, "qkv": columns["qkv"].astype(np.int32)},
                  "input 'qkv' is not FLOAT, HALF, BF16 or INT8")
    for version, given in (("6", columns), ("1", x)):
        made = refused("INT8 without a scale", version, {}, {**given, "qkv": given["qkv"].astype(np.int8)}, "",
                       flags=["--stronglyTyped"])
        made.refusal = "input 'qkv' (qkv) is int8 [{}], and its scale is not known".format(
            ",".join(map(str, given["qkv"].shape)))
        yield made


def cases():
    random = np.random.default_rng(16)
    qkv = random.normal(0, 1, (7, 3, kHeads, 3, kSize)).astype(np.float32)
    for version in "1425":
        yield batch("open sequence and batch", version, qkv, None, open=(0, 1))
        yield batch("a mask, open batch", version, qkv, [7, 4, 1], open={"qkv": (0, 1), "mask": (0, ), "y": (0, 1)})
        yield batch("a sequence of which nothing counts", version, qkv, [2, 0, 7])
        yield batch("one sample", version, qkv[:, :1], [5], {"type_id": 2})
        yield batch("no sequence", version, qkv[:0], [0, 0, 0])
        yield batch("no samples", version, qkv[:, :0], [])
        for name, dtype, options in shortTypes(6e-3):
            for type_id in (1, 2):
                yield batch(f"{name}, type_id {type_id}", version, qkv.astype(dtype), [7, 4, 1], {"type_id": type_id},
                            **options)
        yield batch("NaN in a query, a key, a value", version,
                    withNan(qkv, (2, 0, 0, 0, 1), (3, 1, 1, 1, 2), (0, 2, 0, 2, 3)), [7, 4, 1])
        yield batch("NaN where nothing counts", version, withNan(qkv, (5, 1, 0, 1, 2)), [7, 4, 1])
        yield batch("computed in half precision", version, qkv, [7, 4, 1], {"type_id": 1}, tolerance=6e-3)
        yield int8(batch, version, qkv, [7, 4, 1], {"type_id": 2})
    qkv, starts = qkv.reshape(21, kHeads, 3, kSize), [0, 8, 8, 10, 21]
    for version in "2536":
        axis = 0 if version in "25" else 2
        yield rows("open lengths", version, qkv, starts,
                   open={"qkv": (axis, ), "starts": (0, ), "longest": (0, ), "y": (axis, )})
        yield rows("one sequence", version, qkv[:9], [0, 9])
        yield rows("no elements", version, qkv[:0], [0, 0])
        for name, dtype, options in shortTypes(6e-3):
            yield rows(name, version, qkv.astype(dtype), starts, {"type_id": 2} if version in "25" else {}, **options)
        yield int8(rows, version, qkv, starts, {"type_id": 2} if version in "25" else {})
        yield rows("NaN", version, withNan(qkv, (9, 0, 2, 1), (3, 1, 0, 2)), starts)
    for version in "36":
        scales = {"use_explicit_int8": 1, "input_qkv_scale": 0.03, "output_ctx_scale": 0.02}
        yield rows("INT8 of fields", version, qkv, starts, scales, (0.03, 0.02), flags=["--stronglyTyped"])
        yield rows("its scales, of FLOAT", version, qkv, starts, scales)
    yield from refusals(qkv, np.array(starts, np.int32))
