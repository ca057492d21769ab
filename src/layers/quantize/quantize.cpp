// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/quantize/quantize.h"

#include "base/error.h"
#include "base/small_types.h"
#include "layers/block_scales.h"
#include "layers/quantize/quantizer.h"

#include <algorithm>
#include <cmath>

namespace tenon {

namespace layers {
LayerEntry quantizeLayer() { return entryOf<Quantize>(); }
} // namespace layers

namespace {

constexpr std::string_view kForms[]{"Own", "E4M3FN", "E4M3FNUZ", "E5M2", "E5M2FNUZ", "E2M3", "E3M2", "E2M1"};
constexpr std::string_view kRoundings[]{"Up", "Down", "Nearest"};

struct Range {
    int64_t least = 0;
    int64_t most = 0;
};

/// The integers of a target type; nullopt for other types.
std::optional<Range> rangeOf(DataType type) {
    if (type == DataType::Int8) return Range{-128, 127};
    if (type == DataType::UInt8) return Range{0, 255};
    if (type == DataType::Int4) return Range{-8, 7};
    if (type == DataType::Int32) return Range{-65535, 65535}; // includes 16-bit integers
    return std::nullopt;
}

void checkIntegers(Quantize const& layer, Range const& held) {
    if (layer.form != NumberForm::Own)
        fail(ErrorCode::InvalidArgument, "quantizes to ", layer.to, " with numbers of ",
             names(layer.form)[static_cast<size_t>(layer.form)], "; expected those of the type itself");
    bool const own = layer.least == 0 && layer.most == 0 && layer.to != DataType::Int32;
    bool const fits = held.least <= layer.least && layer.least <= layer.most && layer.most <= held.most;
    if (!own && (!fits || layer.least == layer.most))
        fail(ErrorCode::InvalidArgument, "quantizes to integers from ", layer.least, " to ", layer.most, " in ",
             layer.to, "; expected a range within ", held.least, " to ", held.most);
}

void checkType(Quantize const& layer) {
    if (auto const held = rangeOf(layer.to)) return checkIntegers(layer, *held);
    NumberForm const form = layer.form;
    bool const fits = form == NumberForm::Own ? isSmall(layer.to) : layer.to == DataType::Float16;
    if (!fits)
        fail(ErrorCode::InvalidArgument, "quantizes to ", layer.to, " with numbers of ",
             names(form)[static_cast<size_t>(form)],
             "; expected int8, uint8, int4, float8, float4 or e8m0 with its own, or float16 with those of a type of 8 "
             "bits or less");
}

void expectFinite(Literal const* scales) {
    if (scales == nullptr || scales->isAbsent()) return;
    std::vector<float> const values = scales->toFloat();
    auto const found = std::ranges::find_if(values, [](float scale) { return !std::isfinite(scale); });
    if (found != values.end())
        fail(ErrorCode::InvalidArgument, "input 1, the scale, is ", double{*found}, " at element ",
             found - values.begin(), "; expected finite numbers");
}

} // namespace

std::span<std::string_view const> names(NumberForm) { return kForms; }
std::span<std::string_view const> names(PowerRounding) { return kRoundings; }

// X [d0,…,dn], scale [] or [da] or [blocks], zero point [the same] or [] → Y [d0,…,dn]
std::vector<Result> Quantize::infer(Operands const& in) const {
    in.expectCount(2, 3).expectFloat(0).expectFloat(1);
    checkType(*this);
    if (!isFloat(precision))
        fail(ErrorCode::InvalidArgument, "divides in ", precision, "; expected a floating point type");
    if (in.has(2) && in[2].type != to)
        fail(ErrorCode::InvalidArgument, "input 2, the zero point, is ", in[2].type, "; expected ", to,
             " as the output");
    expectScales(in, axis, blocks);
    expectFinite(in[1].literal);
    return {{to, in[0].shape}};
}

Quantizer quantizerOf(Quantize const& layer) {
    Quantizer quantizer{.saturate = layer.saturate, .rounding = layer.rounding, .precision = layer.precision};
    if (auto const held = rangeOf(layer.to)) {
        bool const own = layer.least == 0 && layer.most == 0;
        quantizer.least = static_cast<float>(own ? held->least : layer.least);
        quantizer.most = static_cast<float>(own ? held->most : layer.most);
        return quantizer;
    }
    quantizer.kind = layer.to == DataType::E8M0 ? Quantizer::Kind::Power : Quantizer::Kind::Real;
    quantizer.form = smallFloat(layer.to == DataType::Float4 ? NumberForm::E2M1 : layer.form);
    return quantizer;
}

void Quantize::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Quantizer const quantizer = quantizerOf(*this);
    ScaleMap const scales = scaleMapOf(in[0].dims, in[1].dims, axis, blocks);
    HostNumbers const zeros(in, 2);
    bool const oneZero = zeros.data == nullptr || in[2].dims.volume() == 1;
    for (int64_t i = 0; i < in[0].dims.volume(); ++i) {
        int64_t const place = scales.of(i);
        auto const scale = static_cast<float>(HostNumbers(in[1])[place]);
        auto const zero = static_cast<float>(zeros[oneZero ? 0 : place]);
        putNumber(out[0], i, quantizer(static_cast<float>(HostNumbers(in[0])[i]), scale, zero));
    }
}

} // namespace tenon
