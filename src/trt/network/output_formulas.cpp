// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/window.h"
#include "trt/network/network.h"

namespace tenon::trt {
namespace {

constexpr size_t kAxes = 2; // formulas have heights and widths only

/// The spatial extents of the input; an Error if they are not known.
std::vector<int64_t> spatialExtents(Shape const& shape) {
    std::vector<int64_t> extents;
    for (DimExpr const& extent : spatial(shape)) {
        if (!extent.isConstant())
            fail(ErrorCode::InvalidArgument, "its output dimensions formula cannot be called for an input ", shape,
                 "; expected spatial extents that are known when the engine is built; set a padding mode instead");
        extents.push_back(extent.constant());
    }
    return extents;
}

std::vector<int64_t> ask(api::IOutputDimensionsFormula const& formula, std::vector<int64_t> const& of,
                         std::string const& layer) {
    std::vector<int64_t> found(kAxes);
    try {
        api::tenonAbi::OutputFormula::compute(formula, of.data(), layer.c_str(), found.data());
    } catch (std::exception const& error) {
        fail(ErrorCode::InvalidArgument, "its output dimensions formula threw \"", std::string_view(error.what()), '"');
    }
    return found;
}

} // namespace

void Network::setOutputFormula_(Windowed layers, void* formula) noexcept {
    outputFormulas_[static_cast<size_t>(layers)] = static_cast<api::IOutputDimensionsFormula*>(formula);
    for (auto const& node : graph_.nodes()) touch(*node);
}

std::vector<int64_t> Network::outputsByFormula(Node const& node, Windowed layers, Window const& window,
                                               std::span<int64_t const> kernel) const {
    api::IOutputDimensionsFormula const* const formula = outputFormulas_[static_cast<size_t>(layers)];
    Shape const& input = node.input(0)->shape;
    bool const isAsked = formula && kernel.size() == kAxes && input.size() == kAxes + 2 &&
                         window.paddingMode == PaddingMode::ExplicitRoundDown;
    if (!isAsked) return {};
    std::vector<int64_t> of = spatialExtents(input);
    for (size_t i = 0; i < kAxes; ++i) of.push_back((kernel[i] - 1) * window.dilationAt(i) + 1);
    for (size_t i = 0; i < kAxes; ++i) of.push_back(window.strideAt(i));
    for (size_t i = 0; i < kAxes; ++i) of.push_back(window.preAt(i));
    for (size_t i = 0; i < kAxes; ++i) of.push_back(window.dilationAt(i));
    std::vector<int64_t> const found = ask(*formula, of, node.name);
    if (found[0] < 1 || found[1] < 1)
        fail(ErrorCode::InvalidArgument, "its output dimensions formula gives [", joined(found), "] for an input ",
             input, "; expected at least 1 row and 1 column");
    return found;
}

} // namespace tenon::trt
