# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the deformable convolutions, by their formula in double precision."""
import numpy as np
from case import Case, shortTypes, withNan

kGroups = {"DCNv2": ("groups", "deformable_group"), "DeformConv2d": ("group", "deformable_group"),
           "MMCVDeformConv2d": ("groups", "deform_groups"), "MMCVModulatedDeformConv2d": ("groups", "deform_groups"),
           "ModulatedDeformConv2d": ("group", "deformable_group")}


def pair(value):
    return (value, value) if isinstance(value, int) else (value[0], value[-1])


def between(planes, y, x):
    """Planes [C,H,W] sampled at positions [...], bilinearly, 0 outside; [C,...]."""
    height, width = planes.shape[1:]
    total = np.zeros((planes.shape[0], *y.shape))
    for row in (np.floor(y), np.floor(y) + 1):
        for column in (np.floor(x), np.floor(x) + 1):
            weight = (1 - abs(y - row)) * (1 - abs(x - column))
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            i, j = np.where(inside, row, 0).astype(int), np.where(inside, column, 0).astype(int)
            total += np.where(inside, weight, 0) * planes[:, i, j]
    return total


def expected(x, offset, mask, weight, bias, stride=1, padding=0, dilation=1, groups=1, parts=1):
    (n, c, _, _), (m, d, kh, kw), (h, w) = x.shape, weight.shape, offset.shape[2:]
    (sy, sx), (py, px), (dy, dx) = pair(stride), pair(padding), pair(dilation)
    moves = offset.astype(np.float64).reshape(n, parts, kh, kw, 2, h, w)
    factors = np.ones((n, parts, kh, kw, h, w)) if mask is None else mask.reshape(n, parts, kh, kw, h, w)
    met = np.zeros((n, c, kh, kw, h, w))
    rows, columns = np.arange(h)[:, None] * sy - py, np.arange(w)[None] * sx - px
    for sample, part, i, j in np.ndindex(n, parts, kh, kw):
        of = slice(part * (c // parts), (part + 1) * (c // parts))
        y, z = rows + i * dy + moves[sample, part, i, j, 0], columns + j * dx + moves[sample, part, i, j, 1]
        met[sample, of, i, j] = between(x[sample, of].astype(np.float64), y, z) * factors[sample, part, i, j]
    met = met.reshape(n, groups, d, kh, kw, h, w)
    filters = weight.astype(np.float64).reshape(groups, m // groups, d, kh, kw)
    return np.einsum("ngdklhw,gmdkl->ngmhw", met, filters).reshape(n, m, h, w) + bias[:, None, None]


def made(seed=1, n=2, c=4, size=(6, 7), kernel=(3, 3), m=6, stride=1, padding=0, dilation=1, groups=1, parts=1):
    random = np.random.default_rng(seed)
    def real(*shape):
        return random.normal(0, 1, shape).astype(np.float32)
    out = [(size[i] + 2 * pair(padding)[i] - pair(dilation)[i] * (kernel[i] - 1) - 1) // pair(stride)[i] + 1 for i in (0, 1)]
    places = parts * kernel[0] * kernel[1]
    return {"input": real(n, c, *size), "offset": 2 * real(n, 2 * places, *out), "mask": abs(real(n, places, *out)),
            "weight": real(m, c // groups, *kernel), "bias": real(m)}


def case(name, op, tensors, without=(), version="1", fields=None, dtype=np.float32, attributes=None, **options):
    """`fields` are those of expected()."""
    fields = fields or {}
    without = set(without) | ({"mask"} if op in ("DeformConv2d", "MMCVDeformConv2d") else set())
    inputs = {key: x.astype(dtype) for key, x in tensors.items() if key not in without}
    given = [inputs.get(key) for key in ("input", "offset", "mask", "weight")]
    y = expected(*given, inputs.get("bias", np.zeros(len(tensors["weight"]))), **fields)
    names = dict(zip(("groups", "parts"), kGroups[op]))
    published = {names.get(key, key): list(value) if isinstance(value, tuple) else value for key, value in fields.items()}
    return Case(name, op, {"plugin_version": version, **published, **(attributes or {})}, inputs,
                {"output": y.astype(dtype)}, **{"tolerance": 2e-5, **options})


def cases():
    for op in kGroups:
        yield case("stride 1", op, made())
        fields = {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2), "groups": 2, "parts": 2}
        yield case("all fields", op, made(**fields), fields=fields)
    op = "ModulatedDeformConv2d"
    yield case("version 2", op, made(), version="2")
    yield case("one number for rows and columns", "DCNv2", made(padding=1), fields={"padding": 1})
    yield case("the other name", "DCNv2", made(parts=2), fields={"parts": 2}, attributes={"deformable_groups": 2})
    yield case("without bias", op, made(), without=["bias"])
    open = {"input": (0,), "offset": (0,), "mask": (0,), "output": (0,)}
    yield case("open number of samples", op, made(), open=open)
    yield case("open sizes", op, made(kernel=(1, 1)), open={key: (0, 2, 3) for key in open})
    yield case("batch 3, a filter that is not a square", op, made(n=3, kernel=(1, 3)))
    yield case("no samples", op, made(n=0))
    for name, dtype, options in shortTypes(3e-2):
        yield case(name, op, made(), dtype=dtype, **options)
    unknown = made(n=1)
    unknown["input"] = withNan(unknown["input"], (0, 1, 3, 4))
    yield case("one sample, NaN", op, unknown)
    text = " has to be two numbers, of rows and columns, or one for both, each "
    for field, value, least in (("stride", [0, 1], 1), ("padding", [-1, 0], 0), ("dilation", [1, 1, 1], 1)):
        yield case(f"refused: {field}", op, made(), attributes={field: value},
                   refusal=f"ModulatedDeformConv2d: {field}{text}{least} or more")
    yield case("refused: groups", op, made(), attributes={"group": 0},
               refusal=op + ": the groups of filters and of offsets have to be 1 or more; found 0 and 1")
    tensors = made()
    for key, text in {"offset": "offset has 2 channels; expected 18, y and x of each element of a filter",
                      "mask": "mask has 2 channels; expected 9, one for each element of a filter",
                      "input": "x has 2 channels; expected 4, those of a filter times the groups"}.items():
        inputs = {**tensors, key: tensors[key][:, :2]}
        yield Case("refused: " + key, op, {}, inputs, {"y": tensors["input"]}, refusal=op + ": " + text)
