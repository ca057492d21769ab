// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph/body.h"
#include "layers/constant/constant.h"
#include "trt/edge/shape_tensors.h"
#include "trt/edge/weights_roles.h"
#include "trt/network/network.h"

#include <algorithm>

namespace tenon::trt {

Network::WeightsKey Network::keyOf(Literal const& value) {
    return {value.found().data(), value.type(), value.dims().volume()};
}

/// Throws an Error if the network has other weights at this address: the name would be ambiguous.
void Network::expectOneAtAddress(WeightsKey const& weights) const {
    for (auto const& node : graph_.nodes()) {
        auto const* const constant = as<Constant>(*node->layer);
        if (constant == nullptr) continue;
        WeightsKey const there = keyOf(constant->value);
        if (there.values == weights.values && there != weights)
            fail(ErrorCode::InvalidArgument, "the weights are ", weights.count, " values of ", weights.type,
                 ", and the network has ", there.count, " of ", there.type,
                 " at the same address; pass those of the network, or store the others elsewhere");
    }
}

bool Network::setWeightsName(Weights weights, char const* name) noexcept {
    return guarded(reporter_, "setWeightsName", [&] {
        if (weights.count > 0 && isEmpty(weights) && takesPlaceholders())
            fail(ErrorCode::InvalidArgument, "weights without values have no address that identifies them; they are "
                                             "named after their layer, so name the layer");
        if (isEmpty(weights)) return false; // parsers name all weights, also those without values
        WeightsKey const key{weights.values, trt::fromApi(weights.type), weights.count};
        if (name == nullptr) return weightsNames_.erase(key), true;
        expectOneAtAddress(key);
        auto const holder = std::ranges::find_if(weightsNames_, [&](auto const& one) { return one.second == name; });
        if (holder != weightsNames_.end() && holder->first != key) {
            reporter_.warning(text("setWeightsName: ", std::string_view(name), " is the name of other weights; use ",
                                   "another one, or first remove it from those by passing null"));
            return false;
        }
        weightsNames_[key] = name;
        return true;
    });
}

/// By their name from the application, else from the model, else by their position. Weights without a role and a name
/// cannot be referenced by an application.
std::vector<NamedConstant> Network::namedWeights() const {
    return nameConstants(graph_, [&](Node const& constant, WeightsPlace const& place) {
        auto const given = weightsNames_.find(keyOf(*constant.layer->constant()));
        if (given != weightsNames_.end()) return given->second;
        if (!isHidden(&constant)) return modelNameOf(constant);
        return hasRole(place) ? nameOf(place) : std::string();
    });
}

/// Each element is 1 while an engine is built, or 0 of a type that is not computed in: a scale may not be 0.
Literal Network::placeholder(DataType type, Dims const& dims) const {
    size_t const bytes = bytesOf(type, dims.volume());
    return placeholders_.emplace_back(Literal::later(type, dims, [type, bytes](std::byte* to) {
        std::fill_n(to, bytes, std::byte{});
        if (!isFloat(type)) return;
        dispatch(type, [&]<class T>(TypeTag<T>) { std::fill_n(reinterpret_cast<T*>(to), bytes / sizeof(T), T(1.0F)); });
    }));
}

bool Network::isPlaceholder(Literal const& value) const {
    return std::ranges::find(placeholders_, value.identity(), &Literal::identity) != placeholders_.end();
}

Weights Network::weightsOf(Literal const* value) const {
    bool const lacksValues = value != nullptr && isPlaceholder(*value);
    return lacksValues ? Weights{toApi(value->type()), nullptr, value->dims().volume()} : toApi(value);
}

std::set<std::string> Network::placeholders() const {
    std::set<std::string> names;
    if (placeholders_.empty()) return names;
    forEachNode(graph_, [&](Node const& node) {
        auto const* const constant = as<Constant>(*node.layer);
        if (constant != nullptr && isPlaceholder(constant->value)) names.insert(constant->weights);
    });
    return names;
}

/// Throws an Error for weights without values that a refitter could not set.
static void expectServed(std::string const& name, DataType type, Refittable which, bool decides) {
    std::string_view why;
    if (which != Refittable::Marked) why = "pass values, or build with BuilderFlag::kREFIT_INDIVIDUAL";
    if (type == DataType::Int32 || type == DataType::Int64 || type == DataType::Bool)
        why = "expected values of integers and bools, which may decide shapes";
    if (decides) why = "expected values, since they decide shapes";
    if (!why.empty()) fail(ErrorCode::InvalidArgument, "weights ", name, " have no values; ", why);
}

/// Constants that an engine is built for keep their values, and so do all with their name.
void Network::nameWeights(Refittable which) {
    forEachNode(graph_, [](Node& node) {
        auto* const constant = as<Constant>(*node.layer);
        if (constant == nullptr) return;
        constant->weights.clear();
        constant->isOpen = false;
        constant->isHidden = false;
    });
    if (which == Refittable::None && !hasPlaceholders()) return;
    auto const deciding = decidingConstants(graph_);
    std::set<std::string> staying;
    for (auto const& [node, name] : namedWeights()) {
        if (deciding.contains(node->output())) staying.insert(name);
    }
    for (auto& [node, name] : namedWeights()) {
        auto& constant = *as<Constant>(*node->layer);
        int64_t const count = constant.value.dims().volume();
        bool const lacksValues = isPlaceholder(constant.value);
        bool const isMarked = which == Refittable::All || refittable_.contains(name) || lacksValues;
        if (lacksValues) expectServed(name, constant.value.type(), which, staying.contains(name));
        if (staying.contains(name) || count == 0 || !isMarked) continue;
        constant.weights = std::move(name);
        constant.isHidden = isHidden(node);
        constant.isOpen = which == Refittable::Marked || count > 1;
    }
    forEachNode(graph_, [this](Node const& node) {
        auto const* const constant = as<Constant>(*node.layer);
        if (constant && isPlaceholder(constant->value) && constant->weights.empty())
            fail(ErrorCode::InvalidArgument, node,
                 ": weights without values, role or name, which a refitter cannot set; expected values");
    });
}

bool Network::hasWeights(std::string_view name) const {
    return std::ranges::any_of(namedWeights(), [&](NamedConstant const& one) { return one.name == name; });
}

bool Network::isPlaceholder(std::string_view name) const {
    return std::ranges::any_of(namedWeights(), [&](NamedConstant const& one) {
        return one.name == name && isPlaceholder(*one.node->layer->constant());
    });
}

bool Network::markWeightsRefittable(char const* name) noexcept {
    return guarded(reporter_, "markWeightsRefittable", [&] {
        for (auto const& [node, own] : namedWeights()) {
            if (name && own == name && as<Constant>(*node->layer)->decides)
                fail(ErrorCode::InvalidArgument, "weights ", own,
                     " determined which layers the parser added and cannot be exchanged; parse a model with other "
                     "weights");
        }
        if (!hasWeights(expectText(name, "name")))
            fail(ErrorCode::InvalidArgument, "the network has no weights called ", std::string_view(name),
                 "; expected a name of setWeightsName or of the model");
        return refittable_.insert(name), true; // without effect on placeholders
    });
}

bool Network::unmarkWeightsRefittable(char const* name) noexcept {
    return guarded(reporter_, "unmarkWeightsRefittable", [&] {
        if (isPlaceholder(expectText(name, "name")))
            fail(ErrorCode::InvalidArgument, "weights ", std::string_view(name),
                 " have no values, so a refitter must set them");
        if (refittable_.erase(name) == 0)
            fail(ErrorCode::InvalidArgument, "weights ", std::string_view(name), " are not marked");
        return true;
    });
}

bool Network::areWeightsMarkedRefittable(char const* name) const noexcept {
    return guarded(reporter_, "areWeightsMarkedRefittable",
                   [&] { return refittable_.contains(expectText(name, "name")) || isPlaceholder(name); });
}

} // namespace tenon::trt
