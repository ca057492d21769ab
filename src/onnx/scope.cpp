// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/scope.h"

#include <algorithm>

namespace tenon::onnx {

std::set<FlatNode const*> dependents(FlatNode const& node, std::deque<FlatNode const*> const& others) {
    std::set<std::string> made(node.proto->output.begin(), node.proto->output.end());
    std::set<FlatNode const*> found;
    for (FlatNode const* other : others) {
        auto const reads = readsOf(*other->proto);
        if (std::ranges::none_of(reads, [&](std::string const& name) { return made.contains(name); })) continue;
        made.insert(other->proto->output.begin(), other->proto->output.end());
        found.insert(other);
    }
    return found;
}

std::vector<std::string> outputsFrom(FlatNode const& node, Scope const& scope) {
    std::set<std::string> made(node.proto->output.begin(), node.proto->output.end());
    for (FlatNode const* next : scope.left) made.insert(next->proto->output.begin(), next->proto->output.end());
    made.erase("");
    std::vector<std::string> outputs;
    for (std::string const& name : scope.outputs) {
        if (made.erase(name) != 0) outputs.push_back(name);
    }
    return outputs;
}

} // namespace tenon::onnx
