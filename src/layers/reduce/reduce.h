// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// TensorRT's names and order, then ONNX's other reductions.
enum class ReduceOperation : uint8_t {
    Sum,
    Prod,
    Max,
    Min,
    Avg,
    None, // no reduction: a copy
    L1,   // sum of |x|
    L2,   // square root of the sum of x^2
    SumSquare,
    LogSum,    // logarithm of the sum
    LogSumExp, // logarithm of the sum of exp(x)
};
std::span<std::string_view const> names(ReduceOperation);
inline void append(std::string& to, ReduceOperation operation) {
    to += names(operation)[static_cast<size_t>(operation)];
}

/// Folds all elements along some axes into one. X [any shape], axes? [n] int32 or int64, of known length (the field if
/// absent) → Y [X without these axes, or with 1 for them]. Floating point; int32 and int64 (which wrap around) except
/// for the logarithms; Max and Min also int8, uint8 and bool. Of no elements: 0, 1, the type's minimum, its maximum;
/// the average is NaN, for integers 0.
struct Reduce final : LayerOf<Reduce> {
    static constexpr std::string_view kKind = "Reduce";

    enum Input { kX, kAxes };

    ReduceOperation operation = ReduceOperation::Sum;
    std::vector<int64_t> axes; // negative: counted from the end; empty: all
    bool keepDimensions = false;

    void fields(Fields& f) override {
        f("operation", operation);
        f("axes", axes);
        f("keepDimensions", keepDimensions);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input == kAxes; }

    /// The axes of X that fold; nullopt if they are known at run time only. Throws an Error for one that does not exist
    /// or is repeated.
    std::optional<std::vector<bool>> folds(Operands const& in) const;
};

} // namespace tenon
