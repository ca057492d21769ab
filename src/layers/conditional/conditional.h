// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/body.h"

namespace tenon {

/// Selects one of two graphs by a condition. Condition [] or [1] bool, then the inputs of the first graph, then those
/// of the second one → the outputs of the graph that ran, then, unless `atShapes`, one integer [] for each extent in
/// which the two differ. If the condition is known, the other graph is ignored. If it is not, one of them may be
/// invalid for the shapes: the outputs then have the shapes of the other one, and only a run that selects the invalid
/// one is an Error.
struct Conditional final : LayerOf<Conditional> {
    static constexpr std::string_view kKind = "If";

    Graph thenBody;
    Graph elseBody;
    /// Where the shapes of the two may differ: axis `openAxes[i]` of output `openOutputs[i]`. Unless `atShapes`, the
    /// run determines that extent: memory is reserved for the larger one, or, if it is unbounded, allocated by the
    /// branch that ran.
    std::vector<int64_t> openOutputs;
    std::vector<int64_t> openAxes;
    /// The condition is computed on the host with the shapes (plan/shapes/host_conditions.h), so all extents are known
    /// before a run.
    bool atShapes = false;

    /// For two graphs with inferred shapes: the extents in which they differ are open.
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

    /// The symbol of the condition, 0 or 1, in the extents of outputs; empty if there is none.
    std::string conditionSymbol(Operands const& in) const;
    /// Whether an extent of an output in one of its graphs is data-dependent.
    bool isDecidedByData(Operands const& in) const;
    /// Throws an Error if an output has different ranks in the two graphs, and either may run. infer() accepts that, as
    /// the shapes of a profile may determine the condition later.
    void expectOneRank(Operands const& in) const;
};

} // namespace tenon
