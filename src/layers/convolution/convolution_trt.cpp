// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution.h"

#include "trt/convolution_face.h"

namespace tenon::trt {
namespace {

/// Weights [maps, channels / groups, spatial…].
struct Layout {
    static Dims dims(KernelShape const& shape, int64_t, int64_t count) {
        if (shape.perChannel() < 1 || count % shape.perChannel() != 0)
            fail(ErrorCode::InvalidArgument, "the kernel has ", count, " values; expected a multiple of ",
                 shape.perChannel(), " for ", shape.maps, " output maps of size ", joined(shape.spatial, "x"));
        Dims dims{shape.maps, count / shape.perChannel()};
        for (int64_t extent : shape.spatial) dims.push(extent);
        return dims;
    }
    static KernelShape shape(Dims const& dims, int64_t) { return {dims[0], {dims.begin() + 2, dims.end()}}; }
};

using Face = ConvolutionFace<api::IConvolutionLayer, Convolution, api::LayerType::kCONVOLUTION, Layout>;

} // namespace

FaceEntry convolutionFace() { return faceEntry<Face>(); }

api::IConvolutionLayer* Network::addConvolutionNd_(ITensor& input, int64_t nbOutputMaps, Dims64 const& kernelSize,
                                                   Weights kernelWeights, Weights biasWeights) noexcept {
    return guarded(reporter_, "addConvolutionNd", [&] {
        KernelShape const shape{nbOutputMaps, spatialOf(kernelSize)};
        return addConvolution<Face, Layout>(*this, input, shape, kernelWeights, biasWeights);
    });
}

} // namespace tenon::trt
