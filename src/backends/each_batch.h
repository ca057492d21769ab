// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "layers/matrix_multiply/matrix_multiply.h"

#include <functional>

namespace tenon {

// Libraries may compute a product otherwise than its neighbours of a batch: where threads divide the batch between two
// of them, or where they see all rows as one matrix. Computed one after another, each is computed like the first.

/// The bit of a tactic that says so (KernelQuery::independent).
inline constexpr int64_t kEachBatch = int64_t{1} << 32;

/// The shapes of one product of a batch: batch axes have extent 1, also of the epilogue's operands.
struct OneOfBatch {
    std::vector<Dims> inputs;
    Dims output;

    OneOfBatch(MatrixMultiply const& layer, std::span<Dims const> all, Dims const& y);
    /// What `args` says of these shapes; lives as long as this and what `args` refers to.
    PrepareArgs argsFrom(PrepareArgs const& args) const;
};

/// By `prepare` for all products at once or, where the variant's tactic says so, for one, which then runs for each.
using PrepareProduct = std::function<std::unique_ptr<Executable>(PrepareArgs const&)>;
std::unique_ptr<Executable> prepareBatch(PrepareArgs const& args, PrepareProduct const& prepare);

} // namespace tenon
