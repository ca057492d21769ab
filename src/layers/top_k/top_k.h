// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// The k greatest or least elements along one axis, the best first, and their indices. X [d0,…,n,…,dm] any with
/// arithmetic, k? (one int32 or int64; the field if absent), 0 to n → values [d0,…,k,…,dm], indices [the same]. Of
/// equal elements the one with the lower index comes first. NaN is greater than every number, as in numpy's sort.
/// Indices of int32 require n to fit.
struct TopK final : LayerOf<TopK> {
    static constexpr std::string_view kKind = "TopK";

    enum class Operation { Max, Min };
    enum Input { kX, kK };

    Operation operation = Operation::Max;
    int64_t k = 1;
    int64_t axis = -1;      // negative: counted from the end
    bool lastFirst = false; // of equal elements the one with the higher index comes first
    bool nanFirst = false;  // NaN is better than every number, as in numpy's argmin
    DataType indicesType = DataType::Int32;

    void fields(Fields& f) override {
        f("operation", operation);
        f("k", k);
        f("axis", axis);
        f("lastFirst", lastFirst);
        f("nanFirst", nanFirst);
        f("indicesType", indicesType);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override { return input == kK ? "k" : Layer::inputName(input); }
    bool readsValuesOf(int input) const override { return input == kK; }
};

std::span<std::string_view const> names(TopK::Operation);

} // namespace tenon
