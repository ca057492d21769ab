// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/normalization/normalization.h"

namespace tenon {

/// Where scale, bias or shift of element i of row r lies:
/// r / repeats % count * rowStep + i / run * runStep + i % run * elementStep
struct RowParameter {
    int64_t repeats = 1; // rows one after the other with the same parameters
    int64_t count = 1;   // of different rows, before they start over
    int64_t rowStep = 0;
    int64_t runStep = 0;
    int64_t elementStep = 0; // 0 or 1

    int64_t ofRow(int64_t row) const { return row / repeats % count * rowStep; }
};

/// A normalization of a dense row-major tensor as kernels compute it: X is [outer, length, inner], and each row along
/// `length` is normalized by itself. All `inner` rows side by side have the same parameters.
struct NormalizationRows {
    int64_t outer = 1;
    int64_t length = 1;
    int64_t inner = 1;
    int64_t run = 1; // elements of a row whose parameters are one number or contiguous
    RowParameter scale, bias, shift;
    std::string refusal; // a clause: why the layer cannot be seen so; "" if it can and the fields are valid

    NormalizationRows(Normalization const& layer, std::span<Dims const> inputs);
    /// The same; an Error where there is a refusal.
    static NormalizationRows expected(Normalization const& layer, std::span<Dims const> inputs);

private:
    std::string findRows(NormalizationSpace const& space);
    std::string findParameter(NormalizationSpace const& space, Dims const& strides, RowParameter& parameter);

    int begin_ = 0; // of the normalized axes
    int end_ = 0;
};

} // namespace tenon
