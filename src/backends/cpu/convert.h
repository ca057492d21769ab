// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/format.h"

namespace tenon::cpu {

/// Converts `count` elements that lie together from one type to another, on the calling thread; floats are rounded to
/// the nearest even one, to integers they are cut.
using Convert = void (*)(void const* from, void* to, int64_t count);

/// The fastest one here; null where a type has no arithmetic (float8, int4). Equal types are copied.
Convert convertFor(DataType from, DataType to);

/// The same between labels: where an int8 side has a scale, real values are brought over.
class Converter {
public:
    /// False when there is no conversion: see convertFor().
    static bool exists(Label const& from, Label const& to);
    Converter(Label const& from, Label const& to);
    void operator()(void const* from, void* to, int64_t count) const;

private:
    void throughReal(std::byte const* from, std::byte* to, int64_t count) const;

    float fromScale_, toScale_;
    int64_t fromBytes_, toBytes_;
    Convert plain_;    // from → to, or with scales: from → float32
    Convert fromReal_; // float32 → to
};

#if defined(__x86_64__)
/// Between float32 and the 16-bit types; null for others.
Convert convertForAvx2(DataType from, DataType to);
#endif

} // namespace tenon::cpu
