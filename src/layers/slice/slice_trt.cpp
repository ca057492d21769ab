// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/slice/slice.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

std::vector<int64_t> listOf(Dims64 const& dims) {
    Dims const extents = fromApi(dims);
    return {extents.begin(), extents.end()};
}

class SliceFace final : public FaceOf<api::ISliceLayer, Slice, api::LayerType::kSLICE> {
public:
    using FaceOf::FaceOf;

    void setMode(api::SampleMode mode) noexcept override {
        edit("setMode", [&](Slice& layer) { layer.mode = checkedEnum<Slice::Mode>(mode, "sample mode"); });
    }
    api::SampleMode getMode() const noexcept override { return sameEnum<api::SampleMode>(layer().mode); }

protected:
    void setStart_(Dims64 const& start) noexcept override { set("setStart", &Slice::start, start); }
    Dims64 getStart_() const noexcept override { return get(&Slice::start, Slice::kStart); }
    void setSize_(Dims64 const& size) noexcept override { set("setSize", &Slice::size, size); }
    Dims64 getSize_() const noexcept override { return get(&Slice::size, Slice::kSize); }
    void setStride_(Dims64 const& stride) noexcept override { set("setStride", &Slice::stride, stride); }
    Dims64 getStride_() const noexcept override { return get(&Slice::stride, Slice::kStride); }
    void setAxes_(Dims64 const& axes) noexcept override {
        edit("setAxes", [&](Slice& layer) {
            network().expectExplicitBatch("setAxes");
            layer.axes = listOf(axes);
        });
    }
    Dims64 getAxes_() const noexcept override {
        bool const isSet = !layer().axes.empty() && !network().hasImplicitBatch();
        return isSet ? get(&Slice::axes, Slice::kAxes) : noDims();
    }

private:
    using List = std::vector<int64_t> Slice::*;

    void set(char const* method, List list, Dims64 const& dims) noexcept {
        edit(method, [&](Slice& layer) { layer.*list = listOf(dims); });
    }
    /// Lists that come from an input have no dimensions here.
    Dims64 get(List list, Slice::Input input) const noexcept {
        return node().input(input) ? noDims() : toApi(Dims(layer().*list));
    }
};

/// Padding before and after the last two axes; negative: cropping.
class PaddingFace final : public FaceOf<api::IPaddingLayer, Slice, api::LayerType::kPADDING> {
public:
    using FaceOf::FaceOf;

    static std::vector<int64_t> twoOf(Dims64 const& padding) {
        if (padding.nbDims != 2)
            fail(ErrorCode::InvalidArgument, "padding of ", padding.nbDims, " axes; expected 2, height and width");
        return {padding.d, padding.d + padding.nbDims};
    }

protected:
    void setPrePaddingNd_(Dims64 const& padding) noexcept override {
        edit("setPrePaddingNd", [&](Slice& layer) { layer.start = twoOf(padding); });
    }
    Dims64 getPrePaddingNd_() const noexcept override { return toApi(Dims(layer().start)); }
    void setPostPaddingNd_(Dims64 const& padding) noexcept override {
        edit("setPostPaddingNd", [&](Slice& layer) { layer.size = twoOf(padding); });
    }
    Dims64 getPostPaddingNd_() const noexcept override { return toApi(Dims(layer().size)); }
};

} // namespace

FaceEntry sliceFace() { return faceEntry<SliceFace>(); }

api::ISliceLayer* Network::addSlice_(ITensor& input, Dims64 const& start, Dims64 const& size,
                                     Dims64 const& stride) noexcept {
    return guarded(reporter_, "addSlice", [&] {
        Slice layer;
        layer.start = trt::listOf(start);
        layer.size = trt::listOf(size);
        layer.stride = trt::listOf(stride);
        if (hasImplicitBatch()) layer.axes = axesOf(input).all();
        // Mode, axes and inputs that replace lists are set afterwards.
        return addFace<SliceFace>({&input}, layer, false);
    });
}

api::IPaddingLayer* Network::addPaddingNd_(ITensor& input, Dims64 const& prePadding,
                                           Dims64 const& postPadding) noexcept {
    return guarded(reporter_, "addPaddingNd", [&] {
        int64_t const rank = axesOf(input).rank();
        if (axesOf(input).shownRank() < 2)
            fail(ErrorCode::InvalidArgument, "the input has ", axesOf(input).shownRank(), " axes; expected at least 2");
        Slice layer;
        layer.mode = Slice::Mode::Fill;
        layer.bounds = Slice::Bounds::Pads;
        layer.start = PaddingFace::twoOf(prePadding);
        layer.size = PaddingFace::twoOf(postPadding);
        layer.axes = {rank - 2, rank - 1};
        return addFace<PaddingFace>({&input}, layer);
    });
}

} // namespace tenon::trt
