// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/quanta.h"

#include "base/quantize.h"
#include "layers/dequantize/dequantize.h"
#include "layers/quantize/quantize.h"
#include "layers/quantized_constant/quantized_constant.h"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

/// Whether the node rounds to all integers of its type, by ONNX's formula in float32.
bool isPlain(Node const& node) {
    auto const* layer = as<Quantize>(*node.layer);
    if (layer == nullptr) return node.kind() == Dequantize::kKind;
    return layer->least == 0 && layer->most == 0 && layer->precision == DataType::Float32;
}

Tensor const& integersOf(Node const& node) { return node.kind() == Quantize::kKind ? *node.output() : *node.input(0); }

/// The index along `axis` of each element of dense row-major weights.
struct AxisIndex {
    int64_t extent, inner;

    AxisIndex(Dims const& dims, int axis) : extent(dims[axis]), inner(dims.volume(axis + 1, dims.rank())) {}
    size_t of(size_t element) const { return static_cast<size_t>(static_cast<int64_t>(element) / inner % extent); }
};

bool isGrid(QuantizedConstant const& weights, int axis) {
    return weights.axis == axis || weights.scales.dims().volume() == 1;
}

} // namespace

Tensor* realsOf(Node const& node) { return node.kind() == Quantize::kKind ? node.input(0) : node.output(); }

std::optional<Quantum> quantumOf(Node const& node) {
    if (!isPlain(node) || realsOf(node)->type != DataType::Float32) return std::nullopt;
    DataType const type = integersOf(node).type;
    Literal const* scale = node.input(1)->literal();
    Literal const* zero = node.input(2) ? node.input(2)->literal() : nullptr;
    bool const isByte = type == DataType::Int8 || type == DataType::UInt8;
    bool const isKnown = scale && isFloat(scale->type()) && scale->dims().volume() == 1 && (zero || !node.input(2)) &&
                         (!zero || zero->dims().volume() == 1);
    if (!isByte || !isKnown) return std::nullopt;
    Quantum const quantum{scale->toFloat()[0], zero ? static_cast<int32_t>(zero->toInt64()[0]) : 0, type};
    bool const isUsable = std::isnormal(quantum.scale) && quantum.scale > 0;
    return isUsable ? std::optional(quantum) : std::nullopt;
}

bool hasWeightScales(Tensor const& weights, int axis, bool mayRound) {
    if (weights.type != DataType::Float32 || weights.literal() == nullptr) return false;
    auto const* quantized = as<QuantizedConstant>(*weights.producer()->layer);
    return mayRound || (quantized != nullptr && isGrid(*quantized, axis));
}

std::vector<float> weightScales(Tensor const& weights, int axis, bool mayRound) {
    if (!hasWeightScales(weights, axis, mayRound)) return {};
    Literal const& literal = *weights.literal();
    auto const count = static_cast<size_t>(literal.dims()[axis]);
    auto const* quantized = as<QuantizedConstant>(*weights.producer()->layer);
    if (quantized != nullptr && isGrid(*quantized, axis)) {
        auto const given = quantized->scales.as<float>();
        return given.size() == 1 ? std::vector(count, given[0]) : std::vector(given.begin(), given.end());
    }
    constexpr float kMostInt8 = 127;
    std::vector<float> scales(count, 0);
    AxisIndex const index(literal.dims(), axis);
    auto const values = literal.as<float>();
    for (size_t i = 0; i < values.size(); ++i)
        scales[index.of(i)] = std::max(scales[index.of(i)], std::abs(values[i]) / kMostInt8);
    std::ranges::replace(scales, 0.0F, 1.0F);
    return scales;
}

Literal wholeWeights(Literal const& weights, int axis, std::span<float const> scales) {
    std::vector<float> whole = weights.toFloat();
    AxisIndex const index(weights.dims(), axis);
    for (size_t i = 0; i < whole.size(); ++i) whole[i] = quantize<int8_t>(whole[i], scales[index.of(i)]);
    return Literal::of(weights.dims(), whole);
}

} // namespace tenon
