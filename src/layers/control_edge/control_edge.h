// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Where the API marks, among plain layers, a part of a network that runs several times (ILoop) or perhaps not at all
/// (IIfConditional). It computes nothing: when a network is built, each such part becomes one Loop or Conditional.
struct ControlEdge final : LayerOf<ControlEdge> {
    static constexpr std::string_view kKind = "ControlEdge";

    ///   Condition      bool [], which branch runs; no output
    ///   BranchInput    X → X in the branches
    ///   BranchOutput   what the first branch gives, what the second gives → that of the one that ran
    ///   Recurrence     the first value → the value in a trip
    ///   NextValue      the value in the next trip, of recurrence `index`; no output
    ///   TripCount      int32 or int64 [], how many trips; no output
    ///   TripCondition  bool [], before each trip: whether it is made; no output
    ///   Iterator       X [any] → the trip's element of X along `axis`, the last ones first if `reverse`
    ///   LastValue      a recurrence's value → the one after the last trip
    ///   Gathered       X, the number of trips [] → all its values along a new axis `axis`, last ones first if
    ///   `reverse`
    enum class Role {
        Condition,
        BranchInput,
        BranchOutput,
        Recurrence,
        NextValue,
        TripCount,
        TripCondition,
        Iterator,
        LastValue,
        Gathered
    };

    Role role = Role::Condition;
    int64_t group = 0; // the loop or conditional that it belongs to
    std::string of;    // the name of that
    int64_t index = 0;
    int64_t axis = 0;
    bool reverse = false;

    void fields(Fields& f) override {
        f("role", role);
        f("group", group);
        f("of", of);
        f("index", index);
        f("axis", axis);
        f("reverse", reverse);
    }
    std::vector<Result> infer(Operands const& in) const override;
    [[noreturn]] void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    bool readsValuesOf(int input) const override { return role == Role::Gathered && input == 1; }
};

std::span<std::string_view const> names(ControlEdge::Role);

} // namespace tenon
