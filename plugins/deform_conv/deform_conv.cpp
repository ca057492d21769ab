// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Deformable convolutions, as ONNX's DeformConv: each element of a filter samples the image at its position plus the
// offsets, y then x, between pixels by bilinear interpolation, 0 outside ("Deformable Convolutional Networks", arXiv
// 1703.06211), times the mask if there is one ("Deformable ConvNets v2", arXiv 1811.11168).
//
//   ModulatedDeformConv2d      NVIDIA's
//   MMCVModulatedDeformConv2d  mmcv's and mmdeploy's
//   DCNv2                      of CenterNet and FairMOT; both names that its exporters have for the groups of offsets
//   DeformConv2d, MMCVDeformConv2d   without a mask
#include "layers.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {
namespace {

enum class Names { kSingular, kPlural, kDcn }; // of the groups' fields

template <Names names, bool isModulated> class DeformConv final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("stride", stride_);
        visit("padding", padding_);
        visit("dilation", dilation_);
        visit(names == Names::kSingular ? "group" : "groups", groups_);
        visit(names == Names::kPlural ? "deform_groups" : "deformable_group", offsetGroups_);
        if (names == Names::kDcn) visit("deformable_groups", offsetGroups_);
    }

    void check() const override {
        expectPair("stride", stride_, 1);
        expectPair("padding", padding_, 0);
        expectPair("dilation", dilation_, 1);
        if (groups_ < 1 || offsetGroups_ < 1)
            throw std::invalid_argument("the groups of filters and of offsets have to be 1 or more; found " +
                                        std::to_string(groups_) + " and " + std::to_string(offsetGroups_));
    }

    Signature signature() const override {
        Signature all;
        all.input("x", "[N,C,H,W]").input("offset", "[N,O,I,J]");
        if (isModulated) all.input("mask", "[N,P,I,J]");
        return all.input("weight", "[M,D,K,L]").optionalInput("bias", "[M]").output("output", "[N,M,I,J]");
    }

    void checkInputs(KnownShapes inputs) const override {
        nvinfer1::Dims const& filters = inputs[kWeight];
        int64_t const places = filters.d[2] < 0 || filters.d[3] < 0 ? -1 : filters.d[2] * filters.d[3] * offsetGroups_;
        expectChannels("offset", inputs[1].d[1], places < 0 ? -1 : places * 2, "y and x of each element of a filter");
        if (isModulated) expectChannels("mask", inputs[2].d[1], places, "one for each element of a filter");
        int64_t const channels = filters.d[1] < 0 ? -1 : filters.d[1] * groups_;
        expectChannels("x", inputs[0].d[1], channels, "those of a filter times the groups");
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        auto const given = [&](size_t input) {
            return input < inputs.size() ? std::optional<Value>(inputs[input]) : std::nullopt;
        };
        std::vector<int64_t> pads = pair(padding_);
        pads.insert(pads.end(), pads.begin(), pads.end());
        OnnxAttributes attributes;
        attributes.integers("strides", pair(stride_)).integers("pads", pads).integers("dilations", pair(dilation_));
        attributes.integer("group", groups_).integer("offset_group", offsetGroups_);
        return {onnxNode("DeformConv",
                         {inputs[0], inputs[kWeight], inputs[1], given(kWeight + 1),
                          isModulated ? std::optional<Value>(inputs[2]) : std::nullopt},
                         attributes)};
    }

private:
    static constexpr size_t kWeight = isModulated ? 3 : 2;

    static std::vector<int64_t> pair(std::vector<int32_t> const& values) { return {values.front(), values.back()}; }

    static void expectPair(char const* field, std::vector<int32_t> const& values, int32_t least) {
        bool const isPair = (values.size() == 1 || values.size() == 2) &&
                            std::ranges::all_of(values, [&](int32_t value) { return value >= least; });
        if (!isPair)
            throw std::invalid_argument(std::string(field) +
                                        " has to be two numbers, of rows and columns, or one for "
                                        "both, each " +
                                        std::to_string(least) + " or more");
    }

    static void expectChannels(char const* input, int64_t found, int64_t expected, char const* why) {
        if (found >= 0 && expected >= 0 && found != expected)
            throw std::invalid_argument(std::string(input) + " has " + std::to_string(found) + " channels; expected " +
                                        std::to_string(expected) + ", " + why);
    }

    std::vector<int32_t> stride_ = {1, 1}, padding_ = {0, 0}, dilation_ = {1, 1};
    int32_t groups_ = 1;
    int32_t offsetGroups_ = 1;
};

constexpr auto kV2 = PluginGeneration::kV2DynamicExt;
constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<DeformConv<Names::kDcn, true>>("DCNv2", "1", kV2, ""),
    standardPlugin<DeformConv<Names::kSingular, false>>("DeformConv2d", "1", kV2, ""),
    standardPlugin<DeformConv<Names::kPlural, false>>("MMCVDeformConv2d", "1", kV2, ""),
    standardPlugin<DeformConv<Names::kPlural, true>>("MMCVModulatedDeformConv2d", "1", kV2, ""),
    standardPlugin<DeformConv<Names::kSingular, true>>("ModulatedDeformConv2d", "1", kV2, "from 8.6"),
    standardPlugin<DeformConv<Names::kSingular, true>>("ModulatedDeformConv2d", "2", PluginGeneration::kV3,
                                                       "from 10.11"),
};

} // namespace

std::span<StandardPlugin const> deformConvPlugins() { return kDefinitions; }

} // namespace tenon::plugins
