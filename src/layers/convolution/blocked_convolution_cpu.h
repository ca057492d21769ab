// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/blocked_convolution.h"

#include <functional>

namespace tenon::cpu {

// What the kernels of convolutions share that multiply channels block by block. They pack weights alike.

/// A node's convolution as their loops see it.
BlockedConvolution blockedOf(PrepareArgs const& args);
/// Its weights and its bias.
Packed packBlocked(PrepareArgs const& args);
std::string blockedPackKey(Variant const& variant);

/// Why a kernel that packs its weights does not take the inputs of a convolution, as a clause; empty: it does.
std::string inputRefusal(KernelQuery const& query);
/// Why such a kernel does not take a node, as a clause; empty: it does.
std::string blockedRefusal(KernelQuery const& query);
using CostOf = double (*)(PrepareArgs const&);
/// Whether the channels of each group, stored in blocks, fill these.
bool hasWholeBlocks(int64_t channels, int64_t groups);
/// The formats of X and Y.
using FormatPair = std::pair<Format, Format>;
/// What is offered in these formats, computed in float32, or in bfloat16 where the kernel takes `pairs` of those.
/// costOf() is without the steps of the epilogue that are done afterwards.
Offer offerBlocked(KernelQuery const& query, std::span<FormatPair const> formats, CostOf costOf, bool pairs = false);
/// The executable that `make` makes of the steps that it does on what it has just computed, and the others after it.
std::unique_ptr<Executable> finishedHot(PrepareArgs const& args,
                                        std::function<std::unique_ptr<Executable>(HotSteps)> const& make,
                                        HotRows const& rows = {});

} // namespace tenon::cpu
