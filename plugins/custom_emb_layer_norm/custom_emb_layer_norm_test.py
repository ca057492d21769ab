# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CustomEmbLayerNormPluginDynamic, by the formula in double precision."""
import numpy as np
from case import Case

kName = "CustomEmbLayerNormPluginDynamic"
kRandom = np.random.default_rng(15)
kTables = {"word": kRandom.normal(0, 1, (20, 8)), "token_type": kRandom.normal(0, 1, (2, 8)),
           "position": kRandom.normal(0, 1, (16, 8))}
kGamma, kBeta = (kRandom.normal(0, 1, 8) for _ in range(2))
kWeights = {**{f"bert_embeddings_{name}_embeddings": table.ravel() for name, table in kTables.items()},
            "bert_embeddings_layernorm_gamma": kGamma, "bert_embeddings_layernorm_beta": kBeta}


def expected(tokens, segments, positions, dtype=np.float32):
    x = kTables["word"][tokens] + kTables["token_type"][segments] + kTables["position"][positions]
    y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.finfo(np.float32).eps) * kGamma + kBeta
    return y[..., None, None].astype(dtype), x[..., None, None].astype(dtype)


def integers(*values):
    return tuple(np.asarray(array, np.int32) for array in values)


def batch(name, version, tokens, segments, mask, lengths, attributes=None, dtype=np.float32, **options):
    """With sequences of one length."""
    y, _ = expected(tokens, segments, np.arange(tokens.shape[0])[:, None], dtype)
    inputs = dict(zip(("token_id", "segment_id", "input_mask"), integers(tokens, segments, mask)))
    outputs = {"y": y, "mask": np.asarray(lengths, np.int32).reshape(-1, 1)}
    return Case(f"version {version}, {name}", kName, {"plugin_version": version, **kWeights, **(attributes or {})}, inputs,
                outputs, **options)


def rows(name, version, tokens, segments, starts, attributes=None, dtype=np.float32, **options):
    """With sequences of several lengths."""
    positions = np.concatenate([np.arange(end - start) for start, end in zip(starts, starts[1:])])
    y, x = expected(tokens, segments, positions.astype(int), dtype)
    inputs = dict(zip(("token_id", "segment_id", "cu_seqlens", "max_seqlen"),
                      integers(tokens, segments, starts, np.zeros(max(np.diff(starts))))))
    outputs = {"y": y, "x": x} if version in "35" else {"y": y, "dummy": np.array(0, np.int32)}
    return Case(f"version {version}, {name}", kName, {"plugin_version": version, **kWeights, **(attributes or {})}, inputs,
                outputs, **options)


def refusals(tokens):
    for name, version, change, text in (
            ("gamma", "1", {"layernorm_gamma": []}, "bert_embeddings_layernorm_gamma has to be given"),
            ("beta", "2", {"layernorm_beta": kBeta[:7]}, "bert_embeddings_layernorm_beta has 7 numbers, "
             "bert_embeddings_layernorm_gamma has 8; their lengths must be equal"),
            ("words", "3", {"word_embeddings": kBeta[:7]}, "bert_embeddings_word_embeddings has 7 numbers; expected a "
             "multiple of the length of bert_embeddings_layernorm_gamma, 8"),
            ("positions", "6", {"position_embeddings": kTables["position"][:6].ravel()}, "the sequence has 7 elements, "
             "bert_embeddings_position_embeddings has 6 rows")):
        attributes = {**kWeights, **{f"bert_embeddings_{key}": value for key, value in change.items()}}
        attributes = {key: value for key, value in attributes.items() if len(value)}
        yield refused(name, version, attributes, tokens, text)
    yield refused("output_fp16", "4", {**kWeights, "output_fp16": 2}, tokens, "output_fp16 is 2; expected 0 or 1")
    yield refused("mha_type_id", "1", {**kWeights, "mha_type_id": 3}, tokens,
                  "mha_type_id is 3; expected 0 (FLOAT), 1 (HALF) or 2 (INT8)")


def refused(name, version, attributes, tokens, text):
    if version in "16":
        inputs = {"tokens": tokens, "segments": tokens, "mask": tokens}
    else:
        inputs = {"tokens": tokens[0], "segments": tokens[0], "starts": tokens[0], "length": tokens[0]}
    return Case(f"refused: {name}", kName, {"plugin_version": version, **attributes}, inputs,
                {"y": np.zeros((1, 8, 1, 1), np.float32), "mask": tokens}, refusal=f"{kName}: {text}")


def refusedByTheRun(tokens, segments):
    """A token and a position beyond the end of their tables."""
    wild = tokens.copy()
    wild[4] = 20
    for name, given, starts, extent in (("a token", wild, [0, 8, 21], 20), ("a position", tokens, [0, 0, 21], 16)):
        case = rows(f"{name} that is not there", "5", tokens, segments, [0, 8, 21])
        case.inputs["token_id"], case.inputs["cu_seqlens"] = integers(given, starts)
        case.runRefusal = f"(Gather): index {extent} is outside axis 0, which has extent {extent}"
        case.seenByCpuOnly = True
        yield case


def cases():
    tokens, segments = kRandom.integers(0, 20, (7, 3)), kRandom.integers(0, 2, (7, 3))
    mask = np.arange(7)[:, None] < [7, 4, 0]
    half = {"attributes": {"output_fp16": 1, "full_mask": 1, "mha_type_id": 1}, "dtype": np.float16, "tolerance": 6e-3}
    for version in "16":
        yield batch("open sequence and batch", version, tokens, segments, mask, [7, 4, 0],
                    open={name: (0, 1) for name in ("token_id", "segment_id", "input_mask", "y")} | {"mask": (0, )})
        yield batch("one sample", version, tokens[:, :1], segments[:, :1], mask[:, 1:2], [4])
        yield batch("a mask of two parts", version, tokens[:, :1], segments[:, :1], np.array([[1, 1, 0, 1, 1, 1, 1]]).T, [2])
        yield batch("no sequence", version, tokens[:0], segments[:0], mask[:0], [0, 0, 0])
        yield batch("no samples", version, tokens[:, :0], segments[:, :0], mask[:, :0], [])
        yield batch("half precision", version, tokens, segments, mask, [7, 4, 0], **half)
        yield batch("half precision, strongly typed", version, tokens, segments, mask, [7, 4, 0], **half,
                    flags=["--stronglyTyped"])
    tokens, segments = tokens.ravel(), segments.ravel()
    half["attributes"] = {"output_fp16": 1}
    for version in "2345":
        opened = {name: (0, ) for name in ("token_id", "segment_id", "cu_seqlens", "max_seqlen", "y", "x")}
        yield rows("open lengths", version, tokens, segments, [0, 8, 8, 10, 21], open=opened)
        yield rows("one sequence", version, tokens[:9], segments[:9], [0, 9])
        yield rows("no elements", version, tokens[:0], segments[:0], [0, 0, 0])
        yield rows("half precision", version, tokens, segments, [0, 8, 8, 10, 21], **half)
    yield from refusals(tokens.reshape(7, 3).astype(np.int32))
    yield from refusedByTheRun(tokens, segments)
