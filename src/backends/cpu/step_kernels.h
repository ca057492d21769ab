// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/tile_program.h"

namespace tenon::cpu {

/// Floating point steps in tiles, for every layer that is Stepwise.
class TileKernel final : public Kernel {
public:
    std::string_view name() const override { return "tiles"; }
    Offer offer(KernelQuery const& query) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;
};

/// One step on integers or booleans, or a comparison: typed loops on linear tensors.
class TypedKernel final : public Kernel {
public:
    std::string_view name() const override { return "typed_loops"; }
    Offer offer(KernelQuery const& query) const override;
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override;
};

} // namespace tenon::cpu
