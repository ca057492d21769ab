// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution.h"

#include "tenon/api/legacy_layers.h"
#include "trt/network/convolution_face.h"

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

constexpr auto kFullyConnected = static_cast<api::LayerType>(64); // the neutral number: level 10 has no name for it

/// A convolution whose kernel is as large as its input: X [N,C,H,W] → Y [N,K,1,1].
class FullyConnectedFace final : public FaceOf<api::IFullyConnectedLayer, Convolution, kFullyConnected> {
public:
    using FaceOf::FaceOf;
    enum Input { kX, kKernel, kBias };

    static Dims kernelDims(Shape const& x, int64_t outputs, int64_t count) {
        if (x.size() != 4 || !isConstant({x.begin() + 1, x.end()}))
            fail(ErrorCode::InvalidArgument, "the input is ", x, "; expected [N,C,H,W] with C, H and W known");
        if (outputs < 1) fail(ErrorCode::InvalidArgument, outputs, " outputs; expected at least 1");
        Dims const dims{outputs, x[1].constant(), x[2].constant(), x[3].constant()};
        if (count != dims.volume())
            fail(ErrorCode::InvalidArgument, "the kernel has ", count, " values; expected ", dims.volume(), ", ",
                 outputs, " outputs from ", dims.volume() / outputs, " elements of each sample");
        return dims;
    }

    /// The weights for them follow.
    void setNbOutputChannels(int32_t nbOutputs) noexcept override { outputs_ = nbOutputs; }
    int32_t getNbOutputChannels() const noexcept override {
        auto const given = static_cast<int32_t>(node().input(kKernel)->literal()->dims()[0]);
        return outputs_.value_or(given);
    }
    void setKernelWeights(Weights weights) noexcept override {
        edit("setKernelWeights", [&](Convolution&) {
            Dims const dims = kernelDims(shapeOf(*node().input(kX)), getNbOutputChannels(), weights.count);
            network().replaceWeights(node(), kKernel, weights, dims);
        });
    }
    Weights getKernelWeights() const noexcept override { return weightsAt(kKernel); }
    void setBiasWeights(Weights weights) noexcept override {
        edit("setBiasWeights",
             [&](Convolution&) { network().replaceWeights(node(), kBias, weights, {weights.count}); });
    }
    Weights getBiasWeights() const noexcept override { return weightsAt(kBias); }

private:
    std::optional<int32_t> outputs_; // set after the layer was added
};

} // namespace

FaceEntry convolutionFace() { return faceEntry<Face>(); }

api::IConvolutionLayer* Network::addConvolutionNd_(ITensor& input, int64_t nbOutputMaps, Dims64 const& kernelSize,
                                                   Weights kernelWeights, Weights biasWeights) noexcept {
    return guarded(reporter_, "addConvolutionNd", [&] {
        KernelShape const shape{nbOutputMaps, spatialOf(kernelSize)};
        return addConvolution<Face, Layout>(*this, input, shape, kernelWeights, biasWeights);
    });
}

api::ILayer* Network::addFullyConnected_(ITensor& input, int32_t nbOutputs, Weights kernelWeights,
                                         Weights biasWeights) noexcept {
    return guarded(reporter_, "addFullyConnected", [&]() -> api::ILayer* {
        Tensor& x = tensorOf(input);
        Dims const dims = FullyConnectedFace::kernelDims(shapeOf(x), nbOutputs, kernelWeights.count);
        if (isEmpty(kernelWeights)) fail(ErrorCode::InvalidArgument, "the kernel has no values");
        std::vector<Tensor*> inputs{&x, addWeights(kernelWeights, dims)};
        if (!isEmpty(biasWeights)) inputs.push_back(addWeights(biasWeights, {biasWeights.count}));
        return addNode<FullyConnectedFace>(std::move(inputs), Convolution());
    });
}

} // namespace tenon::trt
