// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/resize/resize.h"

#include "trt/network/network.h"

#include <algorithm>

namespace tenon::trt {
namespace {

class ResizeFace final : public FaceOf<api::IResizeLayer, Resize, api::LayerType::kRESIZE> {
public:
    using FaceOf::FaceOf;

    void setScales(float const* scales, int32_t nbScales) noexcept override {
        edit("setScales", [&](Resize& layer) {
            int const rank = inputAxes().shownRank();
            if (nbScales != 0 && (nbScales != rank || scales == nullptr))
                fail(ErrorCode::InvalidArgument, nbScales, " scales for a tensor of rank ", rank,
                     "; expected one for each axis");
            for (float const scale : std::span(scales, static_cast<size_t>(nbScales))) {
                if (!(scale > 0)) fail(ErrorCode::InvalidArgument, "scale ", double{scale}, "; expected more than 0");
            }
            layer.scales.assign(scales, scales + nbScales);
        });
    }
    int32_t getScales(int32_t size, float* scales) const noexcept override {
        auto const& all = layer().scales;
        for (size_t i = 0; scales && i < all.size() && i < static_cast<size_t>(std::max(size, 0)); ++i)
            scales[i] = static_cast<float>(all[i]);
        return all.empty() ? -1 : static_cast<int32_t>(all.size());
    }
    void setResizeMode(api::InterpolationMode mode) noexcept override {
        set("setResizeMode", &Resize::mode, mode, "resize mode");
    }
    api::InterpolationMode getResizeMode() const noexcept override {
        return sameEnum<api::InterpolationMode>(layer().mode);
    }
    void setCoordinateTransformation(api::ResizeCoordinateTransformation coordTransform) noexcept override {
        set("setCoordinateTransformation", &Resize::coordinates, coordTransform, "coordinate transformation");
    }
    /// A number above the enumerators represents one that only ONNX has.
    api::ResizeCoordinateTransformation getCoordinateTransformation() const noexcept override {
        return sameEnum<api::ResizeCoordinateTransformation>(layer().coordinates);
    }
    void setSelectorForSinglePixel(api::ResizeSelector selector) noexcept override {
        set("setSelectorForSinglePixel", &Resize::selector, selector, "selector");
    }
    api::ResizeSelector getSelectorForSinglePixel() const noexcept override {
        return sameEnum<api::ResizeSelector>(layer().selector);
    }
    void setNearestRounding(api::ResizeRoundMode value) noexcept override {
        set("setNearestRounding", &Resize::rounding, value, "rounding");
    }
    api::ResizeRoundMode getNearestRounding() const noexcept override {
        return sameEnum<api::ResizeRoundMode>(layer().rounding);
    }
    void setCubicCoeff(float a) noexcept override {
        edit("setCubicCoeff", [&](Resize& layer) { layer.cubicCoeff = a; });
    }
    float getCubicCoeff() const noexcept override { return static_cast<float>(layer().cubicCoeff); }
    void setExcludeOutside(bool excludeFlag) noexcept override {
        edit("setExcludeOutside", [&](Resize& layer) { layer.excludeOutside = excludeFlag; });
    }
    bool getExcludeOutside() const noexcept override { return layer().excludeOutside; }

protected:
    void setOutputDimensions_(Dims64 const& dimensions) noexcept override {
        edit("setOutputDimensions", [&](Resize& layer) {
            Dims const dims = fromApi(dimensions);
            layer.sizes.assign(dims.begin(), dims.end());
        });
    }
    Dims64 getOutputDimensions_() const noexcept override {
        return layer().sizes.empty() ? noDims() : toApi(Dims(layer().sizes));
    }

private:
    template <class To, class From>
    void set(char const* method, To Resize::*field, From value, std::string_view what) noexcept {
        edit(method, [&](Resize& layer) { layer.*field = checkedEnum<To>(value, what); });
    }
};

} // namespace

FaceEntry resizeFace() { return faceEntry<ResizeFace>(); }

api::IResizeLayer* Network::addResize(ITensor& input) noexcept {
    return guarded(reporter_, "addResize", [&] {
        Resize layer;
        if (hasImplicitBatch()) layer.axes = axesOf(input).all();
        // The target size is set afterwards.
        return addFace<ResizeFace>({&input}, layer, false);
    });
}

} // namespace tenon::trt
