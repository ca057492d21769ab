// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/weights_roles.h"

#include "base/text.h"
#include "graph/body.h"
#include "layers/constant/constant.h"

#include <map>
#include <optional>

namespace tenon::trt {
namespace {

using nvinfer1::WeightsRole;

WeightsRole toApi(tenon::WeightsRole role) {
    switch (role) {
    case tenon::WeightsRole::Kernel: return WeightsRole::kKERNEL;
    case tenon::WeightsRole::Bias: return WeightsRole::kBIAS;
    case tenon::WeightsRole::Shift: return WeightsRole::kSHIFT;
    case tenon::WeightsRole::Scale: return WeightsRole::kSCALE;
    }
    return WeightsRole::kANY;
}

/// The layers whose weights a constant contains, and the constant itself if it is a layer.
std::vector<WeightsPlace> placesOf(Node const& constant) {
    bool const isHidden = as<Constant>(*constant.layer)->isHidden;
    std::vector<WeightsPlace> places;
    for (Node const* reader : constant.output()->readers()) {
        for (size_t i = 0; i < reader->inputs().size(); ++i) {
            if (reader->inputs()[i] != constant.output()) continue;
            auto const role = reader->layer->weightsRole(static_cast<int>(i));
            if (role || isHidden) places.push_back({reader->name, role ? toApi(*role) : WeightsRole::kANY});
        }
    }
    if (!isHidden) places.push_back({constant.name, WeightsRole::kCONSTANT});
    return places;
}

bool isSameValue(Literal const& a, Literal const& b) {
    return a.identity() == b.identity() && a.type() == b.type() && a.dims().volume() == b.dims().volume();
}

} // namespace

std::string const& modelNameOf(Node const& constant) {
    std::string const& tensor = constant.output()->name;
    return !tensor.empty() && constant.name.starts_with(text(tensor, '_')) ? tensor : constant.name;
}

std::string byModel(Node const& constant, WeightsPlace const& /*place*/) { return modelNameOf(constant); }

std::vector<NamedConstant> nameConstants(Graph const& graph,
                                         std::function<std::string(Node const&, WeightsPlace const&)> const& wished) {
    std::vector<NamedConstant> all;
    std::map<std::string, Literal, std::less<>> taken;
    forEachWeights(graph, [&](Node& node, std::vector<WeightsPlace> const& places) {
        Literal const& value = *node.layer->constant();
        std::string name = wished(node, places.front());
        if (name.empty()) return;
        for (int i = 1; !isSameValue(taken.try_emplace(name, value).first->second, value); ++i)
            name = i == 1 ? node.name : text(node.name, " (", i, ')');
        all.push_back({&node, std::move(name)});
    });
    return all;
}

bool hasRole(WeightsPlace const& place) { return place.role < WeightsRole::kCONSTANT; }

std::string nameOf(WeightsPlace const& place) {
    static constexpr std::string_view kRoles[]{"KERNEL", "BIAS", "SHIFT", "SCALE", "CONSTANT", "ANY"};
    return text(place.layer, ' ', kRoles[static_cast<size_t>(place.role)]);
}

void forEachWeights(Graph const& graph,
                    std::function<void(Node& constant, std::vector<WeightsPlace> const& places)> const& visit) {
    forEachNode(graph, [&](Node& node) {
        if (as<Constant>(*node.layer) == nullptr) return;
        auto const places = placesOf(node);
        if (!places.empty()) visit(node, places);
    });
}

} // namespace tenon::trt
