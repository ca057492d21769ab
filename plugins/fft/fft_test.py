# Copyright 2026 The Tenon Authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of FFTPlugin, by numpy.fft in double precision."""
import numpy as np
from case import Case, shortTypes


def parts(z):
    return np.stack([z.real, z.imag], -1).astype(np.float32)


def number(z):
    return z[..., 0].astype(np.float64) + 1j * z[..., 1].astype(np.float64)


def transformed(x, inverse, onesided, ndims, length=None):
    """Without a factor in either direction."""
    axes = tuple(range(-ndims, 0))
    if not inverse:
        return parts(np.fft.rfftn(x.astype(np.float64), axes=axes) if onesided else np.fft.fftn(number(x), axes=axes))
    z = number(x)
    if not onesided:
        return parts(np.fft.ifftn(z, axes=axes, norm="forward"))
    shape = [*z.shape[-ndims:-1], length or 2 * (z.shape[-1] - 1)]
    return np.fft.irfftn(z, shape, axes=axes, norm="forward").astype(np.float32)


def case(name, x, inverse=0, onesided=0, ndims=1, attributes=None, **options):
    fields = {"inverse": inverse, "onesided": onesided, "ndims": ndims, **(attributes or {})}
    refused = bool(options.get("refusal"))
    y = x if refused else transformed(x.astype(np.float32), inverse, onesided, ndims).astype(x.dtype)
    return Case(name, "FFTPlugin", fields, {"x": x}, {"y": y}, **options)


def caseOfLength(name, z, length, ndims=1, indices=(1, ), **options):
    """To real signals of a length that a shape input says."""
    fields = {"inverse": 1, "onesided": 1, "ndims": ndims, "tensorrt_plugin_shape_input_indices": list(indices)}
    return Case(name, "FFTPlugin", fields, {"z": z, "length": np.array([length])},
                {"y": transformed(z, 1, 1, ndims, length)}, **options)


def cases():
    generator = np.random.default_rng(1)

    def real(*shape):
        return generator.normal(0, 1, shape).astype(np.float32)

    for ndims, shape in ((1, (3, 15)), (2, (2, 6, 5)), (3, (2, 3, 4, 6))):
        even = (*shape[:-1], 2 * shape[-1])
        for inverse, direction in ((0, "forward"), (1, "inverse")):
            yield case(f"{direction}, {ndims} axes, complex", real(*shape, 2), inverse, 0, ndims)
        yield case(f"forward, {ndims} axes, of odd real signals", real(*shape), 0, 1, ndims)
        yield case(f"forward, {ndims} axes, of even real signals", real(*even), 0, 1, ndims)
        yield case(f"inverse, {ndims} axes, to real signals", real(*shape[:-1], shape[-1] + 1, 2), 1, 1, ndims)
    yield case("one number", real(4, 1, 2))
    yield case("no leading axes", real(12), 0, 1)
    yield case("an open number of signals", real(5, 3, 16), 0, 1, open=(0, 1))
    yield case("an open length", real(2, 21), 0, 1, open=(1,), tolerance=3e-5)
    yield case("an open length, complex, back", real(2, 30, 2), 1, 0, open=(1,), tolerance=3e-5)
    yield case("open lengths of two axes to real signals", real(2, 6, 9, 2), 1, 1, 2, open=(1, 2), tolerance=3e-5)
    for length, what in ((4096, "a power of two"), (6000, "small factors"), (1031, "a prime"), (20011, "a long prime"),
                         (65536, "a long power of two")):
        yield case(f"{what}, {length}, complex", real(1, length, 2), tolerance=1e-3)
        yield case(f"{what}, {length}, real", real(1, length), 0, 1, tolerance=1e-3)
    yield case("a long open length", real(1, 9000), 0, 1, open=(1,), tolerance=1e-3)
    yield caseOfLength("an odd length", real(2, 8, 2), 15)
    yield caseOfLength("an even length", real(2, 8, 2), 14)
    yield caseOfLength("an odd length of two axes", real(2, 3, 5, 2), 9, 2)
    yield caseOfLength("a length and an open number of frequencies", real(2, 8, 2), 15, tolerance=3e-5,
                       open={"z": (0, 1), "y": (0, 1)})
    for name, dtype, options in shortTypes(4e-3):
        yield case(name, real(2, 16).astype(dtype), 0, 1, **options)
        yield case(f"{name}, inverse", real(2, 12, 2).astype(dtype), 1, 0, **options)
    yield case("refused: ndims", real(2, 4), 0, 1, attributes={"ndims": 4},
               refusal="FFTPlugin: ndims has to be 1, 2 or 3; found 4")
    yield case("refused: inverse", real(2, 4), 0, 1, attributes={"inverse": 2},
               refusal="FFTPlugin: inverse has to be 0 or 1; found 2")
    yield case("refused: onesided", real(2, 4), 0, 1, attributes={"onesided": -1},
               refusal="FFTPlugin: onesided has to be 0 or 1; found -1")
    yield case("refused: no pairs", real(2, 3),
               refusal="FFTPlugin: the last axis of the input has 3 elements; expected 2, real and imaginary part")
    yield case("refused: too few axes", real(5, 2), 0, 0, 2,
               refusal="FFTPlugin: the input has 2 axes; expected 3 or more with ndims 2")
