// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/moved_inputs.h"

#include "layers/concatenation/concatenation.h"
#include "layers/pooling/pooling.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unsqueeze/unsqueeze.h"

namespace tenon {

size_t movedInputs(Node const& node) {
    Layer const& layer = *node.layer;
    if (as<Concatenation>(layer)) return node.inputs().size();
    auto const* pooling = as<Pooling>(layer);
    auto const* slice = as<Slice>(layer);
    bool const chooses = (pooling && pooling->type == PoolingType::Max && !pooling->indices) ||
                         (slice && slice->mode != Slice::Mode::Fill);
    return chooses || as<Shuffle>(layer) || as<Squeeze>(layer) || as<Unsqueeze>(layer) ? 1 : 0;
}

} // namespace tenon
