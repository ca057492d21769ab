// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/activation/activation.h"

#include "base/error.h"
#include "layers/elementwise/elementwise.h"
#include "layers/identity/identity.h"
#include "onnx/importer.h"
#include "onnx/read_values.h"

#include <limits>

namespace tenon::onnx {
namespace {

std::vector<Tensor*> activate(NodeReader& node, PointwiseOp op, double alpha = 0, double beta = 0) {
    Activation layer;
    layer.operation = op;
    layer.alpha = alpha;
    layer.beta = beta;
    return {node.add(layer, {node.input(0)})};
}

template <PointwiseOp kOp> std::vector<Tensor*> importPlain(NodeReader& node) { return activate(node, kOp); }

std::vector<Tensor*> importLeakyRelu(NodeReader& node) {
    return activate(node, PointwiseOp::LeakyRelu, node.real("alpha", 0.01F));
}
std::vector<Tensor*> importElu(NodeReader& node) { return activate(node, PointwiseOp::Elu, node.real("alpha", 1)); }
std::vector<Tensor*> importCelu(NodeReader& node) { return activate(node, PointwiseOp::Celu, node.real("alpha", 1)); }

std::vector<Tensor*> importSelu(NodeReader& node) {
    bool const rounded = node.opset() < 6;
    float const alpha = node.real("alpha", rounded ? 1.6732F : 1.67326319217681884765625F);
    float const gamma = node.real("gamma", rounded ? 1.0507F : 1.05070102214813232421875F);
    return activate(node, PointwiseOp::Selu, alpha, gamma);
}

std::vector<Tensor*> importSoftplus(NodeReader& node) { return activate(node, PointwiseOp::Softplus, 1, 1); }

std::vector<Tensor*> importHardSigmoid(NodeReader& node) {
    return activate(node, PointwiseOp::HardSigmoid, node.real("alpha", 0.2F), node.real("beta", 0.5F));
}

std::vector<Tensor*> importThresholdedRelu(NodeReader& node) {
    return activate(node, PointwiseOp::ThresholdedRelu, node.real("alpha", 1));
}

std::vector<Tensor*> importScaledTanh(NodeReader& node) {
    return activate(node, PointwiseOp::ScaledTanh, node.real("alpha", 1), node.real("beta", 1));
}

std::vector<Tensor*> importGelu(NodeReader& node) {
    std::string const approximate = node.string("approximate", "none");
    if (approximate == "none") return activate(node, PointwiseOp::GeluErf);
    if (approximate == "tanh") return activate(node, PointwiseOp::GeluTanh);
    fail(ErrorCode::InvalidModel, "attribute approximate is \"", approximate, "\"; expected none or tanh");
}

// ---- Clip: bounds are attributes until opset 10, optional inputs since

constexpr float kLeast = std::numeric_limits<float>::lowest();
constexpr float kMost = std::numeric_limits<float>::max();

/// The bound if it is known at build time, its default if it is absent; nullopt if it is known at run time only.
std::optional<double> knownBound(NodeReader& node, int input, float otherwise) {
    if (!node.hasInput(input)) return otherwise;
    Literal const* literal = node.input(input)->literal();
    if (literal == nullptr) return std::nullopt;
    if (literal->dims().volume() != 1)
        fail(ErrorCode::InvalidModel, "input ", input, " (", input == 1 ? "min" : "max", ") has shape ",
             literal->dims(), "; expected a scalar");
    return literal->toFloat()[0];
}

std::vector<Tensor*> importClip(NodeReader& node) {
    if (node.opset() < 11) return activate(node, PointwiseOp::Clip, node.real("min", kLeast), node.real("max", kMost));
    auto const low = knownBound(node, 1, kLeast);
    auto const high = knownBound(node, 2, kMost);
    if (isFloat(node.input(0)->type) && low && high) {
        for (int i : {1, 2}) {
            if (node.hasInput(i)) decideBy(*node.input(i));
        }
        return activate(node, PointwiseOp::Clip, *low, *high);
    }
    Tensor* y = node.input(0);
    if (node.hasInput(1)) y = node.add(elementwise(PointwiseOp::Max), {y, node.input(1)});
    if (node.hasInput(2)) y = node.add(elementwise(PointwiseOp::Min), {y, node.input(2)});
    return {y == node.input(0) ? node.add(Identity{}, {y}) : y};
}

} // namespace

ImporterList activationImporters() {
    using enum PointwiseOp;
    static constexpr Importer all[] = {
        {"Relu", importPlain<Relu>},
        {"Sigmoid", importPlain<Sigmoid>},
        {"Tanh", importPlain<Tanh>},
        {"LeakyRelu", importLeakyRelu},
        {"Elu", importElu},
        {"Celu", importCelu},
        {"Selu", importSelu},
        {"Softsign", importPlain<Softsign>},
        {"Softplus", importSoftplus},
        {"Clip", importClip},
        {"HardSigmoid", importHardSigmoid},
        {"HardSwish", importPlain<HardSwish>},
        {"ScaledTanh", importScaledTanh},
        {"ThresholdedRelu", importThresholdedRelu},
        {"Gelu", importGelu},
        {"Mish", importPlain<Mish>},
    };
    return all;
}

} // namespace tenon::onnx
