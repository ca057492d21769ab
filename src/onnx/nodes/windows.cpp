// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/term.h"

#include <numbers>

namespace tenon::onnx {
namespace {

constexpr double kPi = std::numbers::pi;

/// n / N for n = 0, 1, …, for windows with period N: the size, or one less for symmetric windows.
Term places(NodeReader& node) {
    Term const size = input(node, 0);
    Term const length = cast(size, DataType::Float32);
    bool const periodic = node.integer("periodic", 1) != 0;
    return counting(size, DataType::Float32) / (periodic ? length : length - 1);
}

Term inOutputType(NodeReader& node, Term const& window) {
    return cast(window, dataTypeOf(node.integer("output_datatype", 1)));
}

std::vector<Tensor*> importHannWindow(NodeReader& node) {
    Term const root = sin(kPi * places(node));
    return {inOutputType(node, root * root)};
}

std::vector<Tensor*> importHammingWindow(NodeReader& node) {
    constexpr double kAlpha = 25.0 / 46;
    return {inOutputType(node, kAlpha - (1 - kAlpha) * cos(2 * kPi * places(node)))};
}

std::vector<Tensor*> importBlackmanWindow(NodeReader& node) {
    Term const x = places(node);
    return {inOutputType(node, 0.42 - 0.5 * cos(2 * kPi * x) + 0.08 * cos(4 * kPi * x))};
}

} // namespace

ImporterList windowsImporters() {
    static constexpr Importer all[] = {{"HannWindow", importHannWindow},
                                       {"HammingWindow", importHammingWindow},
                                       {"BlackmanWindow", importBlackmanWindow}};
    return all;
}

} // namespace tenon::onnx
