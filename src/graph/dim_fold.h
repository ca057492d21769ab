// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/dim_expr.h"

#include <unordered_map>
#include <vector>

namespace tenon {

/// Reduces an expression to one value: leaf(dim) for a constant or symbol, join(dim, left, right) for an operation and
/// the results of its operands. In a large expression each operation is visited once, however often it is used, and
/// depth uses no stack.
template <class T, class Leaf, class Join> class DimFold {
public:
    DimFold(Leaf leaf, Join join) : leaf_(std::move(leaf)), join_(std::move(join)) {}

    T operator()(DimExpr const& dim) {
        if (!dim.isLarge()) return small(dim);
        std::vector<DimExpr const*> waiting{&dim};
        while (!waiting.empty()) {
            DimExpr const& next = *waiting.back();
            if (known_.contains(next.id())) {
                waiting.pop_back();
            } else if (!pushUnknown(next.left(), waiting) && !pushUnknown(next.right(), waiting)) {
                known_.emplace(next.id(), join_(next, valueOf(next.left()), valueOf(next.right())));
            }
        }
        return valueOf(dim);
    }

private:
    bool pushUnknown(DimExpr const& dim, std::vector<DimExpr const*>& waiting) const {
        bool const unknown = dim.isLarge() && !known_.contains(dim.id());
        if (unknown) waiting.push_back(&dim);
        return unknown;
    }

    T valueOf(DimExpr const& dim) { return dim.isLarge() ? known_.at(dim.id()) : small(dim); }

    T small(DimExpr const& dim) {
        bool const isLeaf = dim.op() == DimExpr::Op::Constant || dim.op() == DimExpr::Op::Symbol;
        return isLeaf ? leaf_(dim) : join_(dim, small(dim.left()), small(dim.right()));
    }

    Leaf leaf_;
    Join join_;
    std::unordered_map<void const*, T> known_;
};

template <class T, class Leaf, class Join> T fold(DimExpr const& dim, Leaf leaf, Join join) {
    return DimFold<T, Leaf, Join>(std::move(leaf), std::move(join))(dim);
}

} // namespace tenon
