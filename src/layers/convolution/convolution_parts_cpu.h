// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn_parts.h"
#include "layers/convolution/convolution_shape.h"

#include <functional>

namespace tenon::cpu {

/// Part of a convolution: items of the batch, and of one item some channels of the result or some of its rows.
struct ConvolutionPart {
    ConvolutionShape shape;
    std::vector<Slice> inputs;
    Slice output;

    ConvolutionPart(PrepareArgs const& args, ConvolutionShape const& whole);
    /// False where the tensors of the part do not each lie in one piece.
    bool cut(PrepareArgs const& args, Range const& range);

private:
    bool cutChannels(PrepareArgs const& args, Range const& range);
    bool cutRows(PrepareArgs const& args, Range const& range);
};

/// Describes the convolution of these shapes for the node's labels.
using DescribePart = std::function<std::optional<DnnlProduct>(PrepareArgs const& args, ConvolutionShape const& shape)>;

/// A convolution that is to be cut.
struct WholeConvolution {
    DnnlProduct const& product;
    std::span<DnnlWanted const> weights; // in the order of the product
    double nanoseconds;                  // on one thread
};

/// Parts for the threads of this context that together give what the whole does, with results that do not depend on the
/// number of threads; none where oneDNN is to compute the whole (partsBy()). `mayCutChannels`: what `describe` says of
/// a part that has some of the channels is about these.
std::vector<ProductPart> partsOf(PrepareArgs const& args, ConvolutionShape const& shape, WholeConvolution const& whole,
                                 bool mayCutChannels, DescribePart const& describe);

} // namespace tenon::cpu
