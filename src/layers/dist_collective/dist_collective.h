// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"
#include "layers/reduce/reduce.h"

namespace tenon {

/// Exchanges data between devices that run the same engine at the same time. Rank r of R has X_r [n,…] and gets Y_r:
///   AllReduce      [n,…], the reduction of X_0 to X_R-1, element by element
///   AllGather      [R·n,…], X_0 to X_R-1 concatenated
///   Broadcast      [n,…], X of the root
///   Reduce         as AllReduce for the root; undefined for the others
///   ReduceScatter  [n/R,…], part r of the reduction
///   AllToAll       [n,…], part r of X_0 to X_R-1, concatenated
///   Gather         as AllGather for the root; undefined for the others
///   Scatter        [n/R,…], part r of X of the root
/// The communicator of the run determines the number of devices and the rank of this one; without one it is alone, and
/// Y = X. X is of any type whose elements are whole bytes; reductions require types with arithmetic.
struct DistCollective final : LayerOf<DistCollective> {
    static constexpr std::string_view kKind = "DistCollective";

    enum class Operation { AllReduce, AllGather, Broadcast, Reduce, ReduceScatter, AllToAll, Gather, Scatter };

    static constexpr int64_t kMostRanks = 1 << 20;

    Operation operation = Operation::AllReduce;
    ReduceOperation reduction = ReduceOperation::None; // for operations that reduce
    int64_t ranks = 1;                                 // R, if it determines the shape; others run on any number
    int64_t root = -1;                                 // a rank of the communicator
    /// The participating ranks of the communicator, in the order of r. Empty: all of them.
    std::vector<int64_t> group;

    void fields(Fields& f) override {
        f("operation", operation);
        f("reduction", reduction);
        f("ranks", ranks);
        f("root", root);
        f("group", group);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    bool varies() const override { return true; }

    bool reduces() const;
    bool hasRoot() const;
    /// Whether Y has R times as many rows as X.
    bool joins() const { return operation == Operation::AllGather || operation == Operation::Gather; }
    /// Whether Y has one row for R of X.
    bool splits() const { return operation == Operation::ReduceScatter || operation == Operation::Scatter; }
    /// Throws an Error if other ranks participate: a device without a communicator is alone.
    void expectAlone() const;

private:
    void expectValid() const;
};

std::span<std::string_view const> names(DistCollective::Operation);
inline void append(std::string& to, DistCollective::Operation operation) {
    to += names(operation)[static_cast<size_t>(operation)];
}

} // namespace tenon
