// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/elementwise/elementwise.h"
#include "base/error.h"
#include "caffe/importer.h"
#include "layers/activation/activation.h"
#include "layers/identity/identity.h"
#include "layers/scale/scale.h"

#include <cmath>
#include <limits>

namespace tenon::caffe {
namespace {

Tensor* activated(LayerReader& reader, PointwiseOp operation, double alpha = 0, double beta = 0) {
    Activation layer;
    layer.operation = operation;
    layer.alpha = alpha;
    layer.beta = beta;
    return reader.add(layer, {reader.bottom(0)});
}

std::vector<Tensor*> importRelu(LayerReader& reader) {
    float const slope = reader.layer().relu.slope.value_or(0);
    return {slope == 0 ? activated(reader, PointwiseOp::Relu) : activated(reader, PointwiseOp::LeakyRelu, slope)};
}
std::vector<Tensor*> importSigmoid(LayerReader& reader) { return {activated(reader, PointwiseOp::Sigmoid)}; }
std::vector<Tensor*> importTanh(LayerReader& reader) { return {activated(reader, PointwiseOp::Tanh)}; }
std::vector<Tensor*> importBnll(LayerReader& reader) { return {activated(reader, PointwiseOp::Softplus, 1, 1)}; }
std::vector<Tensor*> importElu(LayerReader& reader) {
    return {activated(reader, PointwiseOp::Elu, reader.layer().elu.alpha.value_or(1))};
}

std::vector<Tensor*> importClip(LayerReader& reader) {
    proto::Clip const& clip = reader.layer().clip;
    using Limits = std::numeric_limits<float>;
    return {
        activated(reader, PointwiseOp::Clip, clip.least.value_or(Limits::lowest()), clip.most.value_or(Limits::max()))};
}

/// (scale x + shift) ^ power
Tensor* affine(LayerReader& reader, std::optional<float> scale, std::optional<float> shift, float power = 1) {
    auto const number = [&](float value, float without) {
        return value == without ? nullptr : reader.weights(Literal::of({1}, std::vector<float>{value}));
    };
    Tensor* const shifts = number(shift.value_or(0), 0);
    Tensor* const scales = number(scale.value_or(1), 1);
    return reader.add(Scale(), {reader.bottom(0), shifts, scales, number(power, 1)});
}
/// The result of a layer that changes nothing: a tensor of its own.
Tensor* own(LayerReader& reader) { return reader.add(Identity(), {reader.bottom(0)}); }

std::vector<Tensor*> importAbsVal(LayerReader& reader) { return {unary(reader, PointwiseOp::Abs, reader.bottom(0))}; }

std::vector<Tensor*> importPower(LayerReader& reader) {
    proto::Power const& power = reader.layer().power;
    return {affine(reader, power.scale, power.shift, power.power.value_or(1))};
}

/// The natural logarithm of the base; for no base or -1, of e.
float logarithmOfBase(proto::Affine const& of) {
    float const base = of.base.value_or(-1);
    if (base != -1 && !(base > 0 && std::isfinite(base)))
        fail(ErrorCode::InvalidModel, "base is ", double{base}, "; expected -1 or a positive finite number");
    return base == -1 ? 1 : std::log(base);
}

std::vector<Tensor*> importExp(LayerReader& reader) {
    proto::Affine const& exp = reader.layer().exp;
    Tensor* x = affine(reader, exp.scale, exp.shift);
    float const factor = logarithmOfBase(exp);
    if (factor != 1) x = with(reader, PointwiseOp::Prod, x, factor);
    return {unary(reader, PointwiseOp::Exp, x)};
}

std::vector<Tensor*> importLog(LayerReader& reader) {
    proto::Affine const& log = reader.layer().log;
    float const divisor = logarithmOfBase(log);
    if (divisor == 0) fail(ErrorCode::InvalidModel, "base is 1; expected -1 or another positive number");
    Tensor* const y = unary(reader, PointwiseOp::Log, affine(reader, log.scale, log.shift));
    return {divisor == 1 ? y : with(reader, PointwiseOp::Prod, y, 1 / divisor)};
}

std::vector<Tensor*> importPrelu(LayerReader& reader) {
    Tensor* const x = reader.bottom(0);
    Dims dims = Dims::filled(static_cast<int>(x->shape.size()), 1);
    int64_t const channels = channelAxis(*x);
    if (reader.layer().prelu.isShared.value_or(0) == 0) dims[static_cast<int>(channels)] = extentOf(*x, channels);
    Tensor* const slopes = reader.constant(reader.blob(0, dims, "slopes", MadeUp::Offsets));
    return {reader.add(elementwise(PointwiseOp::ParametricRelu), {x, slopes})};
}

/// Dropout has no effect at inference.
std::vector<Tensor*> importDropout(LayerReader& reader) { return {own(reader)}; }

/// The same tensor for several readers.
std::vector<Tensor*> importSplit(LayerReader& reader) {
    std::vector<Tensor*> tops;
    for (size_t i = 0; i < reader.layer().top.size(); ++i) tops.push_back(own(reader));
    return tops;
}

constexpr Importer kAll[]{{"ReLU", importRelu},     {"Sigmoid", importSigmoid}, {"TanH", importTanh},
                          {"BNLL", importBnll},     {"ELU", importElu},         {"Clip", importClip},
                          {"AbsVal", importAbsVal}, {"Power", importPower},     {"Exp", importExp},
                          {"Log", importLog},       {"PReLU", importPrelu},     {"Dropout", importDropout},
                          {"Split", importSplit}};

} // namespace

ImporterList elementwiseImporters() { return kAll; }

} // namespace tenon::caffe
