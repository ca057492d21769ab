// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/grid_sample/grid_sample.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

GridSample::Padding paddingOf(api::SampleMode mode) {
    switch (mode) {
    case api::SampleMode::kFILL: return GridSample::Padding::Zeros;
    case api::SampleMode::kCLAMP: return GridSample::Padding::Border;
    case api::SampleMode::kREFLECT: return GridSample::Padding::Reflection;
    default:
        fail(ErrorCode::InvalidArgument, "sample mode ", static_cast<int32_t>(mode),
             " does not apply; expected kFILL, kCLAMP or kREFLECT");
    }
}

class GridSampleFace final : public FaceOf<api::IGridSampleLayer, GridSample, api::LayerType::kGRID_SAMPLE> {
public:
    using FaceOf::FaceOf;

    void setInterpolationMode(api::InterpolationMode mode) noexcept override {
        edit("setInterpolationMode",
             [&](GridSample& layer) { layer.mode = checkedEnum<GridSample::Mode>(mode, "interpolation mode"); });
    }
    api::InterpolationMode getInterpolationMode() const noexcept override {
        return sameEnum<api::InterpolationMode>(layer().mode);
    }
    void setAlignCorners(bool alignCorners) noexcept override {
        edit("setAlignCorners", [&](GridSample& layer) { layer.alignCorners = alignCorners; });
    }
    bool getAlignCorners() const noexcept override { return layer().alignCorners; }
    bool setSampleMode(api::SampleMode mode) noexcept override {
        return edit("setSampleMode", [&](GridSample& layer) { layer.padding = paddingOf(mode); });
    }
    api::SampleMode getSampleMode() const noexcept override {
        switch (layer().padding) {
        case GridSample::Padding::Zeros: return api::SampleMode::kFILL;
        case GridSample::Padding::Border: return api::SampleMode::kCLAMP;
        case GridSample::Padding::Reflection: break;
        }
        return api::SampleMode::kREFLECT;
    }
};

} // namespace

FaceEntry gridSampleFace() { return faceEntry<GridSampleFace>(); }

api::IGridSampleLayer* Network::addGridSample(ITensor& input, ITensor& grid) noexcept {
    return guarded(reporter_, "addGridSample", [&] {
        expectExplicitBatch("addGridSample");
        return addFace<GridSampleFace>({&input, &grid}, GridSample());
    });
}

} // namespace tenon::trt
