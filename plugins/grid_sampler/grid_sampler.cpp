// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// grid_sampler: an image or volume, sampled at points between its elements, as by torch.nn.functional.grid_sample. The
// name and fields of mmcv and mmdeploy.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

using nvinfer1::InterpolationMode;
using nvinfer1::SampleMode;

class GridSampler final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("interpolation_mode", interpolation_);
        visit("padding_mode", padding_);
        visit("align_corners", alignCorners_);
    }

    void check() const override {
        if (interpolation_ < 0 || interpolation_ > 2)
            throw std::invalid_argument("interpolation_mode has to be 0 (linear), 1 (nearest) or 2 (cubic); found " +
                                        std::to_string(interpolation_));
        if (padding_ < 0 || padding_ > 2)
            throw std::invalid_argument("padding_mode has to be 0 (zeros), 1 (border) or 2 (reflection); found " +
                                        std::to_string(padding_));
    }

    Signature signature() const override {
        return Signature().input("input", "[N,C,...]").input("grid", "[N,?...]").output("output", "[N,C,?...]");
    }

    void checkInputs(KnownShapes inputs) const override {
        int32_t const rank = inputs[0].nbDims;
        int64_t const coordinates = inputs[1].d[inputs[1].nbDims - 1];
        if (rank < 3 || inputs[1].nbDims != rank || (coordinates >= 0 && coordinates != rank - 2))
            throw std::invalid_argument(
                "the input has " + std::to_string(rank) + " axes, the grid " + std::to_string(inputs[1].nbDims) +
                ", with " + std::to_string(coordinates) +
                " numbers for a point; expected equal ranks, 3 or more, and rank - 2 numbers for a point");
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder&) const override {
        for (int32_t axis = 2; axis < outputs[0].nbDims; ++axis) outputs[0].d[axis] = inputs[1].d[axis - 1];
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        constexpr InterpolationMode kModes[] = {InterpolationMode::kLINEAR, InterpolationMode::kNEAREST,
                                                InterpolationMode::kCUBIC};
        constexpr SampleMode kPaddings[] = {SampleMode::kFILL, SampleMode::kCLAMP, SampleMode::kREFLECT};
        auto* const layer = in.network().addGridSample(inputs[0].tensor(), inputs[1].tensor());
        Value const sampled = in.outputOf(layer, "addGridSample");
        layer->setInterpolationMode(kModes[interpolation_]);
        layer->setSampleMode(kPaddings[padding_]);
        layer->setAlignCorners(alignCorners_ != 0);
        return {sampled};
    }

private:
    int32_t interpolation_ = 0;
    int32_t padding_ = 0;
    int32_t alignCorners_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<GridSampler>("grid_sampler", "1", PluginGeneration::kV2DynamicExt, "")};

} // namespace

std::span<StandardPlugin const> gridSamplerPlugins() { return kDefinitions; }

} // namespace tenon::plugins
