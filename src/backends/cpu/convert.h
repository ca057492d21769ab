// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"

namespace tenon::cpu {

/// Converts `count` elements that lie together from one type to another, on the calling thread; floats are rounded to
/// the nearest even one, to integers they are cut.
using Convert = void (*)(void const* from, void* to, int64_t count);

/// The fastest one here; null where a type has no arithmetic (float8, int4). Equal types are copied.
Convert convertFor(DataType from, DataType to);

#if defined(__x86_64__)
/// Between float32 and the 16-bit types; null for others.
Convert convertForAvx2(DataType from, DataType to);
#endif

} // namespace tenon::cpu
