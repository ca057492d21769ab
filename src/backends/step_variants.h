// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

#include <functional>
#include <vector>

namespace tenon {

/// The variants of a kernel of pointwise steps: all tensors in one format and one type, except those that are stored as
/// 8-bit integers, and single values, which are linear.
class StepVariants {
public:
    /// Device-specific rules.
    struct Rules {
        Device device;
        /// The label of a tensor that may be stored as integers.
        std::function<Label(Tensor const&, Format const&)> integers;
        /// The nanoseconds of a run: from the bytes of all tensors, and the elements of the result with its padding.
        std::function<double(double bytes, double elements)> cost;
    };

    StepVariants(KernelQuery const& query, Rules rules) : query_(query), rules_(std::move(rules)) {}

    void add(DataType type, Format const& format, std::vector<Variant>& to) const;
    /// Tensors that may be stored as integers are, on at least one side; others have this type.
    void addIntegers(DataType type, Format const& format, std::vector<Variant>& to) const;

private:
    using LabelOf = std::function<Label(Tensor const&)>;

    void add(LabelOf const& ofInput, LabelOf const& ofOutput, Format const& format, std::vector<Variant>& to) const;

    KernelQuery const& query_;
    Rules rules_;
};

} // namespace tenon
