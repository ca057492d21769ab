// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

#include <functional>
#include <vector>

namespace tenon {

/// The variants of a kernel of pointwise steps: all tensors in one format and one type, but for those that are kept in
/// integers of 8 bits, and for single numbers, which are linear.
class StepVariants {
public:
    /// What differs between devices.
    struct Rules {
        Device device;
        /// The label of a tensor that may be kept in integers.
        std::function<Label(Tensor const&, Format const&)> integers;
        /// Nanoseconds that a run takes: of all tensors, and of the result with its padding.
        std::function<double(double bytes, double elements)> cost;
    };

    StepVariants(KernelQuery const& query, Rules rules) : query_(query), rules_(std::move(rules)) {}

    void add(DataType type, Format const& format, std::vector<Variant>& to) const;
    /// Tensors that may be kept in integers are, on one side at least; others are of this type.
    void addIntegers(DataType type, Format const& format, std::vector<Variant>& to) const;

private:
    using LabelOf = std::function<Label(Tensor const&)>;

    void add(LabelOf const& ofInput, LabelOf const& ofOutput, Format const& format, std::vector<Variant>& to) const;

    KernelQuery const& query_;
    Rules rules_;
};

} // namespace tenon
