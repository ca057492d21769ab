// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Marks, among plain layers of the API, the boundary of a loop (ILoop) or conditional (IIfConditional). It computes
/// nothing: when a network is built, each such part becomes one Loop or Conditional.
struct ControlEdge final : LayerOf<ControlEdge> {
    static constexpr std::string_view kKind = "ControlEdge";

    ///   Condition      bool [], which branch runs; no output
    ///   BranchInput    X → X in the branches
    ///   BranchOutput   the outputs of the first and of the second branch → that of the one that ran
    ///   Recurrence     the initial value → the value in an iteration
    ///   NextValue      the value in the next iteration, of recurrence `index`; no output
    ///   TripCount      int32 or int64 [], the number of iterations; no output
    ///   TripCondition  bool [], before each iteration: whether it runs; no output
    ///   Iterator       X [any] → the iteration's element of X along `axis`, the last ones first if `reverse`
    ///   LastValue      a recurrence's value → the one after the last iteration
    ///   Gathered       X, the number of iterations [] → all its values along a new axis `axis`, last ones first if
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
    std::string of;    // its name
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
