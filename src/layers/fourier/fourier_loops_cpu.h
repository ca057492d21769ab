// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// Complex numbers [points,lanes]. Either both parts are arrays of their own, in which the lanes of a point are
/// neighbours, or they are pairs: real and imaginary part of one number are neighbours, and `im` is `re` + 1. Strides
/// are in floats, between points.
///
/// Its functions are always inlined: a copy of one that is compiled for an instruction set must not serve all callers.
template <class T> struct ComplexPoints {
    T* re = nullptr;
    T* im = nullptr;
    int64_t reStride = 0;
    int64_t imStride = 0;
    bool isPairs = false;

    /// Whether the lanes of a point follow those of the one before, so that points × lanes are one sequence.
    [[gnu::always_inline]] bool isDense(int64_t lanes) const {
        return isPairs ? reStride == 2 * lanes : reStride == lanes && imStride == lanes;
    }
    [[gnu::always_inline]] ComplexPoints from(int64_t point) const {
        return {re + point * reStride, im + point * imStride, reStride, imStride, isPairs};
    }
};
using ComplexIn = ComplexPoints<float const>;
using ComplexOut = ComplexPoints<float>;

[[gnu::always_inline]] inline ComplexIn asIn(ComplexOut const& z) {
    return {z.re, z.im, z.reStride, z.imStride, z.isPairs};
}

/// What is multiplied with the parts of a number.
struct PartFactors {
    float re = 1;
    float im = 1;
};

/// One pass of a transform of N points, of radix R, after passes whose radices have the product B; G = N / (B·R). For
/// each g < G and b < B:
///   out[b + B (R g + j)] = w(g j) · sum over k of in[b + B (g + G k)] exp(-2πi jk/R),  w(x) = exp(-2πi x / (G R))
struct FourierPass {
    ComplexIn in;
    ComplexOut out;
    int64_t radix = 1;
    int64_t groups = 1; // G
    int64_t before = 1; // B
    int64_t lanes = 1;
    float const* factors = nullptr; // w(g j) for j > 0 as pairs [G,R - 1]; of `first` [R - 1,2,G]
    float const* roots = nullptr;   // of passOfAny: cos(2π i/R) for i < R, then sin
    PartFactors load;               // where `in` are pairs
    PartFactors store;              // in the last pass, G = 1
};

/// One half of a real transform of N = 2M points, with w = exp(-2πi/N), for k from 1 to M / 2:
///   a = in[k], its imaginary part times `sign`; b = conj(in[M - k]), likewise
///   e = (a + b) · scale, t = -i w^k (a - b) · scale; out[k] = e + t, out[M - k] = conj(e - t)
/// From the transform of x[2n] + i x[2n + 1] it makes that of x, and the other way round.
struct HalvesPass {
    ComplexIn in;
    ComplexOut out;
    int64_t points = 1; // M
    int64_t lanes = 1;
    float const* factors = nullptr; // w^k for k from 1: the real parts, then the imaginary parts
    float sign = 1;
    float scale = 1;
};

/// out = in · factors, point by point: (in.re · load.re + i in.im · load.im) · factor, its parts times `store`.
struct ProductPass {
    ComplexIn in;
    ComplexOut out;
    int64_t points = 1;
    int64_t lanes = 1;
    float const* factors = nullptr; // the real parts [points], then the imaginary parts
    PartFactors load;
    PartFactors store;
};

/// Rows that are brought beside each other.
struct Beside {
    float* numbers;
    int64_t stride; // floats from the numbers of one column to those of the next
};

/// The inner loops of Fourier transforms, compiled once for each instruction set.
struct FourierLoops {
    int64_t width; // floats of a vector
    /// Of any radix up to kMostRadix; those that are not special are slower. Any number of lanes.
    void (*pass)(FourierPass const& pass);
    /// The first one, of a special radix and one lane: vectors go along g.
    void (*first)(FourierPass const& pass);
    void (*halves)(HalvesPass const& pass);
    /// z[N - k] = conj(z[k]) for k from 1, below N / 2.
    void (*mirror)(ComplexOut const& z, int64_t points, int64_t lanes);
    void (*multiply)(ProductPass const& pass);
    /// X [rows,columns] → Y [columns,width], zeros where there are fewer rows than `width`.
    void (*gather)(Beside const& y, float const* x, int64_t rows, int64_t columns);
    /// Y [columns,width] → X [rows,columns]
    void (*scatter)(float* x, Beside const& y, int64_t rows, int64_t columns);

    static constexpr int64_t kMostRadix = 31;
    static constexpr bool isSpecial(int64_t radix) {
        return radix <= 5 || radix == 7 || radix == 8 || radix == 11 || radix == 13 || radix == 16;
    }
};

} // namespace tenon::cpu
