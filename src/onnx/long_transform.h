// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/term.h"

namespace tenon::onnx {

/// The discrete Fourier transform of complex rows, X [R,N,2] → Y [R,N,2] in float32:
///   Y[r,k] = sum over n of X[r,n] exp(-2πi·nk/N)
/// `length` is N, int64 [1], from 1 to kMostLength. A length N = A·B is transformed as B rows of A and A rows of B; one
/// with a large prime factor, and one that only the run knows, by a convolution with a chirp. So a row of N costs about
/// N·sqrt(N).
Term transform(Term const& rows, Term const& length);

/// The same with exp(2πi·nk/N), and a factor of 1/N.
Term inverseTransform(Term const& rows, Term const& length);

/// The first `count` along an axis, zeros where there are fewer.
Term firstOf(Term const& x, int64_t axis, Term const& count);

/// Numbers up to N are exact in float32.
constexpr int64_t kMostLength = int64_t{1} << 24;

} // namespace tenon::onnx
