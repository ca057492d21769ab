// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

struct CUstream_st;

namespace tenon::test {

/// y[i] = 2 * x[i] of float16 or float32 numbers in device memory, in the stream. \return a cudaError_t
int doubleElements(void const* x, void* y, int64_t count, bool isHalf, CUstream_st* stream);

/// Writes where no memory is: an illegal address, found when the stream is waited for.
int writeNowhere(CUstream_st* stream);

/// Keeps the stream busy for some milliseconds.
int dawdle(CUstream_st* stream);
/// The default stream of all threads.
CUstream_st* defaultStream();

/// A stream that waits for the default one, and one that does not; the program's as others are.
CUstream_st* makeStream(bool waitsForDefault);
int beginCapture(CUstream_st* stream);
/// Ends it and throws the graph away.
int endCapture(CUstream_st* stream);

} // namespace tenon::test
