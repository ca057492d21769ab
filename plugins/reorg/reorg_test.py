# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Reorg_TRT: Darknet's layer as one transposition of memory."""
import numpy as np
from case import Case, shortTypes, withNan


def expected(x, stride):
    n, c, h, w = x.shape
    squares = x.reshape(n, c // stride**2, h, stride, w, stride)
    return squares.transpose(0, 3, 5, 1, 2, 4).reshape(n, c * stride**2, h // stride, w // stride)


def case(name, x, stride=2, y=None, version="1", **options):
    return Case(name, "Reorg_TRT", {"stride": stride, "plugin_version": version}, {"input": x},
                {"output": expected(x, stride) if y is None else y}, **options)


def cases():
    x = np.random.default_rng(8).normal(0, 1, (3, 8, 4, 6)).astype(np.float32)
    for version in "12":
        yield case(f"version {version}", x, version=version)
        yield case(f"version {version}, open number of samples", x, version=version, open=(0,))
    yield case("stride 1 changes nothing, open sizes", x, 1, x, open=(0, 1, 2, 3))
    yield case("stride 3", np.random.default_rng(9).normal(0, 1, (1, 18, 3, 9)).astype(np.float32), 3)
    for name, dtype, options in shortTypes():
        yield case(name, x.astype(dtype), **options)
    yield case("NaN", withNan(x, (1, 2, 3)))
    yield case("integers", np.arange(8 * 24, dtype=np.int32).reshape(1, 8, 4, 6))
    for text, empty in {"samples": x[:0], "channels": x[:, :0], "rows": x[:, :, :0], "columns": x[..., :0]}.items():
        n, c, h, w = empty.shape
        yield case(f"no {text}", empty, y=np.zeros((n, 4 * c, h // 2, w // 2), np.float32))
    y = expected(x, 2)
    for stride in (0, -1, 46341):
        yield case(f"refused: stride {stride}", x, stride, y,
                   refusal=f"Reorg_TRT: stride has to be given, 1 to 46340; found {stride}")
    for text, odd in {"6 channels; expected a multiple of the square of stride, 4": x[:, :6],
                      "3 rows; expected a multiple of stride, 2": x[:, :, :3],
                      "5 columns; expected a multiple of stride, 2": x[..., :5]}.items():
        yield case("refused: " + text, odd, y=y, refusal="Reorg_TRT: the input has " + text)
