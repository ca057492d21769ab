// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/keep_finite.h"

#include "layers/constant/constant.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tenon {
namespace {

constexpr float kBeyond = 1e30F; // no factor is as large; larger ones represent "nothing"
constexpr float kMostHalf = 65504;
float const kMostBFloat16 = std::bit_cast<float>(0x7f7f0000U);

bool isBeyond(float value) { return std::isfinite(value) && std::abs(value) > kBeyond; }

Literal cut(Literal const& literal, float most) {
    std::vector<float> values = literal.toFloat();
    for (float& value : values) {
        if (isBeyond(value)) value = std::clamp(value, -most, most);
    }
    return Literal::of(literal.dims(), values);
}

bool isReadInFloat32(Tensor const& tensor) {
    return !tensor.readers().empty() && std::ranges::all_of(tensor.readers(), [](Node const* reader) {
        return reader->askedType == DataType::Float32;
    });
}

} // namespace

void keepFinite(Graph& graph, Precision const& precision) {
    if (!precision.float16 && !precision.bfloat16) return;
    float const most = precision.float16 ? kMostHalf : kMostBFloat16;
    for (auto const& node : graph.nodes()) {
        auto* const constant = as<Constant>(*node->layer);
        if (!constant || constant->value.type() != DataType::Float32 || isReadInFloat32(*node->output())) continue;
        if (std::ranges::any_of(constant->value.as<float>(), isBeyond)) constant->value = cut(constant->value, most);
    }
}

} // namespace tenon
