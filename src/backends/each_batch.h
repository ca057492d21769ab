// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "graph/batch_part.h"

#include <functional>

namespace tenon {

// Libraries may compute a part of a batch otherwise than its neighbours: where threads divide the batch in the midst of
// a part, or where they see all parts as one. Computed one after another, each is computed like the first.

/// What `args` says, of the shapes of a part; lives as long as that and what `args` refers to.
PrepareArgs ofPart(PrepareArgs const& args, BatchPart const& part);

/// Prepared by `prepare` for one part, and run for each.
using PreparePart = std::function<std::unique_ptr<Executable>(PrepareArgs const&)>;
std::unique_ptr<Executable> prepareEach(PrepareArgs const& args, BatchPart part, PreparePart const& prepare);

} // namespace tenon
