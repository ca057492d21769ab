// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/parser/refit_records.h"

#include "layers/constant/constant.h"
#include "onnx/types.h"
#include "trt/edge/call_program.h"
#include "trt/edge/convert.h"
#include "trt/edge/weights_roles.h"

#include <optional>
#include <unordered_map>

namespace tenon::trt {
namespace {

using Kind = nvonnxparser::RefitTransformKind;
using onnx::ElementType;
using onnx::WeightOrigin;

/// None for elements that the parser stores in another type than the file does, except for float64.
std::optional<Kind> kindOf(onnx::WeightSource const& source, DataType type) {
    ElementType const element = onnx::elementType(source.elementType);
    switch (source.origin) {
    case WeightOrigin::Initializer:
        if (element == ElementType::Float64) return Kind::kDOUBLE_TO_FLOAT;
        return element == onnx::elementTypeOf(type) ? std::optional(Kind::kIDENTITY) : std::nullopt;
    case WeightOrigin::BatchNormScale: return Kind::kBATCH_NORM_FOLD_SCALE;
    case WeightOrigin::BatchNormBias: return Kind::kBATCH_NORM_FOLD_BIAS;
    case WeightOrigin::ConstantNode: return Kind::kCONSTANT_NODE;
    case WeightOrigin::ConstantOfShape: return Kind::kCONSTANT_OF_SHAPE;
    }
    return std::nullopt;
}

void report(std::string const& name, onnx::WeightSource const& source, Literal const& value, Kind kind,
            nvonnxparser::IRefitterObserver& observer) {
    std::vector<char const*> sources;
    for (std::string const& each : source.sources) sources.push_back(each.c_str());
    bool const isFixed = kind == Kind::kCONSTANT_NODE || kind == Kind::kCONSTANT_OF_SHAPE;
    nvonnxparser::RefitRecord const record{.trtName = name.c_str(),
                                           .kind = kind,
                                           .onnxDtype = static_cast<int32_t>(source.elementType),
                                           .trtDtype = toApi(value.type()),
                                           .count = value.dims().volume(),
                                           .nbSources = static_cast<int32_t>(sources.size()),
                                           .sourceOnnxNames = sources.data(),
                                           .epsilon = source.epsilon,
                                           .fixedData = isFixed ? value.data() : nullptr,
                                           .fixedDataSize = isFixed ? value.bytes() : 0};
    callProgram("IRefitterObserver::onRefittableWeight", [&] { observer.onRefittableWeight(record); });
}

} // namespace

void reportWeights(Graph const& graph, onnx::ParseResult const& parsed, nvonnxparser::IRefitterObserver& observer,
                   std::function<bool(std::string const& name)> const& isWanted) {
    std::unordered_map<Node const*, std::string> names;
    for (auto& [node, name] : nameConstants(graph, byModel)) names.emplace(node, name);
    for (onnx::WeightSource const& source : parsed.weights) {
        auto const found = names.find(source.constant);
        if (found == names.end() || source.constant->name != source.name) continue; // an importer removed it again
        auto const* const constant = as<Constant>(*source.constant->layer);
        if (constant == nullptr || constant->decides || !isWanted(found->second)) continue;
        auto const kind = kindOf(source, constant->value.type());
        if (kind && constant->value.dims().volume() > 0)
            report(found->second, source, constant->value, *kind, observer);
    }
}

} // namespace tenon::trt
