// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/fourier/fourier.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace tenon {

namespace layers {
LayerEntry fourierLayer() { return entryOf<Fourier>(); }
} // namespace layers

namespace {

void expectParts(Shape const& x, bool isInverse) {
    DimExpr const& parts = x.back();
    if (!parts.isConstant() || parts.constant() == 2 || (parts.constant() == 1 && !isInverse)) return;
    fail(ErrorCode::InvalidArgument, "input 0 has shape ", x, "; expected a last axis of ",
         isInverse ? "2 (real and imaginary parts) for an inverse transform"
                   : "1 (real numbers) or 2 (real and imaginary parts)");
}

void expectLength(DimExpr const& length) {
    int64_t const least = length.isConstant() ? length.constant() : 0;
    if (least < 0 || least > Fourier::kMostLength)
        fail(ErrorCode::InvalidArgument, "transforms ", least, " numbers; expected 0 to ", Fourier::kMostLength);
}

/// The N of an inverse transform to real numbers.
DimExpr lengthOf(Operands const& in, DimExpr const& given) {
    if (!in.has(Fourier::kLength)) return (given - 1) * 2;
    in.expectInteger(Fourier::kLength).expectOneElement(Fourier::kLength);
    return in.valuesOf(Fourier::kLength, "length").front();
}

/// Of N real numbers N / 2 + 1 complex ones.
void expectHalf(DimExpr const& length, DimExpr const& given) {
    if (!length.isConstant() || !given.isConstant() || length.constant() / 2 + 1 == given.constant()) return;
    fail(ErrorCode::InvalidArgument, "input 0 has ", given, " numbers for a signal of ", length, "; expected ",
         length.constant() / 2 + 1);
}

using Numbers = std::vector<std::complex<double>>;

int64_t leastFactor(int64_t n) {
    for (int64_t factor = 2; factor * factor <= n; ++factor) {
        if (n % factor == 0) return factor;
    }
    return n;
}

/// Of the `count` numbers X[0], X[step], … Those of a residue n mod R, R the least prime factor, are transformed first:
///   Y[k] = sum over r < R of w^(rk) · Y_r[k mod M], Y_r of M = N / R numbers, w = exp(-2πi/N)
/// Of a prime N that is the formula itself. `roots` are exp(-2πi t/N) of the whole transform.
Numbers transformed(std::complex<double> const* x, size_t count, size_t step, Numbers const& roots) {
    if (count <= 1) return {x, x + count};
    auto const radix = static_cast<size_t>(leastFactor(static_cast<int64_t>(count)));
    size_t const part = count / radix;
    Numbers y(count);
    for (size_t r = 0; r < radix; ++r) {
        Numbers const ofResidue = transformed(x + r * step, part, step * radix, roots);
        for (size_t k = 0; k < count; ++k) y[k] += roots[r * k % count * step] * ofResidue[k % part];
    }
    return y;
}

/// One transform. Numbers of X and Y are `inner` apart.
struct Line {
    Fourier const& layer;
    FourierSpace const& space;

    Numbers signal(float const* x) const {
        Numbers all;
        for (int64_t n = 0; n < space.length; ++n) {
            bool const isMirrored = layer.givesReal() && n >= space.given;
            float const* const z = x + (isMirrored ? space.length - n : n) * space.inner * space.parts;
            bool const isReal = space.parts == 1 || (layer.givesReal() && (n == 0 || 2 * n == space.length));
            std::complex<double> const number(z[0], isReal ? 0 : z[1]);
            all.push_back(isMirrored ? std::conj(number) : number);
        }
        return all;
    }

    void write(float* y, Numbers const& all) const {
        for (int64_t k = 0; k < space.made; ++k) {
            auto const number = all[static_cast<size_t>(k)] * space.scale;
            float* const to = y + k * space.inner * space.outParts;
            to[0] = static_cast<float>(number.real());
            if (space.outParts == 2) to[1] = static_cast<float>(number.imag());
        }
    }
};

/// exp(∓2πi t/N), t < N.
Numbers rootsOf(int64_t length, bool inverse) {
    Numbers roots;
    double const turn = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(length);
    for (int64_t t = 0; t < length; ++t) roots.push_back(std::polar(1.0, turn * static_cast<double>(t)));
    return roots;
}

} // namespace

FourierSpace::FourierSpace(Fourier const& layer, Dims const& x, Dims const& y) {
    int const along = resolveAxis(layer.axis, x.rank());
    int const last = x.rank() - 1;
    outer = x.volume(0, along);
    inner = x.volume(along + 1, last);
    given = x[along];
    made = y[along];
    length = layer.givesReal() ? made : given;
    parts = x[last];
    outParts = y[last];
    if (layer.inverse && layer.scaled) scale = 1 / static_cast<double>(length);
}

std::string Fourier::inputName(int input) const { return input == kLength ? "length" : Layer::inputName(input); }

// X [d…,N,d…,parts], length → Y [d…,K,d…,parts]
std::vector<Result> Fourier::infer(Operands const& in) const {
    in.expectCount(1, 2).expectRank(kX, 2, Dims::kMaxRank);
    Operand const& x = in[kX];
    if (x.type != DataType::Float32) fail(ErrorCode::InvalidArgument, "input 0 is ", x.type, "; expected float32");
    expectParts(x.shape, inverse);
    int const along = resolveAxis(axis, in.rank(kX));
    if (along == in.rank(kX) - 1)
        fail(ErrorCode::InvalidArgument, "axis ", axis, " is that of real and imaginary parts; give one before it");
    if (in.has(kLength) && !givesReal())
        fail(ErrorCode::InvalidArgument, "it has a length; only an inverse onesided transform has one");
    Shape shape = x.shape;
    DimExpr& extent = shape[static_cast<size_t>(along)];
    DimExpr const length = givesReal() ? lengthOf(in, extent) : extent;
    expectLength(length);
    if (givesReal()) expectHalf(length, extent);
    extent = onesided && !inverse ? floorDiv(length, 2) + 1 : length;
    shape.back() = givesReal() ? 1 : 2;
    return {{DataType::Float32, shape}};
}

void Fourier::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    FourierSpace const space(*this, in[kX].dims, out[0].dims);
    Line const line{*this, space};
    Numbers const roots = rootsOf(space.length, inverse);
    auto const* const x = in[kX].as<float>().data();
    auto* const y = out[0].as<float>().data();
    for (int64_t i = 0; i < space.outer * space.inner; ++i) {
        int64_t const outer = i / space.inner;
        int64_t const inner = i % space.inner;
        Numbers const signal = line.signal(x + (outer * space.given * space.inner + inner) * space.parts);
        Numbers all = transformed(signal.data(), signal.size(), 1, roots);
        all.resize(static_cast<size_t>(std::max(space.length, space.made))); // of no numbers the sums are 0
        line.write(y + (outer * space.made * space.inner + inner) * space.outParts, all);
    }
}

} // namespace tenon
