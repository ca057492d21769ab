// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/format.h"

namespace tenon::cpu {

/// Converts `count` contiguous elements from one type to another, on the calling thread; floats are rounded to the
/// nearest, ties to even, and truncated to integers.
using Convert = void (*)(void const* from, void* to, int64_t count);

/// The fastest one on this CPU; null if a type has no arithmetic (float8, int4). Equal types are copied.
Convert convertFor(DataType from, DataType to);

/// Converts between labels: integers with a scale are quantized or dequantized.
class Converter {
public:
    /// False if there is no conversion: see convertFor().
    static bool exists(Label const& from, Label const& to);
    Converter(Label const& from, Label const& to);
    void operator()(void const* from, void* to, int64_t count) const;

private:
    void throughReal(void const* from, void* to, int64_t count) const;
    void toReal(float* real, void const* from, int64_t count) const;
    void fromReal(void* to, float const* real, int64_t count) const;

    Label from_, to_;
    bool isPlain_; // neither side has a scale, or both have the same one
    Convert plain_, toFloat_, fromFloat_;
};

#if defined(__x86_64__)
/// Between float32 and the 16-bit types; null for others.
Convert convertForAvx2(DataType from, DataType to);
#endif

} // namespace tenon::cpu
