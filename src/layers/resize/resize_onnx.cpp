// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/resize/resize.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

/// An attribute's text and its meaning.
template <class Enum> struct Named {
    std::string_view name;
    Enum value;
};

template <class Enum, size_t kCount>
Enum chosen(NodeReader& node, std::string_view attribute, std::string_view otherwise,
            Named<Enum> const (&all)[kCount]) {
    std::string const name = node.string(attribute, otherwise);
    std::string known;
    for (Named<Enum> const& one : all) {
        if (one.name == name) return one.value;
        known += text(known.empty() ? "" : ", ", one.name);
    }
    fail(ErrorCode::InvalidModel, attribute, " is \"", name, "\"; expected one of ", known);
}

constexpr Named<Resize::Mode> kModes[]{{"nearest", Resize::Mode::Nearest},
                                       {"linear", Resize::Mode::Linear},
                                       {"bilinear", Resize::Mode::Linear}, // of Upsample in opset 1
                                       {"cubic", Resize::Mode::Cubic}};
constexpr Named<Resize::Coordinates> kCoordinates[]{{"half_pixel", Resize::Coordinates::HalfPixel},
                                                    {"half_pixel_symmetric", Resize::Coordinates::HalfPixelSymmetric},
                                                    {"pytorch_half_pixel", Resize::Coordinates::PytorchHalfPixel},
                                                    {"align_corners", Resize::Coordinates::AlignCorners},
                                                    {"asymmetric", Resize::Coordinates::Asymmetric},
                                                    {"tf_half_pixel_for_nn", Resize::Coordinates::TfHalfPixel},
                                                    {"tf_crop_and_resize", Resize::Coordinates::TfCropAndResize}};
constexpr Named<Resize::Rounding> kRoundings[]{{"round_prefer_floor", Resize::Rounding::HalfDown},
                                               {"round_prefer_ceil", Resize::Rounding::HalfUp},
                                               {"floor", Resize::Rounding::Floor},
                                               {"ceil", Resize::Rounding::Ceil}};
constexpr Named<Resize::AspectRatio> kAspectRatios[]{{"stretch", Resize::AspectRatio::Stretch},
                                                     {"not_larger", Resize::AspectRatio::NotLarger},
                                                     {"not_smaller", Resize::AspectRatio::NotSmaller}};

/// An input that exists and is not known to be empty; models of opset 11 use an empty one for an absent input.
Tensor* given(NodeReader& node, int input) {
    if (!node.hasInput(input)) return nullptr;
    Tensor* tensor = node.input(input);
    return volume(tensor->shape) == DimExpr(0) ? nullptr : tensor;
}

std::vector<Tensor*> importResize(NodeReader& node) {
    Resize layer;
    layer.mode = chosen(node, "mode", "nearest", kModes);
    layer.rounding = Resize::Rounding::CeilIfSmaller; // before an attribute existed for it
    if (node.opset() < 11) return {node.add(std::move(layer), {node.input(0), nullptr, node.input(1)})};
    layer.coordinates = chosen(node, "coordinate_transformation_mode", "half_pixel", kCoordinates);
    layer.rounding = chosen(node, "nearest_mode", "round_prefer_floor", kRoundings);
    layer.cubicCoeff = static_cast<double>(node.real("cubic_coeff_a", -0.75F));
    layer.excludeOutside = node.integer("exclude_outside", 0) != 0;
    layer.extrapolation = static_cast<double>(node.real("extrapolation_value", 0));
    layer.antialias = node.integer("antialias", 0) != 0; // this and the next two since opset 18
    layer.axes = node.integers("axes", {});
    layer.aspectRatio = chosen(node, "keep_aspect_ratio_policy", "stretch", kAspectRatios);
    bool const crops = layer.coordinates == Resize::Coordinates::TfCropAndResize;
    Tensor* const roi = given(node, 1);
    Tensor* const sizes = given(node, 3);
    Tensor* const scales = given(node, 2);
    return {node.add(std::move(layer), {node.input(0), sizes, sizes ? nullptr : scales, crops ? roi : nullptr})};
}

std::vector<Tensor*> importUpsample(NodeReader& node) {
    Resize layer;
    layer.mode = chosen(node, "mode", "nearest", kModes);
    layer.rounding = Resize::Rounding::CeilIfSmaller;
    if (node.opset() >= 9) return {node.add(std::move(layer), {node.input(0), nullptr, node.input(1)})};
    auto scales = node.reals("scales", {});
    if (node.opset() < 7) scales = {1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
    layer.scales.assign(scales.begin(), scales.end());
    return {node.add(std::move(layer), {node.input(0)})};
}

} // namespace

ImporterList resizeImporters() {
    static constexpr Importer all[]{{"Resize", importResize}, {"Upsample", importUpsample}};
    return all;
}

} // namespace tenon::onnx
