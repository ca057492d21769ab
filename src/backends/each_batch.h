// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "graph/batch_part.h"

#include <functional>

namespace tenon {

// Libraries may compute a part of a batch differently from others: if threads divide the batch within a part, or if
// they merge all parts into one. Computed one after another, each is computed like the first.

/// `args` with the shapes of a part; valid as long as `args` and the objects it refers to.
PrepareArgs ofPart(PrepareArgs const& args, BatchPart const& part);

/// Prepares an executable for one part by `prepare`, and runs it for each.
using PreparePart = std::function<std::unique_ptr<Executable>(PrepareArgs const&)>;
std::unique_ptr<Executable> prepareEach(PrepareArgs const& args, BatchPart part, PreparePart const& prepare);

} // namespace tenon
