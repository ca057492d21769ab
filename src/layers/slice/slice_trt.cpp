// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/slice/slice.h"

#include "trt/network.h"

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
    void setAxes_(Dims64 const& axes) noexcept override { set("setAxes", &Slice::axes, axes); }
    Dims64 getAxes_() const noexcept override {
        return layer().axes.empty() ? noDims() : get(&Slice::axes, Slice::kAxes);
    }

private:
    using List = std::vector<int64_t> Slice::*;

    void set(char const* method, List list, Dims64 const& dims) noexcept {
        edit(method, [&](Slice& layer) { layer.*list = listOf(dims); });
    }
    /// What comes from an input has no dimensions here.
    Dims64 get(List list, Slice::Input input) const noexcept {
        return node().input(input) ? noDims() : toApi(Dims(layer().*list));
    }
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
        // Mode, axes and inputs that take the place of lists are set afterwards.
        return addFace<SliceFace>({&input}, layer, false);
    });
}

} // namespace tenon::trt
