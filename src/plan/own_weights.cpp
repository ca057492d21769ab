// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/own_weights.h"

#include "graph/body.h"
#include "layers/constant/constant.h"
#include "plan/kernels/pack_weights.h"

#include <map>
#include <utility>

namespace tenon {
namespace {

/// The plan and its kept network refer to the same bytes: one copy serves both.
class Owning {
public:
    void own(Graph const& graph) {
        forEachNode(graph, [&](Node& node) {
            auto* const constant = as<Constant>(*node.layer);
            if (constant && constant->value.isLent()) constant->value = owned(constant->value);
        });
    }

private:
    Literal owned(Literal const& lent) {
        auto& copy = copies_[{lent.data(), lent.bytes()}];
        if (!copy) copy = Literal::copyOf(lent.type(), lent.dims(), lent.data());
        bool const isSame = copy.type() == lent.type();
        return isSame ? copy.reshaped(lent.dims()) : Literal::copyOf(lent.type(), lent.dims(), lent.data());
    }

    std::map<std::pair<void const*, size_t>, Literal> copies_;
};

/// Packed weights are created when they are first read, from the constants at the time of packing.
void packAgain(Plan& plan) {
    for (Assignment& assignment : plan.nodes) assignment.packed = nullptr;
    packWeights(plan);
}

} // namespace

void ownWeights(Plan& plan) {
    Owning owning;
    forEachPlan(plan, [&](Plan& one) {
        owning.own(one.graph);
        packAgain(one);
    });
    if (!plan.network) return;
    auto network = std::make_shared<Graph>(plan.network());
    owning.own(*network);
    plan.network = [network] { return *network; };
}

} // namespace tenon
