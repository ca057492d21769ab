// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/window.h"
#include "trt/network/network.h"

namespace tenon::trt {

/// Two or three sizes of spatial axes.
std::vector<int64_t> spatialOf(Dims64 const& dims);

/// The common part of layers with a sliding window: strides and padding. `K` has a field `window`.
template <class Interface, class K, api::LayerType type> class WindowFace : public FaceOf<Interface, K, type> {
public:
    using FaceOf<Interface, K, type>::FaceOf;

    void setPaddingMode(api::PaddingMode paddingMode) noexcept override {
        this->edit("setPaddingMode", [&](K& layer) {
            auto const count = static_cast<int64_t>(names(PaddingMode()).size()); // levels 7 and 8 have two more
            layer.window.paddingMode = checkedEnum<PaddingMode>(paddingMode, "padding mode", PaddingMode(), count);
        });
    }
    api::PaddingMode getPaddingMode() const noexcept override {
        return sameEnum<api::PaddingMode>(this->layer().window.paddingMode);
    }

    void settle() override {
        Window& window = static_cast<K&>(*this->node().layer).window;
        window.outputs = this->network().outputsByFormula(this->node(), windowed(), window, kernelExtents());
    }

protected:
    using List = std::vector<int64_t> Window::*;

    void setPrePadding_(Dims64 const& padding) noexcept override {
        setList("setPrePadding", &Window::prePadding, padding);
    }
    Dims64 getPrePadding_() const noexcept override { return getList(&Window::prePadding, 0); }
    void setPostPadding_(Dims64 const& padding) noexcept override {
        setList("setPostPadding", &Window::postPadding, padding);
    }
    Dims64 getPostPadding_() const noexcept override { return getList(&Window::postPadding, 0); }
    void setPaddingNd_(Dims64 const& padding) noexcept override {
        setList("setPaddingNd", &Window::prePadding, padding);
        setList("setPaddingNd", &Window::postPadding, padding);
    }
    Dims64 getPaddingNd_() const noexcept override { return getList(&Window::prePadding, 0); }
    void setStrideNd_(Dims64 const& stride) noexcept override { setList("setStrideNd", &Window::stride, stride); }
    Dims64 getStrideNd_() const noexcept override { return getList(&Window::stride, 1); }

    virtual std::vector<int64_t> const& kernelExtents() const = 0;
    size_t spatialAxes() const { return kernelExtents().size(); }
    static constexpr Windowed windowed() {
        if (type == api::LayerType::kPOOLING) return Windowed::kPOOLING;
        return type == api::LayerType::kCONVOLUTION ? Windowed::kCONVOLUTION : Windowed::kDECONVOLUTION;
    }

    void setList(char const* method, List list, Dims64 const& dims) noexcept {
        this->edit(method, [&](K& layer) {
            Window window = layer.window;
            window.*list = spatialOf(dims);
            window.check(spatialAxes());
            layer.window = std::move(window);
        });
    }
    Dims64 getList(List list, int64_t otherwise) const noexcept {
        return guardedOr(noDims(), this->reporter(), "a getter of a window", [&] {
            auto const& values = this->layer().window.*list;
            return values.empty() ? toApi(Dims::filled(static_cast<int>(spatialAxes()), otherwise))
                                  : toApi(Dims(values));
        });
    }
};

} // namespace tenon::trt
