// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deconvolution/deconvolution.h"

#include "trt/network/convolution_face.h"

#include <algorithm>

namespace tenon::trt {
namespace {

/// Weights [channels, maps / groups, spatial…].
struct Layout {
    static Dims dims(KernelShape const& shape, int64_t groups, int64_t count) {
        KernelShape perGroup = shape;
        perGroup.maps /= groups;
        bool const divides =
            perGroup.perChannel() > 0 && shape.maps % groups == 0 && count % perGroup.perChannel() == 0;
        if (!divides)
            fail(ErrorCode::InvalidArgument, "the kernel has ", count, " values; expected a multiple of ", shape.maps,
                 " output maps / ", groups, " groups of size ", joined(shape.spatial, "x"));
        Dims dims{count / perGroup.perChannel(), perGroup.maps};
        for (int64_t extent : shape.spatial) dims.push(extent);
        return dims;
    }
    static KernelShape shape(Dims const& dims, int64_t groups) {
        return {dims[1] * groups, {dims.begin() + 2, dims.end()}};
    }
};

using CommonFace = ConvolutionFace<api::IDeconvolutionLayer, Deconvolution, api::LayerType::kDECONVOLUTION, Layout>;

class Face final : public CommonFace {
public:
    using CommonFace::CommonFace;

protected:
    /// Padding is cut off the end; negative padding adds to it.
    void setPostPadding_(Dims64 const& padding) noexcept override {
        Dims64 cut = padding;
        edit("setPostPadding", [&](Deconvolution& layer) { layer.outputPadding = takeAdded(cut); });
        CommonFace::setPostPadding_(cut);
    }
    void setPaddingNd_(Dims64 const& padding) noexcept override {
        edit("setPaddingNd", [&](Deconvolution& layer) { layer.outputPadding.clear(); });
        CommonFace::setPaddingNd_(padding);
    }
    Dims64 getPostPadding_() const noexcept override {
        Dims64 padding = CommonFace::getPostPadding_();
        auto const& added = layer().outputPadding;
        for (size_t axis = 0; axis < added.size(); ++axis) padding.d[axis] -= added[axis];
        return padding;
    }

private:
    static std::vector<int64_t> takeAdded(Dims64& padding) {
        std::vector<int64_t> added;
        for (int axis = 0; axis < std::clamp(padding.nbDims, 0, 3); ++axis) {
            added.push_back(std::max<int64_t>(-padding.d[axis], 0));
            padding.d[axis] = std::max<int64_t>(padding.d[axis], 0);
        }
        bool const isNone = std::ranges::all_of(added, [](int64_t extent) { return extent == 0; });
        return isNone ? std::vector<int64_t>() : added;
    }
};

} // namespace

FaceEntry deconvolutionFace() { return faceEntry<Face>(); }

api::IDeconvolutionLayer* Network::addDeconvolutionNd_(ITensor& input, int64_t nbOutputMaps, Dims64 const& kernelSize,
                                                       Weights kernelWeights, Weights biasWeights) noexcept {
    return guarded(reporter_, "addDeconvolutionNd", [&] {
        KernelShape const shape{nbOutputMaps, spatialOf(kernelSize)};
        return addConvolution<Face, Layout>(*this, input, shape, kernelWeights, biasWeights);
    });
}

} // namespace tenon::trt
