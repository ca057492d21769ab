// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/body.h"

namespace tenon {

/// One of two graphs, as a condition says. Condition [] or [1] bool, then what the first graph reads, then what the
/// second one reads → the outputs of the one that ran, then one integer [] for each extent in which the two differ.
/// Where the condition is known, the graph that never runs is not looked at.
struct Conditional final : LayerOf<Conditional> {
    static constexpr std::string_view kKind = "If";

    Graph thenBody;
    Graph elseBody;
    /// Where the shapes of the two may differ: the axis `openAxes[i]` of output `openOutputs[i]`. Only the run tells
    /// that extent; room is made for the larger one.
    std::vector<int64_t> openOutputs;
    std::vector<int64_t> openAxes;

    /// Of two graphs whose shapes are inferred: those in which they differ are open.
    static Conditional of(Graph thens, Graph elses);

    void fields(Fields& f) override {
        visitBody(f, "thenBody", thenBody);
        visitBody(f, "elseBody", elseBody);
        f("openOutputs", openOutputs);
        f("openAxes", openAxes);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    std::vector<SizeTensor> sizes(Operands const& in) const override;
    std::vector<Graph*> bodies() override { return {&thenBody, &elseBody}; }
    std::vector<BodyInputs> bodyInputs(Operands const& in) const override;
};

} // namespace tenon
