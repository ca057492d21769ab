// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/body.h"
#include "layers/constant/constant.h"
#include "trt/edge/weights_roles.h"
#include "trt/network/network.h"
#include "trt/network/shape_tensors.h"

namespace tenon::trt {

bool Network::setWeightsName(Weights weights, char const* name) noexcept {
    return guarded(reporter_, "setWeightsName", [&] {
        expectText(name, "name");
        if (isEmpty(weights)) return false; // parsers name all weights, also those that have no values
        weightsNames_[weights.values] = name;
        return true;
    });
}

std::string Network::weightsNameOf(Node const& constant, WeightsPlace const& place) const {
    auto const given = weightsNames_.find(constant.layer->constant()->found().data());
    if (given != weightsNames_.end()) return given->second;
    return isHidden(&constant) ? nameOf(place) : constant.name;
}

/// Constants whose elements decide shapes keep them: an engine is built for these shapes.
void Network::nameWeights(Refittable which) {
    auto const shapes = decidesShapes(graph_);
    forEachNode(graph_, [](Node& node) {
        if (auto* const constant = as<Constant>(*node.layer)) constant->weights.clear(), constant->isOpen = false;
    });
    if (which == Refittable::None) return;
    forEachWeights(graph_, [&](WeightsPlace const& place, Node& node) {
        auto& constant = *as<Constant>(*node.layer);
        if (shapes.contains(node.output()) || constant.value.dims().volume() == 0) return;
        std::string name = weightsNameOf(node, place);
        if (which == Refittable::Marked && !refittable_.contains(name)) return;
        constant.weights = std::move(name);
        constant.isOpen = which == Refittable::Marked || constant.value.dims().volume() > 1;
    });
}

bool Network::hasWeights(std::string const& name) const {
    bool found = false;
    forEachWeights(graph_, [&](WeightsPlace const& place, Node const& node) {
        found = found || weightsNameOf(node, place) == name;
    });
    return found;
}

bool Network::markWeightsRefittable(char const* name) noexcept {
    return guarded(reporter_, "markWeightsRefittable", [&] {
        if (!hasWeights(expectText(name, "name")))
            fail(ErrorCode::InvalidArgument, "the network has no weights that are called ", std::string_view(name),
                 "; name them with setWeightsName, or as the model does");
        return refittable_.insert(name), true;
    });
}

bool Network::unmarkWeightsRefittable(char const* name) noexcept {
    return guarded(reporter_, "unmarkWeightsRefittable", [&] {
        if (refittable_.erase(expectText(name, "name")) == 0)
            fail(ErrorCode::InvalidArgument, "weights ", std::string_view(name), " are not marked");
        return true;
    });
}

bool Network::areWeightsMarkedRefittable(char const* name) const noexcept {
    return guarded(reporter_, "areWeightsMarkedRefittable",
                   [&] { return refittable_.contains(expectText(name, "name")); });
}

} // namespace tenon::trt
