// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "tenon/parallel.h"

#include "base/parallel.h"
#include "plugin/call_scope.h"

#include <algorithm>

// Counted in grains, so that parts are multiples of one.
void tenonParallelFor(int64_t count, int64_t grain, void (*body)(void*, int64_t, int64_t), void* context) noexcept {
    if (count < 1) return;
    grain = std::max<int64_t>(grain, 1);
    int64_t const grains = (count - 1) / grain + 1;
    tenon::CallScope const* const call = tenon::CallScope::innermost();
    auto const runGrains = [=](int64_t begin, int64_t end) {
        tenon::SameCall const same(call);
        body(context, begin * grain, end == grains ? count : end * grain);
    };
    tenon::parallelFor(grains, 1, tenon::RangeBody(runGrains));
}
