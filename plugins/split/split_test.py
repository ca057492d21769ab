# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of Split, by numpy's slices."""
import numpy as np
from case import Case, shortTypes, withNan


def case(name, x, axis, lengths, **options):
    ends = np.cumsum(lengths)
    parts = np.split(x, ends[:-1], axis) if 0 <= axis < x.ndim else [x for _ in lengths]
    return Case(name, "Split", {"axis": axis, "output_lengths": lengths}, {"x": x},
                {f"y{i}": y for i, y in enumerate(parts)}, domain="plugins", **options)


def cases():
    x = np.random.default_rng(1).normal(0, 1, (2, 6, 4)).astype(np.float32)
    yield case("the middle axis, the others open", x, 1, [1, 3, 2], open=(0, 2))
    yield case("the batch", x, 0, [1, 1])
    yield case("one part", x, 2, [4])
    yield case("an empty part", x, 1, [2, 0, 4])
    yield case("no elements", x[:, :, :0], 1, [5, 1])
    for name, dtype, options in shortTypes():
        yield case(name, x.astype(dtype), 1, [1, 5], **options)
    for count in (1, 3):
        yield case(f"{count} samples, NaN", withNan(np.concatenate([x, x])[:count], (0, 2)), 1, [1, 5], open=(0, ))
    yield case("integers", np.arange(24, dtype=np.int32).reshape(4, 6), 1, [4, 2])
    text = "output_lengths has to be given, one for each output, each 0 or more"
    yield case("refused: a negative length", x, 1, [7, -1], refusal="Split: " + text)
    yield Case("refused: no lengths", "Split", {}, {"x": x}, {"y": x}, domain="plugins", refusal="Split: " + text)
    yield case("refused: axis -1", x, -1, [4], refusal="Split: axis has to be 0 or more; found -1")
    yield case("refused: axis 3", x, 3, [4], refusal="Split: axis is 3; the input has 3 axes")
    yield Case("refused: another sum", "Split", {"axis": 1, "output_lengths": [1, 3]}, {"x": x},
               {"y": x[:, :1], "z": x[:, :3]}, domain="plugins",
               refusal="Split: output_lengths are 4 together, for axis 1; the input has 6")
    yield Case("refused: sizes, of which some have another sum", "Split", {"axis": 1, "output_lengths": [1, 3]}, {"x": x},
               {"y": x[:, :1], "z": x[:, :3]}, domain="plugins", open=(1,),
               refusal="Split: output_lengths are 4 together, for axis 1; the input has another number")
