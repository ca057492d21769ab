// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// The discrete Fourier transform along one axis, of N numbers:
///   Y[k] = sum over n of X[n] exp(-2πi nk/N)
/// and the inverse one: the same with exp(2πi nk/N), and with a factor of 1/N where it is `scaled`. Float32; the last
/// axis has real and imaginary parts, or one number where numbers are real. X [d…,N,d…,parts] → Y [d…,K,d…,parts]:
///
///   forward            X real or complex          Y complex, K = N
///   forward, onesided  X real or complex          Y complex, K = N / 2 + 1: of real X the others are conjugates
///   inverse            X complex                  Y complex, K = N
///   inverse, onesided  X complex, its N / 2 + 1   Y real, K = N: as if X[N - k] = conj(X[k]). N is the input `length`,
///                      first numbers              else even, 2 (N / 2 + 1) - 2
struct Fourier final : LayerOf<Fourier> {
    static constexpr std::string_view kKind = "Fourier";
    static constexpr int64_t kMostLength = int64_t{1} << 24; // numbers up to it are exact in float32

    enum Input { kX, kLength };

    int64_t axis = -2; // negative: counted from the end
    bool inverse = false;
    bool onesided = false;
    bool scaled = true;

    void fields(Fields& f) override {
        f("axis", axis);
        f("inverse", inverse);
        f("onesided", onesided);
        f("scaled", scaled);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input == kLength; }

    bool givesReal() const { return inverse && onesided; }
};

/// The transforms of a Fourier layer at known shapes: X [outer,given,inner,parts] → Y [outer,made,inner,outParts].
struct FourierSpace {
    int64_t outer = 1;
    int64_t inner = 1;
    int64_t given = 1;
    int64_t made = 1;
    int64_t length = 1; // N
    int64_t parts = 2;
    int64_t outParts = 2;
    double scale = 1;

    FourierSpace(Fourier const& layer, Dims const& x, Dims const& y);
};

} // namespace tenon
