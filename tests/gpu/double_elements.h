// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

struct CUstream_st;

namespace tenon::test {

enum class ElementType { Float32, Float16, Int8 };

/// y[i] = 2 * x[i] in device memory, in the stream. \return a cudaError_t
int doubleElements(void const* x, void* y, int64_t count, ElementType type, CUstream_st* stream);

/// Memory of CUDA's own pool, ordered by the stream; null if there is none.
void* poolAllocate(uint64_t bytes, CUstream_st* stream);
void poolFree(void* memory, CUstream_st* stream);

/// Writes to an illegal address, an error that is reported when the stream is waited for.
int writeNowhere(CUstream_st* stream);

/// Keeps the stream busy for some milliseconds.
int dawdle(CUstream_st* stream);
/// The default stream of all threads.
CUstream_st* defaultStream();

/// A stream that synchronizes with the default one, and one that does not.
CUstream_st* makeStream(bool waitsForDefault);
int beginCapture(CUstream_st* stream);
/// Ends it and discards the graph, with the remaining error.
int endCapture(CUstream_st* stream);

} // namespace tenon::test
