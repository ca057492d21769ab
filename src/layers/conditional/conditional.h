// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/body.h"

namespace tenon {

/// One of two graphs, as a condition says. Condition [] or [1] bool, then what the first graph reads, then what the
/// second one reads → the outputs of the one that ran, then, unless `atShapes`, one integer [] for each extent in which
/// the two differ. Where the condition is known, the graph that never runs is not looked at. Where it is not, one of
/// them may be impossible for the shapes at hand: the outputs have the shapes of the other one, and only a run that
/// takes it is an Error.
struct Conditional final : LayerOf<Conditional> {
    static constexpr std::string_view kKind = "If";

    Graph thenBody;
    Graph elseBody;
    /// Where the shapes of the two may differ: the axis `openAxes[i]` of output `openOutputs[i]`. Unless `atShapes`,
    /// the run decides that extent: room is made for the larger one, or, where nothing bounds it, by the branch that
    /// ran.
    std::vector<int64_t> openOutputs;
    std::vector<int64_t> openAxes;
    /// The condition is computed on the host with the shapes (plan/shapes/host_conditions.h), so all extents are known
    /// before a run.
    bool atShapes = false;

    /// Of two graphs whose shapes are inferred: those in which they differ are open.
    static Conditional of(Graph thens, Graph elses);

    void fields(Fields& f) override {
        visitBody(f, "thenBody", thenBody);
        visitBody(f, "elseBody", elseBody);
        f("openOutputs", openOutputs);
        f("openAxes", openAxes);
        if (f.visits("atShapes", atShapes)) f("atShapes", atShapes);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input == 0 && atShapes; }
    std::vector<SizeTensor> sizes(Operands const& in) const override;
    std::vector<Graph*> bodies() override { return {&thenBody, &elseBody}; }
    std::vector<BodyInputs> bodyInputs(Operands const& in) const override;

    /// What stands for the condition, 0 or 1, in the extents of outputs; empty where none does.
    std::string conditionSymbol(Operands const& in) const;
    /// Data in one of its graphs decide an extent of an output.
    bool isDecidedByData(Operands const& in) const;
    /// An Error where an output has one rank in the first graph, another one in the second, and either may run. infer()
    /// lets that pass, as the shapes of a profile may yet decide the condition.
    void expectOneRank(Operands const& in) const;
};

} // namespace tenon
