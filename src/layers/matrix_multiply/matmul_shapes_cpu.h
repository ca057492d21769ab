// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn_parts.h"
#include "layers/matrix_multiply/matrix_multiply.h"

#include <functional>

namespace tenon::cpu {

/// The product as oneDNN is to see it, all tensors of one rank.
struct MatmulShapes {
    dnnl::memory::dims a, b, y;
    dnnl::memory::dims aStrides, bStrides, yStrides;
    std::vector<Dims> inputs; // of the node; operands of the epilogue against y
    Dims output;
    dnnl::memory::dims packedStrides = {}; // how a B that was packed lies, where that is fixed and in no blocks

    /// How B is to be packed.
    dnnl::memory::desc packedB(dnnl::memory::data_type type) const {
        if (packedStrides.empty()) return {b, type, dnnl::memory::format_tag::any};
        return {b, type, packedStrides};
    }
};

/// Part of a product: matrices of the batch, rows or columns.
struct MatmulPart {
    MatmulShapes shapes;
    std::vector<Slice> operands; // of the epilogue; by input of the node
    int64_t a = 0;               // where the part begins in each tensor, in elements
    int64_t b = 0;
    int64_t y = 0;

    explicit MatmulPart(MatmulShapes const& whole);
    /// False where an operand of the part does not lie in one piece.
    bool cut(PrepareArgs const& args, Range const& range);
};

/// Describes a product of these shapes for the node's labels.
using DescribeMatmul = std::function<std::optional<DnnlProduct>(MatmulShapes const& shapes)>;

/// Parts for the threads of this context that together give what `whole` does, with results that do not depend on the
/// number of threads; none where oneDNN is to compute the whole (partsBy()). `mayCutColumns`: what `describe` says of a
/// part that has some of the columns is about these. `b`: in the order of the whole.
std::vector<ProductPart> partsOf(PrepareArgs const& args, MatmulShapes const& shapes, DnnlProduct const& whole,
                                 DnnlWanted const& b, bool mayCutColumns, DescribeMatmul const& describe);

/// Rows times one matrix where that is what the product comes to, else one product for each place of the batch.
MatmulShapes matmulShapes(PrepareArgs const& args, MatrixProduct const& product);

} // namespace tenon::cpu
