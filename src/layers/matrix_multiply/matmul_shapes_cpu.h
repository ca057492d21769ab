// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn.h"
#include "layers/matrix_multiply/matrix_multiply.h"

namespace tenon::cpu {

/// The product as oneDNN is to see it, all tensors of one rank.
struct MatmulShapes {
    dnnl::memory::dims a, b, y;
    dnnl::memory::dims aStrides, bStrides;
    std::vector<Dims> inputs; // of the node; operands of the epilogue against y
    Dims output;
};

/// Rows times one matrix where that is what the product comes to, else one product for each place of the batch.
MatmulShapes matmulShapes(PrepareArgs const& args, MatrixProduct const& product);

} // namespace tenon::cpu
