// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deconvolution/deconvolution.h"

#include "trt/network/convolution_face.h"

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

using Face = ConvolutionFace<api::IDeconvolutionLayer, Deconvolution, api::LayerType::kDECONVOLUTION, Layout>;

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
