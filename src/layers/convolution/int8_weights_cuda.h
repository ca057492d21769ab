// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/convolution/cudnn_convolution_cuda.h"

namespace tenon::cuda {

// What the kernels of convolutions of int8 have in common.

/// Why no kernel of int8 takes this convolution: a clause, empty where one may.
std::string int8Refusal(KernelQuery const& query, ConvolutionShape const& shape);

/// Channels last, padded to what is read at a time: 16 of int8.
Format int8FormatOf(Dims const& dims, DataType type);

/// Y in the types that it may have, and in int8 where it may be kept in integers.
std::vector<Label> int8ResultLabels(KernelQuery const& query);

/// The output channels of constant weights that are packed as int8: for X's zero point the weights of each are summed.
class Int8Channels {
public:
    explicit Int8Channels(PrepareArgs const& args);

    /// A weight of channel k as an integer; all of them have to be taken.
    int8_t take(int64_t k, float weight);

    size_t count() const { return scales_.size(); }
    /// The real value of a sum's 1.
    float factor(size_t k) const { return scales_[k] * scaleOfX_; }
    float bias(size_t k) const { return bias_[k]; }
    /// What X's zero point adds to a sum of products.
    int64_t shift(size_t k) const { return sums_[k] * zeroOfX_; }

private:
    float scaleOfX_;
    int32_t zeroOfX_;
    std::vector<float> scales_, bias_;
    std::vector<int64_t> sums_; // of the weights
};

} // namespace tenon::cuda
